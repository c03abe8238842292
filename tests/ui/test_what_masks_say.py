"""What the mask step, the mask workshop and Break it say is true of unusual layers and masks,
too.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from attention_lab.masks.faults import hidden_fault
from attention_lab.masks.painted import mask_to_text
from tests.ui.app import numbers_of_scene, opened, scenes, texts


def test_a_mask_that_hides_nothing_is_not_said_to_hide() -> None:
    """Neither where none is chosen, nor where there is no [pad] to hide."""
    for choices, said in (
        ({}, "No score is hidden."),
        ({"mask": "padding"}, "No score is hidden."),
        ({"mask": "causal"}, "The mask hides scores."),
    ):
        assert scenes(opened("mask", **choices))[0]["description"] == said


def test_a_mask_that_hides_nothing_is_not_asked_for_again() -> None:
    """One token needs another sentence, not a causal mask."""
    for mask in ("causal", "none"):
        app = opened("break-it", bi_fault="mask", text="a", mask=mask)
        assert "It needs a mask that hides something." in app.info[0].value
        assert "Choose a causal mask" not in [button.label for button in app.button]
    assert "Choose a causal mask" in [
        button.label for button in opened("break-it", bi_fault="mask").button
    ]


def test_a_round_that_cannot_be_won_says_so() -> None:
    """With one head a hidden mistake of the heads changes nothing: the page says it, and does
    not name the mistake.
    """
    place, hidden = next((n, one) for n in range(1, 99) if (one := hidden_fault(n)).key == "split")
    app = opened("break-it", bi_spot="true", bi_round=place, n_heads=1)
    assert "nothing can find it" in app.info[0].value
    assert hidden.name not in texts(app)
    assert not opened("break-it", bi_spot="true", bi_round=place).info


def test_checks_have_true_minus_signs() -> None:
    """As all other numbers of the page: where weights are small, differences have an exponent
    below 0.
    """
    assert re.search(
        r"by up to \d\.\d+e−05\.", texts(opened("break-it", init="small", bi_fault="scale"))
    )
    assert "The merged heads of the right layer" in texts(opened("break-it", bi_fault="merge"))


def test_a_scale_of_1_leaves_a_bias_as_it_is() -> None:
    """Then the order does not matter for it either, which the table beside shows."""
    order = {"mw_try": "mask or scale first"}
    assert "−4.0 becomes −2.00. So it matters on which side" in texts(
        opened("mask-workshop", **order)
    )
    alone = texts(opened("mask-workshop", scaling="off", **order))
    assert "times 1, −4.0 stays what it is, but with another scale or bias it matters" in alone
    assert "| −4.0 | 0.000000 |" in alone


@pytest.mark.parametrize(
    ("first", "said"), [(0, "Here only whole rows are hidden"), (2, "becomes −2.00. So it matters")]
)
def test_a_bias_for_a_whole_row_changes_no_share(first: int, said: str) -> None:
    """Where only whole rows are hidden, the order is not said to matter: the bias cancels out."""
    allowed = np.ones((4, 4), dtype=bool)
    allowed[1, first:] = False
    address = {"text": "you like cake now", "mw_masks": "painted", "mw_try": "mask or scale first"}
    told = texts(opened("mask-workshop", painted=mask_to_text(allowed), **address))
    assert said in told
    assert ("So it matters" in told) == bool(first)


@pytest.mark.parametrize(
    "alike",
    [
        {"scaling": "custom", "scale": 0},
        {"text": "the the the", "positions": "false"},
        {"mask": "window", "window": 0},
        {"text": "a"},
    ],
)
def test_what_the_wrong_axis_needs(alike: dict[str, object]) -> None:
    """Shares are alike along both axes where scores do not differ or a query sees one token,
    however many there are.
    """
    app = opened("break-it", bi_fault="axis", **alike)
    assert (
        "It needs a query that sees at least two tokens, with scores that differ."
        in app.info[0].value
    )


def test_how_to_paint_and_what_is_painted() -> None:
    """By keys as well as with a pointer; the numbers of the first matrix are those that are
    added to the scores.
    """
    app = opened("mask-workshop")
    assert "or press Enter on it, to hide that key" in texts(app)
    assert "−∞ is added to a hidden score, 0 to all others" in texts(app)
    painted = scenes(app)[1]["arrays"]["painted"]
    assert set(numbers_of_scene({"arrays": {"painted": painted}}).tolist()) == {0.0}


def test_the_sidebars_mask_is_told_not_to_count() -> None:
    """Each place of an encoder-decoder has a mask of its own: another one in the sidebar
    changes no number there.
    """
    plain, causal = (opened("encoder-decoder", mask=mask) for mask in ("none", "causal"))
    for one, other in zip(scenes(plain), scenes(causal), strict=True):
        np.testing.assert_array_equal(numbers_of_scene(one), numbers_of_scene(other))
    assert "the sidebar's mask does not count here" in texts(causal)


def test_many_hidden_cells_are_counted_in_thousands() -> None:
    """The counts on the cards are written like every other large number."""
    said = texts(opened("encoder-decoder", text="a b c d e f g h " * 5))
    assert "it hides 84 of 1,764 cells" in said
