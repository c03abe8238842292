"""The mask workshop: several sentences in one batch, under any combination of masks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.trace import Trace

from ..cache import cached
from ..scenario import Scenario, trace_of
from ..user_data.painted_masks import painted_mask
from .encoder_decoder import Sentence, other_sentence, own_sentence
from .hiding import build_masks, combine_masks

WORKSHOP_MASKS = ("causal", "padding", "window", "painted")


@dataclass(frozen=True)
class WorkshopChoices:
    """The choices: sentences besides that of the scenario, masks by name, the window in tokens to
    each side, a painted mask as text.
    """

    others: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    window: int = 2
    painted: str = ""


@dataclass(frozen=True, eq=False)
class MaskedBatch:
    """Sentences of one length, their masks by name, what they allow together, and the layer run on
    the batch. Shapes: allowed (B, T, T).
    """

    sentences: tuple[Sentence, ...]
    masks: Mapping[str, Array]
    allowed: Array
    trace: Trace


@cached
def masked_batch(scenario: Scenario, workshop: WorkshopChoices) -> MaskedBatch:
    """The layer of a scenario on its own sentence and on others, all cut or padded to the length of
    its sequence.

    The masks of the workshop replace that of the scenario. Raises: AttentionError.
    """
    own = trace_of(scenario)
    n_tokens = own.inputs.shape[1]
    others = (other_sentence(scenario, text, n_tokens) for text in workshop.others)
    sentences = (own_sentence(scenario), *others)
    lengths, chosen = [one.n_real for one in sentences], set(workshop.masks)
    masks = build_masks(
        n_tokens,
        n_tokens,
        causal="causal" in chosen,
        window=workshop.window if "window" in chosen else None,
        lengths=lengths if "padding" in chosen else None,
        painted=painted_mask(workshop.painted, n_tokens) if "painted" in chosen else None,
    )
    mask = combine_masks(masks)
    inputs_BTD = np.stack([one.vectors for one in sentences])
    trace = attend(inputs_BTD, own.projections, mask=mask, scale=own.scale, residual=own.residual)
    shape, allowed = (len(sentences), 1, n_tokens, n_tokens), np.True_ if mask is None else mask
    return MaskedBatch(sentences, masks, np.broadcast_to(allowed, shape)[:, 0], trace)


def hide_row(painted_TT: Array, query: int) -> Array:
    """The painted mask with every key hidden from one query. Shapes: (T, T) bool."""
    emptied_TT = painted_TT.copy()
    emptied_TT[query] = False
    return emptied_TT
