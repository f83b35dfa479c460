"""Bytes of a file, gzip or not: read with a limit, written all at once or not at all."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path

from kcut import InputError

MAX_BYTES = 2**30
"""Largest file that is read, after decompression."""

GZIP_MAGIC = b"\x1f\x8b"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file; decompress it if it is gzip, whatever its name.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    bytes
        At most `MAX_BYTES`.

    Raises
    ------
    InputError
        If it cannot be read, is empty, is broken gzip, or is larger than `MAX_BYTES`.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {_reason(error)}", source=str(path)) from None
    if data.startswith(GZIP_MAGIC):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
                data = unpacked.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"broken gzip: {_reason(error)}", source=str(path)) from None
    if len(data) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES:,} bytes", source=str(path))
    if not data:
        raise InputError("the file is empty", source=str(path))
    return data


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file, gzip if its name ends in ``.gz``; a reader never sees half of it.

    Parameters
    ----------
    path : str or path-like
        An existing regular file is replaced.
    data : bytes

    Raises
    ------
    InputError
        If it cannot be written.

    Notes
    -----
    The same data gives the same bytes: the gzip header holds neither time nor name.
    """
    target = Path(os.path.realpath(path))
    if target.suffix == ".gz":
        buffer = io.BytesIO()
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=buffer, mtime=0) as packed:
            packed.write(data)
        data = buffer.getvalue()
    try:
        if target.exists() and not target.is_file():
            # A pipe or a device cannot be replaced, only written to.
            target.write_bytes(data)
            return
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("xb") as file:
                file.write(data)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be written: {_reason(error)}", source=str(path)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
