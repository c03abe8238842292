"""What a language model would say at each place of a text if it stopped after a layer: the logit
lens, by words or by pieces.

G key/value head, K feature of a head, L layer, S token, W place, X piece of the vocabulary.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from attention_core.checks import Array

from ..words.pieces import readable
from .branches import Branches
from .decoder import Decoder
from .generation import next_probabilities
from .model_run import LanguageModelRun
from .next_words import After, side_by_side

MOST_AT_ONCE = 2**19  # layers times places times pieces, that are searched together


class Said(NamedTuple):
    """What would come next, and its share. piece: the first one of it. goes_on: whether it is only
    the beginning of words, none of which is as probable.
    """

    text: str
    share: float
    piece: int
    goes_on: bool = False


def cut_decoder(decoder: Decoder, layer: int) -> Decoder:
    """The model that stops after a layer: its last norm and its output matrix follow there."""
    return replace(decoder, layers=decoder.layers[: layer + 1])


def lens_pieces(run: LanguageModelRun, places: Sequence[int]) -> list[list[Said]]:
    """The most probable piece after each layer at some places; the layers in their order."""
    return [_likeliest(run, logits_at(run, layer, places)) for layer in range(len(run.traces))]


def logits_at(run: LanguageModelRun, layer: int, places: Sequence[int]) -> Array:
    """The logits at some places if no layer followed. Shapes: (W, X)."""
    return run.decoder.logits(run.streams[layer + 1, list(places)])


def _likeliest(run: LanguageModelRun, logits_WX: Array) -> list[Said]:
    shares_WX = np.array([next_probabilities(one) for one in logits_WX])
    best_W = shares_WX.argmax(axis=1)
    return [
        Said(readable(run.vocabulary[one]), float(shares_X[one]), int(one))
        for one, shares_X in zip(best_W, shares_WX, strict=True)
    ]


def lens_words(run: LanguageModelRun, places: Sequence[int]) -> list[list[Said]]:
    """The most probable word or mark after each layer at some places, with all its spellings, as
    `next_words` counts them in the model that stops there. Where the beginning of words is more
    probable than every word, it stands for them.
    """
    at_once = max(1, MOST_AT_ONCE // (len(run.vocabulary) * len(places)))
    layers, words = range(len(run.traces)), list[list[Said]]()
    for first in layers[::at_once]:
        words += _said_after(run, places, layers[first : first + at_once])
    return words


def _said_after(
    run: LanguageModelRun, places: Sequence[int], layers: Sequence[int]
) -> list[list[Said]]:
    """The words of some layers, searched for together."""
    after, branches = _stopped(run, places, layers)
    words = iter(side_by_side(after, branches, After.most_probable))
    said = []
    for layer in layers:
        pieces = _likeliest(run, logits_at(run, layer, places))
        said.append(
            [
                Said(text, share, path[0]) if share else piece._replace(goes_on=True)
                for piece, (text, share, path) in zip(pieces, words, strict=False)
            ]
        )
    return said


def lens_shares(
    run: LanguageModelRun, words: Sequence[str], layers: Sequence[int]
) -> list[dict[str, float]]:
    """The probability of each of some words to come next after some layers, as `word_shares` counts
    them in the model that stops there.
    """
    after, branches = _stopped(run, [len(run.ids) - 1], layers)
    return side_by_side(after, branches, lambda one, search: one.word_shares(search, words))


def _stopped(
    run: LanguageModelRun, places: Sequence[int], layers: Sequence[int]
) -> tuple[list[After], Branches]:
    """What may follow each place in the models that stop after some layers, layer by layer."""
    kept, after = run.kept, list[After]()
    for layer in layers:
        decoder, kept_of = cut_decoder(run.decoder, layer), [one[: layer + 1] for one in kept]
        after += [
            After(decoder, run.vocabulary, run.ids[: place + 1], logits_X, kept_of)
            for place, logits_X in zip(places, logits_at(run, layer, places), strict=True)
        ]
    depths = [len(one.decoder.layers) for one in after]
    return after, Branches(run.decoder, kept, [len(one.ids) for one in after], depths)


def cut_run(run: LanguageModelRun, layer: int) -> LanguageModelRun:
    """The run of the model that stops after a layer."""
    n = layer + 1
    return replace(
        run,
        decoder=cut_decoder(run.decoder, layer),
        traces=run.traces[:n],
        streams=run.streams[: n + 1],
        feed_forwards=run.feed_forwards[:n],
    )
