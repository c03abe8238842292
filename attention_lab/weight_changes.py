"""Notes on a change of sizes or masks: what it does to the weights and to the sequence."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from attention_core import AttentionError
from attention_core.projections import MATRICES

from .by_hand import D_MODEL, HEAD_WIDTH, N_HEADS
from .choices import SEEDED_WEIGHTS, resolve
from .scenario import Scenario, projections_of

SIZE_LABELS = {"d_model": "Embedding size", "n_heads": "Heads"}


def change_notes(before: Scenario | None, now: Scenario) -> tuple[str, ...]:
    """A note if weights by hand do not fit, if one size has changed, or if a padding mask has made
    the sequence longer.

    before: the scenario of the previous run, if there was one.
    """
    with suppress(AttentionError):
        if resolve(now).weights != now.weights:
            return (
                f"The weights by hand are made for {D_MODEL} features and {N_HEADS} heads, each"
                f" {HEAD_WIDTH} wide; at other sizes the weights are random.",
            )
        for name, label in SIZE_LABELS.items():
            size = getattr(now, name)
            if before and before != now == replace(before, **{name: size}):
                return _of_weights(
                    before, now, f"{label}: {size} instead of {getattr(before, name)}."
                )
        padded = before and replace(before, mask="padding", n_tokens=now.n_tokens)
        if before and now == padded and before.mask != "padding" and before.n_tokens < now.n_tokens:
            return (f"Sequence length: {now.n_tokens}, so that the mask has [pad] to hide.",)
    return ()


def _of_weights(before: Scenario, now: Scenario, change: str) -> tuple[str, ...]:
    old, new = (projections_of(scenario) for scenario in (before, now))
    same = all(np.array_equal(getattr(old, name), getattr(new, name)) for name in MATRICES)
    if same and (old.n_heads, old.d_k) != (new.n_heads, new.d_k):
        return (
            f"{change} The weights are the same, split into {new.n_heads} instead of {old.n_heads}"
            " heads.",
        )
    has_seed = resolve(before).weights == now.weights and now.weights in SEEDED_WEIGHTS
    if same or not has_seed:
        return ()
    note = f"{change} The weights are drawn anew."
    if before.d_model != now.d_model:
        note += " Word vectors keep their first numbers."
    return (note,)
