"""The language model in plain loops over tokens, heads and keys: a second program, which shares
nothing with the first but the weights.

A vector is an array of D numbers; there are no batches, no cache and no matrices of scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_lab.trained.decoder import Decoder

Head = tuple[int, int]
Vector = Any


class PlainRun:
    """A text, with some heads that add a given vector in the place of their own.

    parts: by name, what each part adds to the last token; the sum is the last stream.
    """

    def __init__(
        self, model: Decoder, ids: Sequence[int], off: Mapping[Head, Vector] | None = None
    ):
        self.model, self.off = model, off or {}
        streams = [model.embedding[one].copy() for one in ids]
        self.parts: dict[Any, Vector] = {"embedding": streams[-1].copy()}
        self.by_source: dict[Head, list[Vector]] = {}
        self.added: dict[Head, list[Vector]] = {}
        for layer, weights in enumerate(model.layers):
            normed = [self.norm(x, weights.attention_norm.gain) for x in streams]
            for head in range(weights.attention.n_heads):
                pieces = [self.read(layer, head, normed, t) for t in range(len(ids))]
                filling = self.off.get((layer, head))
                added = [sum(one) if filling is None else filling for one in pieces]
                self.by_source[layer, head] = pieces[-1]
                self.added[layer, head] = added
                self.parts["head", layer, head] = added[-1]
                streams = [x + y for x, y in zip(streams, added, strict=True)]
            answers = [self.feed_forward(layer, x) for x in streams]
            self.parts["feed-forward", layer] = answers[-1]
            streams = [x + y for x, y in zip(streams, answers, strict=True)]
        self.last = streams[-1]
        self.divisor = math.sqrt(
            sum(x * x for x in self.last) / len(self.last) + model.last_norm.epsilon
        )
        scaled = model.last_norm.gain * self.last / self.divisor
        self.logits = [float(scaled @ row) for row in model.embedding]

    def norm(self, x: Vector, gain: Vector) -> Vector:
        return (
            gain
            * x
            / math.sqrt(sum(one * one for one in x) / len(x) + self.model.last_norm.epsilon)
        )

    def turn(self, x: Vector, place: int) -> Vector:
        turned = x.copy()
        for n in range(0, len(x), 2):
            angle = place * self.model.rotary.base ** (-n / len(x))
            cos, sin = math.cos(angle), math.sin(angle)
            turned[n] = x[n] * cos - x[n + 1] * sin
            turned[n + 1] = x[n] * sin + x[n + 1] * cos
        return turned

    def read(self, layer: int, head: int, normed: list[Vector], t: int) -> list[Vector]:
        """What a head adds to token t, one vector for each token that it reads."""
        p = self.model.layers[layer].attention
        width, group = p.d_k, head * (p.n_kv_heads or p.n_heads) // p.n_heads
        own = slice(head * width, (head + 1) * width)
        shared = slice(group * width, (group + 1) * width)
        query = self.turn(normed[t] @ p.w_q[:, own], t)
        keys = [self.turn(normed[s] @ p.w_k[:, shared], s) for s in range(t + 1)]
        weights = [math.exp(float(query @ key) / math.sqrt(width)) for key in keys]
        values = [normed[s] @ p.w_v[:, shared] @ p.w_o[own] for s in range(t + 1)]
        return [w / sum(weights) * v for w, v in zip(weights, values, strict=True)]

    def feed_forward(self, layer: int, x: Vector) -> Vector:
        weights = self.model.layers[layer]
        z = self.norm(x, weights.feed_forward_norm.gain)
        opened = z @ weights.feed_forward.w_in
        gates = np.array([one / (1 + math.exp(-one)) for one in opened])
        return (gates * (z @ weights.feed_forward.w_up)) @ weights.feed_forward.w_out

    def shares(self) -> list[float]:
        weights = [math.exp(one - max(self.logits)) for one in self.logits]
        return [one / sum(weights) for one in weights]

    def direction(self, token: int, against: object) -> Vector:
        row = self.model.embedding[token]
        if against == "average":
            row = row - sum(self.model.embedding) / len(self.model.embedding)
        elif isinstance(against, int):
            row = row - self.model.embedding[against]
        return self.model.last_norm.gain * row


def drawn(shares: list[float], temperature: float, top_p: float) -> list[float]:
    """Shares with a temperature above 0, then cut by top-p."""
    powers = [share ** (1 / temperature) for share in shares]
    left, reached = dict.fromkeys(range(len(powers)), 0.0), 0.0
    for one in sorted(left, key=lambda place: -powers[place]):
        if reached < top_p:
            left[one] = powers[one]
            reached += powers[one] / sum(powers)
    return [one / sum(left.values()) for one in left.values()]


def word_probability(
    model: Decoder,
    pieces: Sequence[str],
    ids: list[int],
    word: str,
    off: Mapping[Head, Vector],
    settings: tuple[float, float] = (1.0, 1.0),
) -> float:
    """The probability that a text goes on with a word, spelled in any way, and that it ends there:
    every spelling is a run of its own.
    """
    shares = drawn(PlainRun(model, ids, off).shares(), *settings)
    if not word:
        return sum(
            share for share, piece in zip(shares, pieces, strict=True) if not piece.isalpha()
        )
    total = 0.0
    for one, piece in enumerate(pieces):
        if piece and word.startswith(piece) and shares[one] > 0:
            rest = word[len(piece) :]
            after = word_probability(model, pieces, [*ids, one], rest, off, settings)
            total += shares[one] * after
    return total
