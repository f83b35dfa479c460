"""Output: JSON lines that are valid JSON, plain tables, numbers shown to people."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def emit_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object in one line; NaN and infinities become null."""
    print(json.dumps(_plain(content), allow_nan=False), flush=True)


def emit_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a header, columns aligned; the last column as long as it is."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())


def number(value: float | None) -> str:
    """Show an integer whole and a float in short; ``-`` for None."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.10g}"


def percent(share: float | None) -> str:
    """Show a share in percent; ``-`` for None. Only an exact zero is shown as 0 %."""
    if share is None:
        return "-"
    if share == 0:
        return "0 %"
    return f"{100 * share:.3g} %"


def seconds(duration: float) -> str:
    """Show seconds in short; ``-`` for NaN."""
    return "-" if math.isnan(duration) else f"{duration:.6g} s"


@contextlib.contextmanager
def stdout_kept_clean() -> Iterator[None]:
    """Send to stderr whatever solvers and their native libraries print meanwhile."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:
        yield
        return
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _plain(content: Any) -> Any:
    """Replace what JSON has no word for."""
    if isinstance(content, Mapping):
        return {str(key): _plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content.tolist() if hasattr(content, "tolist") else content
