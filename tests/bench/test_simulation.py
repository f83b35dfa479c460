"""A simulation as JSON, as a picture and as money."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kcut import InputError
from kcut.cluster import Flow, Job
from kcut.simulate import simulate
from kcut_bench.cost import cost_of_loss
from kcut_bench.simulation import simulate_cluster
from kcut_bench.timeline import plot_timeline
from tests.kcut.clusters import example1, on_one_link, sender


def test_json_of_example_1() -> None:
    """The keys are those of the contract, and the numbers the paper's."""
    found = json.loads(json.dumps(simulate_cluster(example1(), levels=[1, 0])))
    assert found["utilisation"] == 0.375
    assert found["window_s"] == 4
    first = found["jobs"][0]
    assert {"name", "iteration_s", "busy_s", "link_s", "iterations", "window_s"} <= set(first)
    per_12_s = [job["link_s"] * 12 / job["window_s"] for job in found["jobs"]]
    assert per_12_s == [6, 3]
    gpu_s = sum(job["gpus"] * job["busy_s"] / job["window_s"] for job in found["jobs"])
    assert gpu_s / 20 == found["utilisation"]


def test_json_of_a_starved_job_and_of_separate_windows() -> None:
    """What does not exist is null, never NaN; jobs that cannot meet have windows of their own."""
    greedy = Job("greedy", 1, 0.0, 1.0, (Flow("a", "b", 1.0),))
    cluster = on_one_link(greedy, sender("starved", 3, 1.0, 1.0, 1.0), Job("alone", 1, 7.0, 1.0))
    text = json.dumps(simulate_cluster(cluster, levels=[1, 0, 0]), allow_nan=False)
    found = json.loads(text)
    assert found["jobs"][1]["iteration_s"] is None
    assert found["window_s"] is None
    assert found["jobs"][2]["window_s"] == 7


def test_cost_of_loss() -> None:
    """The paper's two conversions: 95 of 1,000 GPUs, and 120,000 dollars a day."""
    assert cost_of_loss(0.095, 1_000).gpus == pytest.approx(95)
    assert cost_of_loss(0.10, 10_000).dollars_per_day == pytest.approx(120_000)
    for lost, gpus in ((1.5, 10), (float("nan"), 10), (0.1, -1), (-0.1, 1)):
        with pytest.raises(InputError):
            cost_of_loss(lost, gpus)


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_timeline_plot(tmp_path: Path, suffix: str) -> None:
    """The plot of Example 1 has a row a job, and shows what computes, sends and waits."""
    cluster = example1()
    run = simulate(cluster, [1, 0], horizon_s=12.0, timeline=True)
    path = tmp_path / f"line.{suffix}"
    figure = plot_timeline(cluster, run, path)
    assert path.stat().st_size > 1000
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["J1", "J2"]
    drawn = {"compute": 0.0, "send": 0.0, "wait": 0.0}
    for bars in axes.collections:
        for outline in bars.get_paths():
            box = outline.get_extents()
            drawn[bars.get_gid()] += box.width
    assert drawn["compute"] == pytest.approx(run.busy_s.sum())
    assert drawn["send"] == pytest.approx(run.link_s.sum())
    assert drawn["compute"] + drawn["send"] + drawn["wait"] == pytest.approx(2 * 12)


def test_timeline_plot_refusals(tmp_path: Path) -> None:
    """Without a time line, or to a file of no known kind, there is no plot."""
    cluster = example1()
    run = simulate(cluster, horizon_s=12.0, timeline=True)
    with pytest.raises(InputError, match="no time line"):
        plot_timeline(cluster, simulate(cluster))
    with pytest.raises(InputError, match="must end in"):
        plot_timeline(cluster, run, tmp_path / "line.txt")
    with pytest.raises(InputError, match="empty"):
        plot_timeline(cluster, run, begin_s=13.0)
    with pytest.raises(InputError, match="cannot be written"):
        plot_timeline(cluster, run, tmp_path / "nowhere" / "line.svg")
