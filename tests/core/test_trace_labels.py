"""The names of a trace's axes and of the places along them."""

from __future__ import annotations

import pytest

from attention_core import ShapeError
from tests.core.trace_cases import H, K, V, run


def test_axes_of_equal_width_have_one_name() -> None:
    """M and O are called D, and G is called H, when they are as many; otherwise they keep their
    own letters.
    """
    same, other = run("self")[0], run("heads joined")[0]
    assert same.axes("memory") == ("B", "S", "D")
    assert other.axes("memory") == ("B", "S", "M")
    assert same.axes("output") == ("B", "T", "D")
    assert other.axes("output") == ("B", "T", "O")
    assert same.axes("keys") == ("B", "S", "H·K")
    assert run("shared heads")[0].axes("keys") == ("B", "S", "G·K")
    assert run("shared heads")[0].axes("value_heads") == ("B", "G", "S", "V")


def test_tokens_label_the_positions() -> None:
    trace = run("everything")[0]
    labelled = trace.labelled(("a", "b", "c"), ("v", "w", "x", "y", "z"))
    assert labelled.labels("T") == ("a", "b", "c")
    assert labelled.labels("S") == ("v", "w", "x", "y", "z")
    assert labelled.labels("H") == tuple(f"head {h}" for h in range(H))
    assert labelled.labels("K") == tuple(map(str, range(K)))
    assert len(labelled.labels("H·V")) == H * V
    assert trace.labels("T") == ("0", "1", "2")
    assert labelled.output is trace.output


def test_in_self_attention_keys_have_the_labels_of_the_queries() -> None:
    own = run("self")[0].labelled(("a", "b", "c"))
    assert own.labels("S") == ("a", "b", "c")
    assert run("cross")[0].labelled(("a", "b", "c")).labels("S") == ("0", "1", "2", "3", "4")


@pytest.mark.parametrize(
    ("labels", "given", "positions"),
    [((("a", "b"),), 2, 3), ((("a", "b", "c"), ("d",)), 1, 5)],
)
def test_as_many_labels_as_positions(
    labels: tuple[tuple[str, ...], ...], given: int, positions: int
) -> None:
    with pytest.raises(ShapeError, match=rf"\b{given}\b.*\b{positions}\b"):
        run("everything")[0].labelled(*labels)
