"""The named studies, shipped with the package."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from kcut.errors import InputError
from kcut_bench.spec import Spec, parse_spec


def study_names() -> list[str]:
    """Return the names of all studies, sorted."""
    return sorted(name.removesuffix(".toml") for name in _files() if name.endswith(".toml"))


def find_spec(name: str) -> tuple[Spec, str, Path]:
    """Find a named study, or read a file.

    Parameters
    ----------
    name : str
        The name of a study, or the path of a TOML file. A name without a suffix or a folder is
        a study.

    Returns
    -------
    spec : Spec
    text : str
        What was read.
    base : Path
        Where the specification's files are relative to.

    Raises
    ------
    InputError
        If there is no such study or file, or it is refused.
    """
    if name in study_names():
        text = resources.files("kcut_bench").joinpath("studies", f"{name}.toml").read_text("utf-8")
        return parse_spec(text, name), text, Path()
    path = Path(name)
    if not path.suffix and path.name == name and not path.exists():
        known = ", ".join(study_names())
        raise InputError(f"no such study (known: {known}) or file", "SPEC", name)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=name) from error
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", source=name) from None
    return parse_spec(text, name), text, path.parent


def _files() -> list[str]:
    return [entry.name for entry in resources.files("kcut_bench").joinpath("studies").iterdir()]
