"""Every cell of a layer in plain Python, by the right rule or by one wrong one."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence

from attention_core import Trace

Index = tuple[int, ...]
SMALL = 1e-9


class Worker:
    """Works out a cell from the right numbers of the step before, by one wrong belief, or by none
    for "".

    words: the vectors of the words alone, where the inputs have them.
    """

    def __init__(self, trace: Trace, belief: str = "", words: Sequence[Sequence[float]] = ()):
        self.trace, self.belief, self.words = trace, belief, words
        self.is_own = trace.memory is trace.inputs  # the tokens that ask are those that are asked

    def believes(self, *names: str) -> bool:
        return self.belief in names

    @property
    def n_keys(self) -> int:
        return self.trace.sizes["S"]

    def is_hidden(self, index: Index) -> bool:
        """Whether a query may not see a key."""
        (head, query, key), hidden = index, self.trace.hidden[0]
        if self.is_own and self.believes("mask-past"):
            return bool(hidden[head, key, query])
        if self.is_own and self.believes("mask-self") and hidden.any():
            return bool(hidden[index]) or query == key
        if self.is_own and self.believes("always-causal"):
            return bool(hidden[index]) or key > query
        return bool(hidden[index])

    def cell(self, field: str, index: Index) -> float:
        """One cell of a field, from the right numbers of the step before."""
        if field in ("queries", "keys", "values"):
            return self._projected(field, index)
        if field in ("query_heads", "key_heads", "value_heads"):
            return self._split(field, index)
        if field.startswith(("normed", "turned")):
            return self._normed(field, index) if field[0] == "n" else self._turned(field, index)
        work: Callable[[Index], float] = getattr(self, f"_{field}")
        return work(index)

    def _inputs(self, index: Index) -> float:
        if self.believes("word-alone") and len(self.words):
            return float(self.words[index[0]][index[1]])
        return float(self.trace.inputs[0][index])

    def _projected(self, field: str, index: Index) -> float:
        p, (token, column), is_query = self.trace.projections, index, field == "queries"
        x = self.trace.inputs[0] if is_query else self.trace.memory[0]
        n_heads = self.trace.sizes["H" if is_query else "G"]
        weights, bias = getattr(p, f"w_{field[0]}"), getattr(p, f"b_{field[0]}")
        total = 0.0 if bias is None else float(bias[column])
        n_features, n_columns = weights.shape
        for feature in range(n_features):
            owner = feature * n_heads // n_features
            if self.believes("slice") and owner != column * n_heads // n_columns:
                continue
            total += float(x[token, feature]) * float(weights[feature, column])
        return total

    def _split(self, field: str, index: Index) -> float:
        fused = {"q": self.trace.queries, "k": self.trace.keys, "v": self.trace.values}[field[0]][0]
        n_heads = self.trace.sizes["H" if field == "query_heads" else "G"]
        head, token, feature = index
        n_tokens, n_columns = fused.shape
        width = n_columns // n_heads
        if self.believes("no-swap"):
            place = (head * n_tokens + token) * width + feature
            return float(fused[place // n_columns, place % n_columns])
        if self.believes("interleaved"):
            return float(fused[token, feature * n_heads + head])
        return float(fused[token, head * width + feature])

    def _normed(self, field: str, index: Index) -> float:
        (source,), norm = self.trace.needs(field), self.trace.head_norm
        gain = self.trace.query_gain if field == "normed_queries" else self.trace.key_gain
        assert norm is not None
        head, token, feature = index
        vector = [float(number) for number in getattr(self.trace, source)[0, head, token]]
        root = math.sqrt(dot(vector, vector) / len(vector) + norm.epsilon)
        if self.believes("length-not-rms"):
            root *= math.sqrt(len(vector))
        return vector[feature] / root * float(gain[feature])

    def _turned(self, field: str, index: Index) -> float:
        (source,), rotary = self.trace.needs(field), self.trace.rotary
        assert rotary is not None
        (head, token, feature), width = index, self.trace.sizes["K"]
        vector = getattr(self.trace, source)[0, head, token]
        half = width // 2
        is_near = rotary.pairs == "neighbours"
        pair = feature // 2 if is_near else feature % half
        one, two = (2 * pair, 2 * pair + 1) if is_near else (pair, pair + half)
        slower = 1.0 if self.believes("one-angle") else rotary.base ** (2 * pair / width)
        angle = (rotary.start + token) / slower
        turned = complex(vector[one], vector[two]) * cmath.exp(1j * angle)
        return turned.real if feature == one else turned.imag

    def _scores(self, index: Index) -> float:
        head, query, key = index
        t, size = self.trace, self.trace.sizes
        is_plain = t.rotary is None and t.head_norm is None
        if self.believes("whole-width") and size["G"] == size["H"] and is_plain:
            return dot(t.queries[0, query], t.keys[0, key])
        group = head * size["G"] // size["H"]
        queries, keys = (getattr(t, name) for name in t.needs("scores"))
        score = dot(queries[0, head, query], keys[0, group, key])
        if self.believes("symmetric") and self.is_own:
            return max(score, dot(queries[0, head, key], keys[0, group, query]))
        return abs(score) if self.believes("never-negative") else score

    def _scaled_scores(self, index: Index) -> float:
        score, size = float(self.trace.scores[0][index]), self.trace.sizes
        divisors = {"no-scale": 1, "no-root": size["K"], "root-of-model": math.sqrt(size["D"])}
        if self.belief in divisors:
            return score / divisors[self.belief]
        return score * self.trace.scale

    def _masked_scores(self, index: Index) -> float:
        bias = 0.0 if self.trace.bias is None else float(self.bias(index))
        unmasked = float(self.trace.scaled_scores[0][index]) + bias
        if self.is_hidden(index):
            return 0.0 if self.believes("mask-zero") else -math.inf
        return unmasked

    def bias(self, index: Index) -> float:
        bias = self.trace.bias
        assert bias is not None
        wide = bias.reshape((1,) * (4 - bias.ndim) + bias.shape)
        at = zip((0, *index), wide.shape, strict=True)
        return float(wide[tuple(place if size > 1 else 0 for place, size in at)])

    def _probabilities(self, index: Index) -> float:
        head, query, key = index
        scores = self.trace.masked_scores[0, head]
        if self.believes("wrong-axis"):
            return share([float(score) for score in scores[:, key]], query)
        row = [float(score) for score in scores[query]]
        if self.believes("mask-zero"):
            row = [0.0 if math.isinf(score) else score for score in row]
        if self.believes("linear"):
            total = sum(score for score in row if not math.isinf(score))
            return 0.0 if math.isinf(row[key]) or abs(total) < SMALL else row[key] / total
        row += [] if self.trace.sink is None else [float(self.trace.sink[head])]
        return share(row, key)

    def _head_outputs(self, index: Index) -> float:
        head, query, feature = index
        size = self.trace.sizes
        values = self.trace.value_heads[0, head * size["G"] // size["H"], :, feature]
        shares = [float(number) for number in self.trace.probabilities[0, head, query]]
        seen = [not hidden for hidden in self.trace.hidden[0, head, query]]
        if self.believes("winner"):
            best = shares.index(max(shares))
            shares = [float(k == best and max(shares) > 0) for k in range(len(shares))]
        elif self.believes("plain-mean"):
            shares = [one / max(1, sum(seen)) for one in seen]
        return dot(shares, values)

    def _merged(self, index: Index) -> float:
        (query, column), heads = index, self.trace.head_outputs[0]
        n_heads, n_tokens, width = heads.shape
        if self.believes("no-swap"):
            row, feature = divmod(query * n_heads * width + column, width)
            return float(heads[row // n_tokens, row % n_tokens, feature])
        if self.believes("interleaved"):
            return float(heads[column % n_heads, query, column // n_heads])
        if self.believes("heads-mean"):
            return float(sum(head[query, column % width] for head in heads)) / n_heads
        return float(heads[column // width, query, column % width])

    def _output(self, index: Index) -> float:
        (query, column), t = index, self.trace
        p, own = t.projections, t.inputs[0][index] if t.residual else 0.0
        assert p.w_o is not None
        n_columns, n_outputs = p.w_o.shape
        if self.believes("no-output-matrix") and n_columns == n_outputs:
            return float(t.merged[0][index] + own)
        total = float(own) + (0.0 if p.b_o is None else float(p.b_o[column]))
        for place in range(n_columns):
            owner = place * p.n_heads // n_columns
            if self.believes("heads-apart") and owner != column * p.n_heads // n_outputs:
                continue
            total += float(t.merged[0, query, place]) * float(p.w_o[place, column])
        return total


def dot(first: Sequence[float], other: Sequence[float]) -> float:
    """The sum of the products, pair by pair."""
    return float(sum(a * b for a, b in zip(first, other, strict=True)))


def share(scores: Sequence[float], place: int) -> float:
    """The softmax of one place; 0 where nothing is seen."""
    largest = max(scores)
    if math.isinf(largest):
        return 0.0
    powers = [math.exp(score - largest) for score in scores]
    return powers[place] / sum(powers)
