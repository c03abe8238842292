"""The language model without some parts: its runs, its words, what it writes, and each head off in
turn.

D model feature, H head, L layer, X piece of the vocabulary.
"""

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array

from ..heads.weight_blocks import head_contributions
from .allowed_models import STORIES, cached_run, writing_model
from .decoder import Decoder, OffPart, without_each_head
from .language_model import MEAN, ZERO
from .language_text import run_of_ids
from .model_run import LanguageModelRun, fillings
from .next_words import NextWords, letters_begun

N_SHOWN = 8  # words
N_WRITTEN = 10  # words that the model goes on to write
MOST_PIECES = 60  # of these words together
FEWER_PIECES = 16  # of a model from a folder: its pieces are mostly words, and each takes long


def others(parts: Sequence[OffPart], part: OffPart) -> tuple[OffPart, ...]:
    """Parts without one of them."""
    return tuple(one for one in parts if one != part)


@cached_run
def run_without(
    ids: tuple[int, ...],
    off: tuple[OffPart, ...] = (),
    replaced_by: str = ZERO,
    model: str = STORIES,
) -> LanguageModelRun:
    """All layers on some ids, with parts switched off. Raises: SettingsError."""
    whole = run_of_ids(ids, model)
    if replaced_by == MEAN:
        return writing_model(model).run(ids, without=off, replaced_by=replaced_by)
    return whole.without(*off) if off else whole


@cached_run
def words_without(
    ids: tuple[int, ...],
    off: tuple[OffPart, ...] = (),
    replaced_by: str = ZERO,
    model: str = STORIES,
) -> NextWords:
    """The most probable words after a text, with heads switched off. Raises: SettingsError."""
    return run_without(ids, off, replaced_by if off else ZERO, model).next_words(N_SHOWN)


@cached_run
def written_without(
    ids: tuple[int, ...],
    off: tuple[OffPart, ...] = (),
    replaced_by: str = ZERO,
    model: str = STORIES,
) -> str:
    """What the model goes on to write, the most probable piece each time, for ten words; without
    the space before them, and with the letters of the text that the first one goes on with. Raises:
    SettingsError.
    """
    writer, written = writing_model(model), list[int]()
    room = min(MOST_PIECES if model == STORIES else FEWER_PIECES, writer.longest - len(ids))
    for one in writer.generate(ids, room, without=off, replaced_by=replaced_by):
        words = [writer.decode((*written, one)[place]) for place in writer.words((*written, one))]
        if sum(word.strip()[:1].isalpha() for word in words) > N_WRITTEN:
            break
        written.append(one)
    text = writer.decode(written)
    begun = letters_begun(writer.tokenizer.pieces, ids) if text[:1].isalpha() else ""
    return begun + text.strip()


@cached_run
def logits_without(
    ids: tuple[int, ...],
    off: tuple[OffPart, ...] = (),
    replaced_by: str = ZERO,
    model: str = STORIES,
) -> Array:
    """The logits after the last token, with each head switched off in turn beside those that are
    off, and all later layers computed again, as one batch that grows by the heads of each layer.
    Shapes: (L, H, X).
    """
    run = run_without(ids, off, replaced_by, model)
    decoder, changed_BTD = run.decoder, np.empty((0, *run.streams.shape[1:]))
    for layer in range(len(run.traces)):
        if layer:
            changed_BTD = changed_BTD + decoder.attend(changed_BTD, layer).output
        without_HTD = _layer_without(decoder, run, layer)
        changed_BTD = np.concatenate([changed_BTD, without_HTD])
        changed_BTD = changed_BTD + decoder.feed_forward(changed_BTD, layer)
    logits: Array = decoder.logits(changed_BTD[:, -1])
    return logits.reshape(len(run.traces), -1, logits.shape[-1])


@cached_run
def ends_without(ids: tuple[int, ...], layer: int, off: tuple[OffPart, ...], model: str) -> Array:
    """What the logits after the last token are made of, the normed vector, with each head of a
    layer switched off in turn beside those that are off. Shapes: (H, D).
    """
    run = run_without(ids, off, ZERO, model)
    return run.decoder.last_norm.of(without_each_head(run, layer, len(ids) - 1))


def _layer_without(decoder: Decoder, run: LanguageModelRun, layer: int) -> Array:
    """The vectors after the attention of a layer, without each of its heads. Shapes: (H, T, D)."""
    trace = run.traces[layer]
    heads = [(layer, number) for number in range(trace.sizes["H"])]
    filled = fillings(decoder, run.means, heads)
    added_HTD = head_contributions(trace)[0]
    lost = [
        0 * one if head in decoder.off else one - filled[head]
        for head, one in zip(heads, added_HTD, strict=True)
    ]
    without_HTD: Array = run.streams[layer] + trace.output - np.array(lost)
    return without_HTD
