"""The pages about masks and kinds of attention: what they promise, in every choice that they
offer.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_lab.masks.bench import NO_FAULT, examined
from attention_lab.masks.fault_checks import CHECKS
from attention_lab.masks.faults import FAULTS, hidden_fault
from attention_lab.masks.invariances import CHANGES
from attention_lab.masks.painted import mask_from_text, mask_to_text
from attention_lab.masks.run_gaps import gaps
from attention_lab.masks.sentences import three_uses
from attention_lab.scenario import Scenario
from attention_lab.user_data.own_matrices import OwnMatrices
from attention_ui import board
from attention_ui.masks import mask_experiments, uses_cards
from attention_ui.masks.invariance_topics import TOPICS
from attention_ui.masks.mask_experiments import EXPERIMENTS
from attention_viz.labels import number
from attention_viz.masks.broken import FIELDS
from tests.ui.app import gone_to, here, opened, scenes, texts
from tests.viz.reading_scenes import numbers

CHOICES: dict[str, list[dict[str, Any]]] = {
    "mask-workshop": [
        *({"mw_sequence": "1", "mw_try": name} for name in EXPERIMENTS),
        {"mw_masks": []},
        {"mw_try": "how to hide"},
        {"mw_third": " ", "mw_second": "", "mw_sequence": "2"},
    ],
    "encoder-decoder": [{"ed_use": use} for use in ("encoder", "decoder", "cross")],
    "invariances": [
        *({"inv_topic": topic} for topic in TOPICS),
        {"inv_topic": "shuffle", "inv_reads": "with positions", "inv_shown": "probabilities"},
        *({"inv_topic": "constants", "inv_change": change.key} for change in CHANGES),
    ],
    "break-it": [
        *({"bi_fault": fault.key} for fault in FAULTS),
        *({"bi_field": field} for field in FIELDS),
        {"bi_spot": True, "bi_guess": "axis", "bi_answer": True},
    ],
}
SITUATIONS: dict[str, dict[str, Any]] = {
    "one token and head": {"text": "a", "n_heads": 1, "d_model": 1},
    "scale below 0": {"scaling": "custom", "scale": -100, "edits": "x_0_1_9"},
    "tokens are columns": {
        "notation": "gml",
        "n_tokens": 16,
        "mask": "padding",
        "residual": "true",
    },
}


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("page", CHOICES)
def test_every_choice_runs_clean(page: str, situation: str) -> None:
    """No exception and no error box, whatever experiment, topic, use, fault or field is chosen
    in an odd layer.
    """
    app = opened(page, **SITUATIONS[situation])
    for choice in CHOICES[page]:
        for key, value in choice.items():
            app.session_state[key] = value
        app.run()
        assert [error.value for error in [*app.exception, *app.error]] == [], choice
        assert scenes(app)


HOSTILE: dict[str, dict[str, str]] = {
    "mask-workshop": (
        dict.fromkeys(
            ("mw_masks", "mw_sequence", "mw_try", "mw_window", "mw_bias", "painted"), "banana"
        )
        | {"mw_second": "<script>alert(1)</script> $x$ **b**"}
    ),
    "encoder-decoder": {
        "ed_cell": "1.x",
        "ed_use": "3",
        "ed_pad": "-1",
        "ed_target": "<script> [l](//x) :red[x]",
    },
    "invariances": {"inv_topic": "", "inv_shuffle": "1e9", "inv_reads": "<b>", "inv_shown": ""},
    "break-it": {
        "bi_fault": "",
        "bi_field": "__class__",
        "bi_spot": "maybe",
        "bi_round": "0",
        "bi_guess": "all",
    },
}


@pytest.mark.parametrize("page", HOSTILE)
def test_hostile_addresses(page: str) -> None:
    """Nonsense in the choices gives defaults or a sentence, never a traceback, and no markup
    gets through.
    """
    app = opened(page, **HOSTILE[page])
    assert [error.value for error in [*app.exception, *app.error]] == []
    assert scenes(app)
    assert "<script>" not in texts(app).replace(r"\<", "")


@pytest.mark.parametrize(
    ("topic", "name"), [("constants", "inv_change"), ("temperature", "inv_temperature")]
)
def test_hostile_topics(topic: str, name: str) -> None:
    """The same inside a topic."""
    app = opened("invariances", inv_topic=topic, **{name: ""})
    assert [error.value for error in [*app.exception, *app.error]] == []


def test_a_longer_sequence_is_offered_where_there_can_be_one() -> None:
    """The button under a padding mask without [pad] lengthens the sequence; none is at 64
    tokens or beside an own X.
    """
    app = opened("mask", mask="padding", text="tea " * 62)
    next(button for button in app.button if button.label == "Sequence length 64").click().run()
    assert here(app).trace.sizes["S"] == 64
    own = OwnMatrices(x=np.ones((3, 16))).address()
    for full in (
        opened("mask", mask="padding", text="tea " * 64),
        opened("mask", mask="padding", own=own),
    ):
        assert full.info[0].value == "This sequence holds no [pad], so the mask hides nothing."
        assert not [button for button in full.button if button.label.startswith("Sequence length")]


def pin(
    app: AppTest, patching: pytest.MonkeyPatch, name: str, on_pin: Any, array: str, *index: int
) -> None:
    """Pin a cell of a board, as the browser does, and run the page again."""
    scene = next(scene for scene in scenes(app) if array in scene["arrays"])
    axes = {key: [(letter, None) for letter in one["axes"]] for key, one in scene["arrays"].items()}
    state = {
        key: app.session_state[key]
        for key in ("painted", "mw_masks", "visit")
        if key in app.session_state
    }
    with patching.context() as patch:
        patch.setattr(
            board.st,
            "session_state",
            state | {name: {"pin": {"array": array, "index": list(index)}}},
        )
        board._pinned(name, axes, on_pin)
        state = {**board.st.session_state}
    del state[name]
    for key, value in state.items():
        app.session_state[key] = value
    app.run()


def test_painting_hides_a_cell_and_shows_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A click on the painted mask hides the cell in all sequences, also in the address; another
    click undoes it.
    """
    app = opened("mask-workshop")
    touched = partial(mask_experiments._touched, 12)
    pin(app, monkeypatch, "paint", touched, "painted", 5, 2)
    assert app.session_state["mw_masks"] == ["causal", "padding", "painted"]
    painted = mask_from_text("".join(app.query_params["painted"]))
    assert np.argwhere(~painted).tolist() == [[5, 2]]
    for n in range(3):
        assert np.isneginf(numbers(scenes(app)[0]["arrays"][f"scores {n}"])[5, 2])
    assert "hidden** from the :blue[query “the”] by: **painted**" in texts(app)
    pin(app, monkeypatch, "paint", touched, "painted", 5, 2)
    assert "painted" not in app.query_params
    assert not np.isneginf(numbers(scenes(app)[0]["arrays"]["scores 0"])[5, 2])


def test_a_painting_comes_by_its_address_and_stays() -> None:
    """The link shows the painting; going away and coming back keeps it."""
    hidden = np.ones((12, 12), dtype=bool)
    hidden[7, :3] = False
    app = opened("mask-workshop", painted=mask_to_text(hidden), mw_masks="painted")
    assert np.isneginf(numbers(scenes(app)[0]["arrays"]["scores 1"])).sum() == 3
    gone_to(gone_to(app, "scores"), "mask-workshop")
    assert app.session_state["painted"] == mask_to_text(hidden)


def test_the_buttons_for_painting() -> None:
    """A row can be hidden, all masks taken over, and everything shown again."""
    app = opened("mask-workshop", query=3)
    click = {button.label: button for button in app.button}
    click["Hide the whole row of the query"].click().run()
    assert np.argwhere(~mask_from_text(app.session_state["painted"]))[:, 0].tolist() == [3] * 12
    {button.label: button for button in app.button}["Start from all masks together"].click().run()
    assert (~mask_from_text(app.session_state["painted"])).sum() == 66 + 12 - 8
    {button.label: button for button in app.button}["Hide nothing"].click().run()
    assert app.session_state["painted"] == ""


def test_a_click_in_the_batch_chooses_sequence_query_and_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The board's cell becomes the chosen one, and the masks that hide it are named."""
    app = opened("mask-workshop")
    pin(app, monkeypatch, "batch", mask_experiments.follow, "shares 1", 3, 8)
    assert scenes(app)[0]["cell"] == {"array": "scores 1", "index": [3, 8]}
    assert "by: **causal, padding**" in texts(app)


def test_a_click_on_a_use_chooses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use, query and key of a clicked cell are the chosen ones, also beyond the sidebar's
    sentence.
    """
    app = opened("encoder-decoder")
    pin(app, monkeypatch, "uses", uses_cards.follow, "scores encoder", 13, 12)
    assert app.session_state["ed_use"] == "encoder"
    assert scenes(app)[0]["cell"] == {"array": "scores encoder", "index": [13, 12]}
    assert scenes(app)[1]["cell"] == {"array": "probabilities", "index": [0, 0, 13, 12]}
    shapes = [
        trace.scores.shape for trace in three_uses(Scenario(), "Das Tier war zu müde", 2).values()
    ]
    assert shapes == [(1, 4, 14, 14), (1, 4, 7, 7), (1, 4, 7, 14)]


def test_shuffling_is_told_as_it_is() -> None:
    """Words alone: only shuffled. With positions or a causal mask: the order shows."""
    assert "only shuffles the output" in texts(opened("invariances"))
    for reads in ("with positions", "causal mask"):
        assert "the order shows in the output" in texts(opened("invariances", inv_reads=reads))


def test_a_change_is_told_with_its_measure() -> None:
    """What theory says and the largest difference of the output, as measured on this layer."""
    app = opened("invariances", inv_topic="constants", inv_seed=3)
    for change in CHANGES:
        app.selectbox(key="inv_change").set_value(change.key).run()
        assert f"In theory the output **{'stays' if change.same else 'may change'}**" in texts(app)
        assert number(gaps(here(app).trace, change.apply(here(app).trace, 3)).output) in texts(app)


def test_every_fault_is_caught_by_a_shown_check() -> None:
    """Under a mask at least one check that is shown gives each fault away; without a fault all
    pass.
    """
    app = opened("break-it", mask="causal")
    for key in (NO_FAULT, *(fault.key for fault in FAULTS)):
        app.selectbox(key="bi_fault").set_value(key).run()
        layer = examined(Scenario(mask="causal"), key)
        failed = [check for check in CHECKS if not layer.verdicts[check.key].passed]
        assert bool(failed) == (key != NO_FAULT)
        assert f"**What gives it away**: {len(failed)} of 8 checks" in texts(app)
        assert all(f":red[:material/close:] **{check.name}**" in texts(app) for check in failed)


def test_a_fault_that_changes_nothing_says_what_it_needs() -> None:
    """Without a mask the mask fault cannot be seen; a button chooses one."""
    app = opened("break-it", bi_fault="mask")
    assert "It needs a mask" in app.info[0].value
    next(button for button in app.button if button.label == "Choose a causal mask").click().run()
    assert not app.info
    assert here(app).scenario.mask == "causal"
    assert (
        "It needs scores divided by √d_k"
        in opened("break-it", bi_fault="scale", scaling="off").info[0].value
    )


def test_spot_the_bug() -> None:
    """The mistake is named when it is guessed or asked for, not before; the next round hides
    another.
    """
    hidden = hidden_fault(1)
    wrong = next(fault for fault in FAULTS if fault is not hidden)
    app = opened("break-it", bi_spot="true")
    assert all(
        told not in texts(app) for told in (hidden.name, "The first field with wrong numbers")
    )
    assert not app.code
    app.selectbox(key="bi_guess").set_value(wrong.key).run()
    assert wrong.name in app.warning[0].value
    app.selectbox(key="bi_guess").set_value(hidden.key).run()
    assert hidden.name in app.success[0].value
    next(button for button in app.button if button.label == "Next round").click().run()
    assert (app.session_state["bi_round"], app.session_state["bi_guess"]) == (2, "?")
    assert not app.success
    app.toggle(key="bi_answer").set_value(True).run()
    assert hidden_fault(2).name in app.info[0].value


def test_a_mask_knows_the_order_of_trained_words() -> None:
    """With trained weights, too, a causal mask breaks what shuffled tokens keep, and no mistake
    passes for rounding.
    """
    for reads, said in (("words alone", "(rounding)"), ("causal mask", "the order shows")):
        app = opened("invariances", weights="trained", layer=3, inv_reads=reads)
        assert said in texts(app)
        assert "from the rows that were only moved: " in texts(app)


@pytest.mark.parametrize(("n_tokens", "said"), [(0, False), (4, True)])
def test_whose_padding_the_slider_moves(n_tokens: int, said: bool) -> None:
    """Where the sidebar sets the sequence length, the source keeps it, and the page says so."""
    app = opened("encoder-decoder", n_tokens=n_tokens, ed_pad=4)
    assert ("says how long the source is" in texts(app)) == said


def test_a_single_token_cannot_be_shuffled() -> None:
    """What moves from place 0 to place 0 shows nothing, and the page says so."""
    pages = [opened("invariances", n_tokens=n) for n in (1, 2)]
    assert ["nothing to shuffle" in " ".join(box.value for box in app.info) for app in pages] == [
        True,
        False,
    ]
    assert ["moves from place" in texts(app) for app in pages] == [False, True]
