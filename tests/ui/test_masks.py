"""The pages about masks and kinds of attention: what they promise, in every choice that they
offer.
"""

from __future__ import annotations

from typing import Any

import pytest

from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.masks.mistakes import MISTAKES
from attention_ui.masks.invariances import INVARIANCE_TOPICS
from attention_ui.masks.workshop import EXPERIMENTS
from attention_viz.masks.invariances import COMPUTED_FIELDS
from tests.ui.app import opened, scenes, texts

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
def test_hostile_urls(page: str) -> None:
    app = opened(page, **HOSTILE[page])
    assert [error.value for error in [*app.exception, *app.error]] == []
    assert scenes(app)
    assert "<script>" not in texts(app).replace(r"\<", "")


@pytest.mark.parametrize(
    ("topic", "name"), [("constants", "inv_change"), ("temperature", "inv_temperature")]
)
def test_hostile_topics(topic: str, name: str) -> None:
    app = opened("invariances", inv_topic=topic, **{name: ""})
    assert [error.value for error in [*app.exception, *app.error]] == []
