"""Cluster families are reproducible and contain what they say.

To regenerate the table after a deliberate change:
``KCUT_REGENERATE_GOLDEN=1 python -m pytest tests/instances/test_cluster_families.py``.
"""

from __future__ import annotations

import json
import os

import pytest

from kcut import InputError
from kcut.contention import contention_dag
from kcut.intensity import exposure
from kcut.registry import families
from kcut.simulate import simulate
from kcut_instances.readers import read_cluster, write_cluster
from tests.kcut.fluid_laws import check_fluid_laws


def test_golden_sha256(generate, golden):
    """Every cluster family, at its defaults and seeds 0 and 1, has the digest on record."""
    found = {
        family.name: {str(seed): generate(family.name, seed).sha256 for seed in (0, 1)}
        for family in families("cluster")
        if family.make.__module__.startswith("kcut_instances.")
    }
    table = golden / "clusters.json"
    if os.environ.get("KCUT_REGENERATE_GOLDEN") == "1":
        table.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    assert found == json.loads(table.read_text(encoding="utf-8"))
    assert set(found) == {
        "clos-jobs",
        "clos-paths",
        "contending-jobs",
        "lingjun-like",
        "testbed",
        "testbed-paths",
    }


@pytest.mark.parametrize(
    ("figure", "others", "gpus"),
    [
        ("19", 2, [32, 8, 8]),
        ("19", 4, [32, 8, 8, 8, 8]),
        ("20", 4, [48, 16, 16, 8, 8]),
        ("21", 3, [16, 4, 4, 4]),
        ("22", 1, [8, 8]),
        ("22", 3, [8, 24]),
    ],
)
def test_testbed(generate, figure, others, gpus):
    """The jobs of the paper's figures have its sizes; those of 21 and 22 meet on PCIe."""
    cluster = generate("testbed", figure=figure, others=others)
    assert cluster.gpus.tolist() == gpus
    found = exposure(cluster)
    assert found.jobs == 1.0
    assert (found.pcie_jobs == 1.0) == (figure in {"21", "22"})
    assert 0.2 < simulate(cluster, horizon_s=60.0).utilisation < 1


def test_testbed_refuses_other_mixes(generate):
    """A mix that the paper does not have is refused."""
    for figure, others in (("19", 5), ("20", 2), ("22", 4)):
        with pytest.raises(InputError, match="others"):
            generate("testbed", figure=figure, others=others)


def test_small_cases_of_the_micro_benchmark(generate, tmp_path):
    """Five jobs on few hosts contend, simulate, and survive a round trip through a file."""
    cluster = generate("clos-jobs", hosts=8, tors=2, num_jobs=5, max_gpus=16, levels=3)
    assert (cluster.num_jobs, cluster.levels) == (5, 3)
    assert contention_dag(cluster).num_jobs == 5
    assert 0 < simulate(cluster, [2, 1, 0, 0, 0], horizon_s=30.0).utilisation <= 1
    write_cluster(cluster, tmp_path / "cluster.json")
    assert read_cluster(tmp_path / "cluster.json").sha256 == cluster.sha256


def test_placements_of_many_jobs(generate):
    """Fragmented placement exposes more jobs than packed; all GPUs can be given away."""
    packed = generate("clos-jobs", fabric="testbed-96", num_jobs=12, placement="packed")
    fragmented = generate("clos-jobs", fabric="testbed-96", num_jobs=12)
    assert exposure(fragmented).gpus >= exposure(packed).gpus
    full = generate("clos-jobs", fabric="testbed-96", num_jobs=96, max_gpus=400)
    assert full.gpus.tolist() == [1] * 96
    with pytest.raises(InputError, match="num_jobs"):
        generate("clos-jobs", fabric="testbed-96", num_jobs=97)


@pytest.mark.parametrize("num_levels", [1, 3])
def test_fluid_laws_on_a_fabric(generate, num_levels):
    """Rates that are set anew only where something changed still obey the laws everywhere."""
    cluster = generate("clos-jobs", seed=3, num_jobs=8, max_gpus=32)
    levels = [j % num_levels for j in range(cluster.num_jobs)]
    choice = cluster.path_choice(None)
    run = simulate(cluster, levels, choice, horizon_s=1.5, timeline=True)
    assert run.timeline is not None
    check_fluid_laws(cluster, levels, choice.tolist(), run.timeline)
