"""The command line: commands, exit codes, and errors in one line."""

from __future__ import annotations

import itertools
import os
import sys
import traceback
from typing import Annotated, Any

import typer

from kcut_bench import numba_cache
from kcut_bench.commands import (
    catalog,
    compare,
    frontier,
    generate,
    online,
    results,
    simulate,
    solve,
    stores,
    sweep,
    trace,
    verify,
)

HELP = """How far GPU cluster communication scheduling is from optimal, measured with proof.

Exit codes: 0 done; 1 a negative verdict; 2 bad input or usage; 3 no solution within the limits.
KCUT_DEBUG=1 shows the traceback of an error.
"""

app = typer.Typer(
    help=HELP, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
)
for command in (
    catalog.solvers,
    catalog.families,
    catalog.studies,
    generate.generate,
    trace.trace,
    solve.solve,
    verify.verify,
    frontier.frontier,
    online.online,
    simulate.simulate,
    sweep.sweep,
    results.status,
    stores.check,
    results.report,
    compare.compare,
    results.cite,
    stores.export,
    stores.merge,
    stores.archive,
):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"kcut {version('kcut')}")
        raise typer.Exit


@app.callback()
def _kcut(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run a command and leave the process with its exit code.

    Parameters
    ----------
    arguments : list of str, optional
        Instead of those of the process.
    """
    _make_streams_safe()
    numba_cache.mend()
    try:
        code = app(args=arguments, prog_name="kcut", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as end:
        code = end.code
    except BrokenPipeError:
        code = 1
    except KeyboardInterrupt:
        code = 130
    except BaseException as error:
        code = _failed(error)
    if code == 130:
        _say("interrupted")
    _leave(code if isinstance(code, int) else 0)


def _make_streams_safe() -> None:
    """Let output never fail on a character, nor on a stream that is closed from the start."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _failed(error: BaseException) -> int:
    """Say in one line what went wrong and return the exit code it deserves."""
    if os.environ.get("KCUT_DEBUG") == "1":
        traceback.print_exception(error)
    code, line = _explain(error)
    if code != 130:
        _say(line)
    return code


def _explain(error: Any) -> tuple[int, str]:
    from kcut.errors import KcutError

    name = type(error).__name__
    code, line = 1, f"unexpected {name}: {error} (KCUT_DEBUG=1 shows the traceback)"
    # What typer raises for bad usage has this method, whichever version of click it brings.
    if hasattr(error, "format_message"):
        code, line = 2, f"{error.format_message()}{_given(error)} (see kcut --help)"
    elif name == "Abort":
        # What typer makes of the end of a file, wherever that was met.
        code, line = (1, "unexpected EOFError") if error.__cause__ is not None else (130, "")
    elif isinstance(error, KcutError):
        code, line = 2 if name == "InputError" else 1, str(error)
    elif isinstance(error, OSError) and error.strerror is not None:
        code, line = 2, f"{error.filename or 'output'}: {error.strerror}"
    elif isinstance(error, MemoryError):
        line = f"out of memory {error}"
    return code, line


def _given(error: Any) -> str:
    """Return the value of the option that an error is about, which its message may leave out."""
    options = getattr(getattr(error, "param", None), "opts", ())
    for before, word in itertools.pairwise(sys.argv):
        name, equals, value = word.partition("=")
        if before in options or (equals and name in options):
            return f" (got {(word if before in options else value)!r})"
    return ""


def _say(line: str) -> None:
    print("kcut: " + " ".join(line.split()), file=sys.stderr)


def _leave(code: int) -> None:
    """Exit; where nobody reads the output any more, keep quiet about it."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


if __name__ == "__main__":
    main()
