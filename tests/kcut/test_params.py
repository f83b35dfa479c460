"""Parameters: parsed from text, checked by type and range, completed by defaults."""

import pytest

from kcut import InputError, Param
from kcut.params import complete, parse

DECLARED = {
    "orders": Param(10, "orders", minimum=1),
    "density": Param(0.5, "density", minimum=0.0, maximum=1.0),
    "sampler": Param("bfs", "sampler", choices=("bfs", "other")),
    "strict": Param(False, "flag"),
}


def test_text_becomes_values_of_the_declared_type():
    """Each type parses, missing ones take their default, in the order of declaration."""
    found = parse(DECLARED, {"strict": "true", "orders": "3", "density": "1"})
    assert found == {"orders": 3, "density": 1.0, "sampler": "bfs", "strict": True}
    assert list(found) == list(DECLARED)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("orders", "ten", "an integer"),
        ("orders", "1.5", "an integer"),
        ("orders", "0", "at least 1"),
        ("density", "nan", "finite"),
        ("density", "inf", "finite"),
        ("density", "1.5", "at most 1"),
        ("sampler", "dfs", "one of bfs, other"),
        ("strict", "yes", "true or false"),
        ("order", "3", "unknown parameter (known: orders"),
    ],
)
def test_bad_text_is_refused_with_name_and_value(name, text, message):
    """The error names the parameter, the value and what is allowed."""
    with pytest.raises(InputError) as caught:
        parse(DECLARED, {name: text})
    assert name in str(caught.value)
    assert message in str(caught.value)
    assert repr(text) in str(caught.value) or text in str(caught.value)


@pytest.mark.parametrize(("name", "value"), [("orders", True), ("orders", 2.0), ("strict", 1)])
def test_types_are_not_mixed(name, value):
    """A boolean is no number and a float no integer."""
    with pytest.raises(InputError):
        complete(DECLARED, {name: value})
