"""Multi-head attention in plain Python loops over lists: the slow reference that the NumPy engine
is compared with.

Nothing here imports NumPy, so no broadcasting, no axis order and no BLAS is shared with the engine.
Locals end in their axes as in the engine (B batch, H head, G key/value head, T query, S key, D
feature, K and V features of a head).
"""

from __future__ import annotations

import cmath
import math
from typing import Any

Vector = list[float]
Matrix = list[Vector]
Nested = list[Any]


def dot(left: Vector, right: Vector) -> float:
    """The sum of the products, pair by pair."""
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def column(matrix: Matrix, index: int) -> Vector:
    """One column of a matrix."""
    return [row[index] for row in matrix]


def project(rows_TD: Matrix, weight_DE: Matrix, bias_E: Vector | None) -> Matrix:
    """Each row times the weight matrix, plus the bias."""
    columns = [column(weight_DE, index) for index in range(len(weight_DE[0]))]
    bias_E = [0.0] * len(columns) if bias_E is None else bias_E
    return [[dot(row, col) + b for col, b in zip(columns, bias_E, strict=True)] for row in rows_TD]


def split(rows_TE: Matrix, n_heads: int) -> list[Matrix]:
    """Head h owns the h-th block of neighbouring features."""
    width = len(rows_TE[0]) // n_heads
    return [[row[head * width : (head + 1) * width] for row in rows_TE] for head in range(n_heads)]


def merge(heads_HTV: list[Matrix]) -> Matrix:
    """Per token, the features of head 0, then those of head 1, and so on."""
    return [
        [value for head in heads_HTV for value in head[token]] for token in range(len(heads_HTV[0]))
    ]


def normed(rows_TK: Matrix, gain_K: Vector, epsilon: float) -> Matrix:
    """Each row divided by the root of the mean of its squares, each feature times its gain."""
    roots = [math.sqrt(dot(row, row) / len(row) + epsilon) for row in rows_TK]
    return [
        [value / root * gain for value, gain in zip(row, gain_K, strict=True)]
        for row, root in zip(rows_TK, roots, strict=True)
    ]


def turned(rows_TK: Matrix, base: float, pairs: str, start: int) -> Matrix:
    """Pair p of the row at a position, as a complex number, times e^(i position / base^(2p/K))."""
    width, turned_TK = len(rows_TK[0]), [list(row) for row in rows_TK]
    for token, row in enumerate(rows_TK):
        for pair in range(width // 2):
            one, two = (
                (2 * pair, 2 * pair + 1) if pairs == "neighbours" else (pair, pair + width // 2)
            )
            angle = (start + token) / base ** (2 * pair / width)
            product = complex(row[one], row[two]) * cmath.exp(1j * angle)
            turned_TK[token][one], turned_TK[token][two] = product.real, product.imag
    return turned_TK


def raw_scores(query_TK: Matrix, key_SK: Matrix) -> Matrix:
    """Every query against every key."""
    return [[dot(query, key) for key in key_SK] for query in query_TK]


def rescale(scores_TS: Matrix, scale: float, softcap: float | None) -> Matrix:
    """Score times scale; with a softcap c then c tanh(score / c)."""
    scaled_TS = [[score * scale for score in row] for row in scores_TS]
    if softcap is None:
        return scaled_TS
    return [[softcap * math.tanh(score / softcap) for score in row] for row in scaled_TS]


def hide(scores_TS: Matrix, mask_TS: Nested | None, bias_TS: Matrix | None, causal: bool) -> Matrix:
    """The bias added; minus infinity where the mask says no, or a key comes later in a causal
    layer.
    """
    biased_TS = scores_TS if bias_TS is None else add_rows(scores_TS, bias_TS)
    masked_TS = [list(row) for row in biased_TS]
    for query, row in enumerate(masked_TS):
        for key in range(len(row)):
            if (causal and key > query) or not (mask_TS is None or mask_TS[query][key]):
                row[key] = -math.inf
    return masked_TS


def softmax_row(row_S: Vector, sink: float | None = None) -> Vector:
    """exp(score) / sum of exp(scores); zeros when every key is hidden. A sink is one more score,
    whose share is dropped.
    """
    if sink is not None:
        return softmax_row([*row_S, sink])[:-1]
    largest = max(row_S)
    if largest == -math.inf:
        return [0.0] * len(row_S)
    powers = [math.exp(score - largest) for score in row_S]
    total = math.fsum(powers)
    return [power / total for power in powers]


def mix(probability_TS: Matrix, value_SV: Matrix) -> Matrix:
    """Every query gets the average of the values, weighted by its probabilities."""
    return [
        [dot(row, column(value_SV, feature)) for feature in range(len(value_SV[0]))]
        for row in probability_TS
    ]


def add_rows(left_TD: Matrix, right_TD: Matrix) -> Matrix:
    """Two matrices added cell by cell."""
    return [
        [a + b for a, b in zip(u, v, strict=True)] for u, v in zip(left_TD, right_TD, strict=True)
    ]


def attend_heads(
    query_HTK: list[Matrix],
    key_GSK: list[Matrix],
    value_GSV: list[Matrix],
    *,
    mask: Nested | None = None,
    bias: Nested | None = None,
    scale: float | None = None,
    causal: bool = False,
    softcap: float | None = None,
    sink: Vector | None = None,
) -> dict[str, Nested]:
    """All heads of one sequence; query head h uses key/value head h // (H // G)."""
    group = len(query_HTK) // len(key_GSK)
    scale = 1 / math.sqrt(len(query_HTK[0][0])) if scale is None else scale
    names = ("scores", "scaled_scores", "masked_scores", "probabilities", "head_outputs")
    record: dict[str, Nested] = {name: [] for name in names}
    for head, query_TK in enumerate(query_HTK):
        scores_TS = raw_scores(query_TK, key_GSK[head // group])
        scaled_TS = rescale(scores_TS, scale, softcap)
        masked_TS = hide(scaled_TS, mask and mask[head], bias and bias[head], causal)
        probability_TS = [softmax_row(row, sink and sink[head]) for row in masked_TS]
        output_TV = mix(probability_TS, value_GSV[head // group])
        for name, matrix in zip(
            names, (scores_TS, scaled_TS, masked_TS, probability_TS, output_TV), strict=True
        ):
            record[name].append(matrix)
    return record


def attend_sequence(
    inputs: Matrix,
    memory: Matrix,
    weights: dict[str, Any],
    residual: bool,
    *,
    rotary: dict[str, Any] | None = None,
    head_norm: dict[str, Any] | None = None,
    **how: Any,
) -> dict[str, Any]:
    """One sequence through the whole layer, every intermediate kept."""
    fused = {
        "queries": project(inputs, weights["w_q"], weights.get("b_q")),
        "keys": project(memory, weights["w_k"], weights.get("b_k")),
        "values": project(memory, weights["w_v"], weights.get("b_v")),
    }
    n_kv_heads = weights.get("n_kv_heads") or weights["n_heads"]
    heads = {
        "query_heads": split(fused["queries"], weights["n_heads"]),
        "key_heads": split(fused["keys"], n_kv_heads),
        "value_heads": split(fused["values"], n_kv_heads),
    }
    query_HTK, key_GSK, value_GSV = heads.values()
    between: dict[str, Any] = {}
    if head_norm is not None:
        gains, epsilon = (head_norm["query_gain"], head_norm["key_gain"]), head_norm["epsilon"]
        query_HTK, key_GSK = (
            [normed(rows, gain, epsilon) for rows in matrices]
            for matrices, gain in zip((query_HTK, key_GSK), gains, strict=True)
        )
        between |= {"normed_queries": query_HTK, "normed_keys": key_GSK}
    if rotary is not None:
        query_HTK, key_GSK = (
            [turned(rows, **rotary) for rows in matrices] for matrices in (query_HTK, key_GSK)
        )
        between |= {"turned_queries": query_HTK, "turned_keys": key_GSK}
    inner = attend_heads(query_HTK, key_GSK, value_GSV, **how)
    merged = merge(inner["head_outputs"])
    w_o, b_o = weights.get("w_o"), weights.get("b_o")
    output = merged if w_o is None else project(merged, w_o, None)
    output = output if b_o is None else add_rows(output, [b_o] * len(output))
    output = add_rows(output, inputs) if residual else output
    return {
        "inputs": inputs,
        "memory": memory,
        **fused,
        **heads,
        **between,
        **inner,
        "merged": merged,
        "output": output,
    }


def attend_loops(
    inputs_BTD: Nested,
    weights: dict[str, Any],
    *,
    memory: Nested | None = None,
    mask: Nested | None = None,
    bias: Nested | None = None,
    residual: bool = False,
    **how: Any,
) -> dict[str, Nested]:
    """A batch of sequences; mask and bias are nested lists of the full shape (B, H, T, S)."""
    memory_BSD = inputs_BTD if memory is None else memory
    records = [
        attend_sequence(
            inputs_BTD[item],
            memory_BSD[item],
            weights,
            residual,
            mask=mask and mask[item],
            bias=bias and bias[item],
            **how,
        )
        for item in range(len(inputs_BTD))
    ]
    return {name: [record[name] for record in records] for name in records[0]}
