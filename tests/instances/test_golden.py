"""Families give the same instances on every supported Python and NumPy.

To regenerate the table after a deliberate change, which makes earlier results incomparable:
``KCUT_REGENERATE_GOLDEN=1 python -m pytest tests/instances/test_golden.py``.
"""

from __future__ import annotations

import json
import os

from kcut.registry import families

SEEDS = (0, 1)


def test_golden_sha256(generate, golden):
    """Every compression family, at its defaults and seeds 0 and 1, has the digest on record."""
    found = {
        family.name: {str(seed): generate(family.name, seed).sha256 for seed in SEEDS}
        for family in families("compression")
        if family.make.__module__.startswith("kcut_instances.")
    }
    table = golden / "families.json"
    if os.environ.get("KCUT_REGENERATE_GOLDEN") == "1":
        table.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    assert found == json.loads(table.read_text(encoding="utf-8"))


def test_all_families_are_there():
    """The families of the first release are registered under their names."""
    names = {family.name for family in families("compression")}
    assert names >= {
        "fifo-counterexample",
        "fig13",
        "layered",
        "lingjun-cliques",
        "link-cliques",
        "random-dag",
        "single-link",
        "windows",
    }
