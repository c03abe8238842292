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
from .next_words import After, said_at


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
    kept = run.kept
    found = []
    for layer in range(len(run.traces)):
        decoder, kept_of = cut_decoder(run.decoder, layer), [one[: layer + 1] for one in kept]
        logits_WX = logits_at(run, layer, places)
        branches = Branches(decoder, kept_of, [place + 1 for place in places])
        after = [
            After(decoder, run.vocabulary, run.ids[: place + 1], logits_X, kept_of)
            for place, logits_X in zip(places, logits_WX, strict=True)
        ]
        pieces = _likeliest(run, logits_WX)
        words = said_at(after, branches)
        found.append(
            [
                Said(text, share, path[0]) if share else piece._replace(goes_on=True)
                for (text, share, path), piece in zip(words, pieces, strict=True)
            ]
        )
    return found


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
