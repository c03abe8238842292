"""What a page says is true in the state in which it says it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from attention_lab.diagonal.claims.catalogue import CLAIMS
from attention_lab.diagonal.growth_curves import half_mass_width
from attention_lab.diagonal.growth_table import TOKEN_COUNTS
from attention_lab.masks.painted import mask_to_text
from attention_lab.masks.shuffles import SITUATIONS
from attention_lab.notation.array_axes import axis_names, joined
from attention_lab.notation.texts import NOTATIONS
from attention_lab.user_data.own_matrices import OwnMatrices
from tests.ui.app import alternatives, here, opened, texts


@pytest.mark.parametrize(
    ("choices", "way", "apart"),
    [
        ({}, "the merged heads multiplied by W_O", True),
        ({"weights": "weightless"}, "the merged heads", True),
        ({"n_heads": 1}, "the merged heads multiplied by W_O", False),
    ],
)
def test_lengths_of_heads(choices: dict[str, Any], way: str, apart: bool) -> None:
    """Weightless heads can neither overlap nor cancel, and one head alone has no other to
    differ from.
    """
    said = texts(opened("head-worth", **choices)).replace("\\", "")
    assert f"computed as {way}." in said
    assert said.count("point in different directions") == 2 * apart


@pytest.mark.parametrize(("scaled", "divisor"), [("true", r"\sqrt C"), ("false", "1")])
def test_the_formula_of_the_half_mass(scaled: str, divisor: str) -> None:
    """Formulas are those of the curves that are drawn: with the scale or without it."""
    app = opened("growth", growth_scaled=scaled)
    assert rf"$\tau = {divisor}$" in texts(app)
    half = {"true": r"\left(\ln(N-1)+\tfrac12\right)^2", "false": r"2 \ln(N-1)"}[scaled]
    assert f"C^* = {half}\n" in app.latex[-1].value
    dotted = half_mass_width(TOKEN_COUNTS[-1], scaled=scaled == "true")
    assert f"{dotted:.1f}" in app.table[0].value.iloc[-1].astype(str).tolist()


def test_a_mistake_that_changes_rounding_alone() -> None:
    """With one head there is nothing to swap: what differs by rounding is not called wrong."""
    assert "here no number of the output is wrong" in texts(
        opened("break-it", n_heads=1, bi_fault="split")
    )
    assert "strong ones do not" in texts(opened("break-it", bi_fault="split"))


@pytest.mark.parametrize("situation", SITUATIONS, ids=[one.key for one in SITUATIONS])
def test_what_the_shuffled_vectors_say(situation: Any) -> None:
    """Vectors of a trained layer know of their places; those of words alone do not, also beside
    an edited cell.
    """
    for choices, given in (
        ({}, False),
        ({"edits": "x_0_0_5"}, False),
        ({"weights": "trained", "layer": 3}, True),
    ):
        said = texts(opened("invariances", inv_reads=situation.key, **choices))
        assert (situation.of_given in said, situation.says in said) == (given, not given)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_stages_of_the_split_have_the_letters_of_the_text(notation: str) -> None:
    """The table counts as the arrays do, and calls the axes as the boards do."""
    app = opened("split", notation=notation)
    names = axis_names(here(app).trace, here(app).notation)
    b, h, t, k = (names[letter] for letter in "BHTK")
    assert f"({b}, {t}, {joined('H·K', names)}) = (1, 12, 16)" in texts(app)
    assert f"({b}, {t}, {h}, {k}) = (1, 12, 4, 4)" in texts(app)
    assert f"({b}, {h}, {t}, {k}) = (1, 4, 12, 4)" in texts(app)


def test_a_run_that_has_not_begun_has_no_places() -> None:
    """There is nothing to drag back before the first step."""
    assert opened("training", train_seed=977).slider(key="train_at").disabled


def test_what_has_worked_on_the_inputs_of_a_trained_layer() -> None:
    """Before the first layer there is none."""
    said = [texts(opened("tokens", weights="trained", layer=layer)) for layer in (0, 1)]
    assert ["layers before this one" in words for words in said] == [False, True]


def test_the_output_as_a_sum_in_the_symbols_of_the_notation() -> None:
    """Where tokens are columns, the weights stand left of what they multiply, transposed."""
    app = opened("head-worth", notation="gml")
    assert r"\big({W_O}^{(i)}\big)^{\top} O_i" in app.latex[0].value
    assert "computed as the merged heads multiplied by W_Oᵀ" in texts(app).replace("\\", "")
    assert r"O_h\,{W_O}^{(h)}" in opened("head-worth").latex[0].value


def test_which_word_is_replaced() -> None:
    """A word that stands twice is replaced in its first place, although it was chosen as the
    last word.
    """
    for text, after, said in (
        ("The cat saw the cat", "The wide saw the cat", " where it stands first."),
        ("The cat saw the dog", "The cat saw the wide", " is replaced."),
    ):
        app = opened("change-a-word", text=text)
        assert app.info[0].value.endswith(said)
        assert f"**After:** {after}" in texts(app)


@pytest.mark.parametrize(
    ("choices", "tied", "share"),
    [
        (
            {"text": "row row your boat", "positions": "false", "scaling": "custom", "scale": 0},
            4,
            "25.0 %",
        ),
        ({"text": "row row", "positions": "false", "mask": "causal", "query": 1}, 2, "50.0 %"),
        ({"text": "row row", "positions": "false", "mask": "causal", "query": 0}, 1, "100.0 %"),
    ],
)
def test_what_is_read_most_where_shares_are_equal(
    choices: dict[str, Any], tied: int, share: str
) -> None:
    """No token is said to be read most where another is read as much."""
    overview, mixing = (texts(opened(page, **choices)) for page in ("overview", "mixing"))
    if tied == 1:
        assert f"reads from “row” (0): {share}." in overview
        assert f"takes from :green[the value of “row” (0)]: {share} of it." in mixing
    else:
        none = f"and more from none: {share}"
        assert f"reads the same from {tied} tokens, {none} each." in overview
        assert f"takes the same from :green[the values of {tied} tokens], {none} of each." in mixing


@pytest.mark.parametrize(
    ("masks", "kept_out"),
    [("causal", True), ("padding", True), ("window", False), ("painted", False)],
)
def test_why_real_tokens_do_not_move(masks: str, kept_out: bool) -> None:
    """[pad] stands behind all real tokens, so a causal mask keeps it out as well as one of
    padding.
    """
    said = texts(opened("mask-workshop", mw_masks=masks, mw_sequence="2", mw_try="padded queries"))
    assert ("at most **0**: the mask keeps [pad] out of them." in said) == kept_out
    assert ("no padding mask is chosen above." in said) != kept_out


def test_rows_that_had_nothing_left_before() -> None:
    """Rows that the masks left without a key spoil their tokens, too, and are no part of the
    maximum of the others.
    """
    hidden = np.ones((4, 4), dtype=bool)
    hidden[[1, 3]] = False
    address = {"text": "you like cake now", "mw_masks": "painted", "mw_try": "nothing left"}
    for painted, query, said in (
        (hidden, 0, "3 rows of NaN spoil 3 tokens here, 48 numbers."),
        (hidden, 1, "2 rows of NaN spoil 2 tokens here, 32 numbers."),
        (hidden | True, 1, "One row of NaN spoils one token here, 16 numbers."),
    ):
        assert said in texts(
            opened("mask-workshop", painted=mask_to_text(painted), query=query, **address)
        )
    address["mw_try"] = "how to hide"
    said = texts(opened("mask-workshop", painted=mask_to_text(hidden), query=1, **address))
    assert "this row | at most, any row that sees a key |" in said
    assert "| −10⁹ | 100.0 % | 0.0 % |" in said


def test_of_nothing_there_are_no_shares() -> None:
    """Where all heads together add 0, no share is said to sum to NaN, and no head to be ahead."""
    nothing = OwnMatrices(w_o=np.zeros((4, 4))).address()
    app = opened("head-worth", text="you like cake", d_model=4, n_heads=2, own=nothing)
    said = texts(app)
    assert "Here all heads together add 0, of which there are no shares." in said
    assert "nan" not in said
    assert "different directions" not in said
    assert "for each of 2 heads; all add 0 together, so there are none." in "".join(
        alternatives(app)
    )
    assert "head 0 has the largest" in "".join(alternatives(opened("head-worth", n_heads=1)))


@pytest.mark.parametrize(
    ("choices", "said", "place"),
    [
        (
            {},
            "hold a wrong number without the swap",
            "its right place, as the first and the last number always do.",
        ),
        (
            {"query": 4, "head": 1, "feature": 2, "text": "a b c d e f g h i j k l m"},
            "wrong number",
            "by luck its right",
        ),
        (
            {"n_heads": 1},
            "With one head or one token there is nothing to swap",
            "here, too, its right place.",
        ),
        (
            {"text": "a"},
            "With one head or one token there is nothing to swap",
            "here, too, its right place.",
        ),
        (
            {"own": OwnMatrices(w_v=np.zeros((16, 16))).address()},
            "is equal to the right one",
            "the first and the last",
        ),
    ],
)
def test_why_the_swap_changes_nothing(choices: dict[str, Any], said: str, place: str) -> None:
    """There may be nothing to swap, or nothing but equal numbers; luck is needed only where
    something is swapped.
    """
    app = opened("merge", **choices)
    told = texts(app) + "".join(str(box.value) for box in app.info)
    assert said in told
    assert place in told


def test_who_can_out_vote_a_token() -> None:
    """Only a longer one without weights; with free weights a shorter one can as well, so the
    page names the case.
    """
    said = texts(opened("self-attention-mass", lab_weights="free"))
    assert "without weights only **longer** tokens can out-vote a token" in said


@pytest.mark.parametrize(("token", "is_shaded"), [(0, False), (1, True)])
def test_a_token_at_the_origin_has_no_half_plane(token: int, is_shaded: bool) -> None:
    """With a query of 0 all keys score alike; the page says so instead of speaking of what is
    not drawn.
    """
    said = texts(opened("geometry", plane="0,0;1,3;2,1", plane_token=token))
    assert ("in the shaded half-plane" in said) == is_shaded
    assert ("there is no half-plane to shade" in said) == (not is_shaded)


def test_heads_that_are_added_without_w_o() -> None:
    """The page tells what such value matrices hold, and how well the two outputs agree; without
    W_O it does not ask.
    """
    app = opened("output", d_model=24, n_heads=3, d_v=5)
    app.session_state["no w_o"] = True
    said = texts(app.run())
    assert "hold 3 · 24 · 24 = **1,728 numbers**, W_V and W_O together **720**" in said.replace(
        "\\", ""
    )
    assert "at most dᵥ = 5." in said.replace("\\", "")
    assert "the outputs differ by at most" in said
    assert r"A_h\,X\,\big({W_V}^{(h)}\,{W_O}^{(h)}\big)" in "".join(
        formula.value for formula in app.latex
    )
    labels = [box.label for box in opened("output", weights="weightless").expander]
    assert "Could heads simply be added?" not in labels


def test_claims_have_true_minus_signs() -> None:
    """No number of a check is written with a hyphen; some are below 0, or so small that their
    exponent is.
    """
    said = [text.value for text in opened("claims").markdown if "**Checked here:**" in text.value]
    checks = [text.split("**Checked here:**")[1].replace("\\", "") for text in said]
    assert len(checks) == len(CLAIMS)
    assert not [check for check in checks if re.search(r"(?<![\w)-])-\d|\de-\d", check)]
    assert any("−0." in check for check in checks)
    assert any("e−" in check for check in checks)


@pytest.mark.parametrize(
    ("choices", "some"),
    [({"text": "Hello"}, False), ({}, False), ({"n_tokens": 64, "n_heads": 16, "d_k": 64}, True)],
)
def test_on_how_many_tokens_the_ways_were_compared(choices: dict[str, Any], some: bool) -> None:
    """Where all tokens of the layer were compared, the page does not speak of the first ones."""
    assert (
        "of the largest score, on the first " in texts(opened("one-matrix-or-many", **choices))
    ) == some
