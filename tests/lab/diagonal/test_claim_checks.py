"""The check of a claim depends on what it measures: in a world where the layer, the softmax or the
tokens are wrong it finds that the correct statement does not hold.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import product
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from attention_core import Trace, attend
from attention_lab.diagonal.claims import record
from attention_lab.diagonal.claims.catalogue import ALWAYS, CLAIMS, Claim
from attention_lab.trained.language_model import LanguageModel, language_model
from attention_lab.trained.model_run import LanguageModelRun

# They compute with numbers that stand in the check itself.
OF_LITERALS = {
    "popular-dot-product-is-similarity",
    "popular-twice-as-long",
    "mql5-resources-of-the-transpose",
}


def noisy(*given: Any, **options: Any) -> Trace:
    """A layer whose numbers are all wrong, in every call in another way."""
    trace = attend(*given, **options)
    rng, wrong = np.random.default_rng(crc32(trace.output.tobytes())), {}
    for name in [*trace.steps][1:]:
        right = getattr(trace, name)
        wrong[name] = np.where(np.isfinite(right), right + 20 * rng.normal(size=right.shape), right)
    return replace(trace, **wrong)


def wider(*given: Any, **options: Any) -> Trace:
    """A layer that joins its heads twice, and has every score twice."""
    trace = attend(*given, **options)
    merged = np.concatenate([trace.merged] * 2, axis=-1)
    scores = np.concatenate([trace.scores] * trace.sizes["H"] * 2)
    return replace(trace, merged=merged, scores=scores)


def refuted(_: str) -> Any:
    """A proposition that no tokens meet."""
    found = SimpleNamespace(holds=False, applies=True, excess=1.0, where=(0, 1))
    return SimpleNamespace(check=lambda *_: found)


class Stubborn(LanguageModel):
    """A language model that answers as before when a part is switched off."""

    def run(self, ids: Sequence[int], *_: Any, **__: Any) -> LanguageModelRun:
        """The run of the whole model."""
        return language_model().run(ids)


def stubborn() -> Stubborn:
    """The model that comes with the app, made stubborn."""
    model = language_model()
    return Stubborn(**{one.name: getattr(model, one.name) for one in fields(model)})


# What is wrong, by the names that the modules of the claims import.
WORLDS: tuple[dict[str, Any], ...] = (
    {"attend": noisy},
    {"attend": wider},
    {"softmax": lambda x, axis=-1: np.exp(np.clip(x, -50, 50))},
    {"softmax": lambda x, axis=-1: np.full(np.shape(x), 1 / np.shape(x)[axis])},
    {"gaussian_tokens": lambda n, width, seed=0: np.ones((n, width))},
    {"gaussian_tokens": lambda n, width, seed=0: np.full((n, width), np.nan)},
    {"score_deviations": lambda width, *divisors: [9.0 for _ in divisors]},
    {"merge_heads": lambda heads: heads.reshape(len(heads), heads.shape[2], -1)},
    {"find_proposition": refuted},
    {"language_model": stubborn},
    {"draw": lambda shares, seed, position: int(shares.argmax())},
    {"trained_score": lambda task, n_heads: 0.9},
    {"circuit_score": lambda settings, step: SimpleNamespace(right=0.9)},
    {"fits": lambda *matrices: False},
    {"are_equal": lambda one, other: False},
    {"max_difference": lambda one, other: 0.0},
    {"max_difference": lambda one, other: 1.0},
)


def holds_in(world: Mapping[str, Any], claim: Claim) -> bool:
    """Whether the correct statement still holds; true also for a claim that cannot be checked."""
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        for (name, wrong), module in product(
            world.items(), (inspect.getmodule(claim.measure), record)
        ):
            if hasattr(module, name):
                patch.setattr(module, name, wrong)
        try:
            found = claim.check()
        except (ValueError, IndexError):
            return True
    return found.corrected and (found.claimed or claim.status != ALWAYS)


@pytest.mark.parametrize("one", CLAIMS, ids=lambda c: c.id)
def test_a_check_can_fail(one: Claim) -> None:
    can_fail = any(not holds_in(world, one) for world in WORLDS)
    assert can_fail == (one.id not in OF_LITERALS)
