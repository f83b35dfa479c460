"""The online study: every policy along the same events, the exact ones proven after each."""

import json

import numpy as np

from kcut_bench.online import Run, follow

SMALL = Run(num_jobs=40, num_links=15, levels=3, num_events=25, orders=3, seed=4)


def test_exact_policies_have_no_gap_and_few_changes_are_fewest():
    """Gaps of the exact policies are 0, Crux's are not negative; preferring few changes pays."""
    paths = {path.policy: path for path in follow(SMALL)}
    for path in paths.values():
        assert len(path.seconds) == len(path.gaps) == SMALL.num_events
        assert min(path.gaps) >= 0
        assert all(0 <= c <= r for c, r in zip(path.changed, path.running, strict=True))
    for name in ("reoptimise", "reoptimise, few changes", "min-cuts anew"):
        assert max(paths[name].gaps) == 0
    few, many = paths["reoptimise, few changes"], paths["crux anew"]
    assert sum(few.changed) < sum(many.changed)


def test_a_run_repeats():
    """The same seed gives the same events, gaps and changes; another seed gives others."""
    first, second = follow(SMALL), follow(SMALL)
    for one, other in zip(first, second, strict=True):
        assert (one.gaps, one.changed, one.running) == (other.gaps, other.changed, other.running)
    third = follow(Run(num_jobs=40, num_links=15, levels=3, num_events=25, orders=3, seed=5))
    assert [path.changed for path in third] != [path.changed for path in first]


def test_the_command_prints_a_line_for_each_policy(kcut_here):
    """As JSON: four objects with gaps, times and changes; as a table: a header and four rows."""
    words = ("online", "--jobs", 20, "--links", 8, "--events", 5, "--orders", 2, "--levels", 3)
    code, out, _ = kcut_here(*words, "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["events"] for row in rows] == [5] * 4
    assert rows[0]["worst_gap"] == 0
    assert np.isfinite([row["median_s"] for row in rows]).all()
    code, out, _ = kcut_here(*words)
    assert (code, len(out.splitlines())) == (0, 5)


def test_more_links_a_job_than_links_are_refused(kcut_here):
    """The option is named."""
    code, _, err = kcut_here("online", "--links", 1, "--links-per-job", 2)
    assert code == 2
    assert "--links-per-job" in err
