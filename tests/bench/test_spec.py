"""Tests of specifications: what is read, what is refused, and how it is named."""

import pytest

from kcut import InputError
from kcut_bench.spec import SeedRange, parse_spec, seed_list

HEAD = 'name = "a"\n'
INSTANCES = '[[instances]]\nfamily = "fig13"\n'
SOLVERS = '[[solvers]]\nname = "crux"\n'

WRONG = [
    ("name =", "", "not TOML"),
    (HEAD + SOLVERS, "instances", "is missing"),
    (HEAD + INSTANCES, "solvers", "is missing"),
    (INSTANCES + SOLVERS, "name", "is missing"),
    ('name = "../a"\n' + INSTANCES + SOLVERS, "name", "must consist of"),
    (HEAD + "nam = 1\n" + INSTANCES + SOLVERS, "nam", "unknown key (got 1)"),
    (HEAD + INSTANCES + "colour = 'red'\n" + SOLVERS, "instances[0].colour", "'red'"),
    (HEAD + "repetitions = 0\n" + INSTANCES + SOLVERS, "repetitions", "got 0"),
    (HEAD + "repetitions = true\n" + INSTANCES + SOLVERS, "repetitions", "got True"),
    (HEAD + "seeds = []\n" + INSTANCES + SOLVERS, "seeds", "empty"),
    (HEAD + "seeds = [-1]\n" + INSTANCES + SOLVERS, "seeds[0]", "got -1"),
    (HEAD + INSTANCES + "seeds = {count = 0}\n" + SOLVERS, "instances[0].seeds.count", "got 0"),
    (HEAD + INSTANCES + "levels = [2, 0]\n" + SOLVERS, "instances[0].levels[1]", "got 0"),
    (HEAD + INSTANCES + 'mode = "both"\n' + SOLVERS, "instances[0].mode", "both"),
    (HEAD + INSTANCES + "params = {a = []}\n" + SOLVERS, "instances[0].params.a", "empty"),
    (HEAD + INSTANCES + 'files = ["x"]\n' + SOLVERS, "instances[0]", "either family or files"),
    (HEAD + "[[instances]]\nlevels = [2]\n" + SOLVERS, "instances[0]", "either family or files"),
    (
        HEAD + INSTANCES + 'mode = "zip"\nparams = {a = [1, 2], b = [1, 2, 3]}\n' + SOLVERS,
        "instances[0].params",
        "one length",
    ),
    (HEAD + "limits = {time_s = nan}\n" + INSTANCES + SOLVERS, "limits.time_s", "nan"),
    (HEAD + "limits = {time_s = 0}\n" + INSTANCES + SOLVERS, "limits.time_s", "got 0"),
    (HEAD + "limits = {time_s = 'x'}\n" + INSTANCES + SOLVERS, "limits.time_s", "got 'x'"),
    (HEAD + "limits = {memory_mb = -5}\n" + INSTANCES + SOLVERS, "limits.memory_mb", "got -5"),
    (HEAD + INSTANCES + SOLVERS + "limits = {time_s = -1}", "solvers[0].limits.time_s", "-1"),
    (HEAD + INSTANCES + "levels = [1000001]\n" + SOLVERS, "instances[0].levels[0]", "1000001"),
    (HEAD + f"limits = {{memory_mb = {2**62}}}\n" + INSTANCES + SOLVERS, "limits.memory_mb", "<="),
    (HEAD + "limits = {threads = 99999}\n" + INSTANCES + SOLVERS, "limits.threads", "99999"),
    (HEAD + 'problem = "tsp"\n' + INSTANCES + SOLVERS, "problem", "tsp"),
]


@pytest.mark.parametrize(("text", "field", "words"), WRONG)
def test_wrong_specification_is_refused_by_name(text, field, words):
    """An error names the file, the path of the field and what stood there, in one line."""
    with pytest.raises(InputError) as caught:
        parse_spec(text, "my.toml")
    line = str(caught.value)
    assert line.startswith(f"my.toml: {field}")
    assert words in line
    assert "\n" not in line


def test_specification_is_read_with_defaults():
    """What is left out has the documented default."""
    spec = parse_spec(HEAD + INSTANCES + SOLVERS, "my.toml")
    assert (spec.repetitions, seed_list(spec.seeds), spec.limits.threads) == (1, [0], 1)
    assert (spec.instances[0].mode, spec.solvers[0].max_edges) == ("cross", None)


def test_seed_range_counts_from_its_start():
    """A range of seeds is start, start + 1, and so on, as many as counted."""
    assert seed_list(SeedRange(start=3, count=4)) == [3, 4, 5, 6]
