"""The pages about masks and kinds of attention: what they promise, in every choice that they
offer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.masks.mistakes import MISTAKES
from attention_lab.user_data.user_matrices import UserMatrices
from attention_ui.masks.invariances import INVARIANCE_TOPICS
from attention_ui.masks.mask_experiments import EXPERIMENTS
from attention_viz.masks.break_it import COMPUTED_FIELDS
from tests.ui.app import opened, page_context, scenes, texts

CHOICES: dict[str, list[dict[str, Any]]] = {
    "mask-workshop": [
        *({"mw_sequence": "1", "mw_try": name} for name in EXPERIMENTS),
        {"mw_masks": []},
        {"mw_try": "how to hide"},
        {"mw_third": " ", "mw_second": "", "mw_sequence": "2"},
    ],
    "encoder-decoder": [{"ed_use": use} for use in ("encoder", "decoder", "cross")],
    "invariances": [
        *({"inv_topic": topic} for topic in INVARIANCE_TOPICS),
        {"inv_topic": "shuffle", "inv_reads": "with positions", "inv_shown": "probabilities"},
        *({"inv_topic": "constants", "inv_change": change.key} for change in LAYER_CHANGES),
    ],
    "break-it": [
        *({"bi_fault": mistake.key} for mistake in MISTAKES),
        *({"bi_field": field} for field in COMPUTED_FIELDS),
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
    """No exception and no error box, whatever experiment, topic, use, mistake or field is chosen
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
    assert page_context(app).trace.sizes["S"] == 64
    own = UserMatrices(x=np.ones((3, 16))).url_value()
    for full in (
        opened("mask", mask="padding", text="tea " * 64),
        opened("mask", mask="padding", own=own),
    ):
        assert len(full.info) == 1
        assert not page_context(full).trace.hidden_keys.any()
        assert not [button for button in full.button if button.label.startswith("Sequence length")]


def test_a_mask_that_hides_nothing_is_described_like_none() -> None:
    """A padding mask without [pad] to hide is not said to hide; a causal mask is."""
    none, padding, causal = (
        scenes(opened("mask", mask=mask))[0]["description"]
        for mask in ("none", "padding", "causal")
    )
    assert none == padding != causal
