"""The mask workshop: several sentences in one batch, under any combination of masks."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from ..cache import cached
from ..heads.reruns import rerun
from ..mask_kinds import MASKS
from ..scenario import Scenario, trace_of
from .encoder_decoder import Sentence, other_sentence, own_sentence
from .hiding import combine_masks

WORKSHOP_MASKS = tuple(name for name, kind in MASKS.items() if kind.allows)


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
def masked_batch(
    scenario: Scenario, others: tuple[str, ...] = (), names: tuple[str, ...] = ()
) -> MaskedBatch:
    """The layer of a scenario on its own sentence and on others, all cut or padded to the length of
    its sequence.

    names: of the masks, which replace that of the scenario; it has the choices that they ask for.
    Raises: AttentionError.
    """
    own = trace_of(scenario)
    n_tokens = own.inputs.shape[1]
    further = (other_sentence(scenario, text, n_tokens) for text in others)
    sentences = (own_sentence(scenario), *further)
    n_real = [one.n_real for one in sentences]
    masks = {
        name: allows(scenario, n_tokens, n_real)
        for name, kind in MASKS.items()
        if name in names and (allows := kind.allows)
    }
    mask = combine_masks(masks)
    inputs_BTD = np.stack([one.vectors for one in sentences])
    trace = rerun(own, x=inputs_BTD, mask=mask)
    shape, allowed = (len(sentences), 1, n_tokens, n_tokens), np.True_ if mask is None else mask
    return MaskedBatch(sentences, masks, np.broadcast_to(allowed, shape)[:, 0], trace)


def hide_row(painted_TT: Array, query: int) -> Array:
    """The painted mask with every key hidden from one query. Shapes: (T, T) bool."""
    emptied_TT = painted_TT.copy()
    emptied_TT[query] = False
    return emptied_TT
