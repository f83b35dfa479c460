"""Any instance file: the format is found by the suffix or by the field ``format``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from kcut_instances.readers.cluster import CLUSTER
from kcut_instances.readers.compression import COMPRESSION
from kcut_instances.readers.document import Format, read_document
from kcut_instances.readers.graphml import read_graphml
from kcut_instances.readers.priority import LOLIB_SUFFIXES, PRIORITY, read_lolib

FORMATS: dict[str, Format] = {form.name: form for form in (COMPRESSION, CLUSTER, PRIORITY)}
"""The JSON formats of instances; a new one is one more entry."""

GRAPHML_SUFFIXES = (".graphml", ".graphml.gz")


def read_instance(path: str | os.PathLike[str], levels: int | None = None) -> Any:
    """Read an instance of any problem.

    Parameters
    ----------
    path : str or path-like
        GraphML if it ends in ``.graphml``, a plain matrix if in ``.mat`` or ``.lop``, otherwise
        JSON of one of `FORMATS`.
    levels : int, optional
        K, in place of the file's.

    Returns
    -------
    CompressionInstance, Cluster or PriorityInstance
        Whatever the format states.

    Raises
    ------
    InputError
        Names the file, the field and the value.
    """
    if Path(path).name.endswith(GRAPHML_SUFFIXES):
        return read_graphml(path, levels)
    if Path(path).name.endswith(LOLIB_SUFFIXES):
        return read_lolib(path)
    instance = read_document(path, FORMATS)
    return instance if levels is None else instance.with_levels(levels)
