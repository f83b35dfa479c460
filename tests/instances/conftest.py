"""Fixtures shared by the tests of families and readers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kcut_instances  # noqa: F401 - importing it registers the families
from kcut import CompressionInstance
from kcut.params import complete
from kcut.registry import get_family

Generate = Callable[..., CompressionInstance]


@pytest.fixture
def generate() -> Generate:
    """Generate an instance of a family as the command line does."""

    def generate_one(
        name: str, seed: int = 0, levels: int | None = None, **params: Any
    ) -> CompressionInstance:
        family = get_family(name)
        chosen = family.levels if levels is None else levels
        instance: CompressionInstance = family.generate(
            complete(family.params, params), chosen, seed
        )
        return instance

    return generate_one


@pytest.fixture
def golden() -> Path:
    """Return the folder of golden tables."""
    return Path(__file__).parent.parent / "golden"
