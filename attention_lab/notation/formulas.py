"""The formula of every field in any notation, for the options of one call.

Tokens as rows: Q = X W_Q, S = Q Kᵀ, softmax along rows, O = A V, heads side by side. Tokens as
columns, everything transposed: Q = W_Qᵀ X, S = Kᵀ Q, softmax down columns, O = V A, heads one below
the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from attention_core.errors import SettingsError
from attention_core.trace import STEPS, Trace

from .notation import Notation, Symbol, symbol, written


def formula(trace: Trace, name: str, notation: Notation) -> str:
    r"""The LaTeX formula of a field as a text would write it, for the options of this call. Raises:
    SettingsError.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.notation.notation import OURS
    >>> from attention_lab.notation.texts import GML
    >>> trace = attend([[1.0, 2.0]], Projections.weightless(2))
    >>> print(formula(trace, "scores", OURS), formula(trace, "scores", GML), sep="; ")
    S_h = Q_h K_h^{\top}; C_i = K_i^{\top} Q_i
    """
    if name not in FORMULAS:
        raise SettingsError(
            f"there is no formula for {name!r}; choose one of {', '.join(FORMULAS)}"
        )
    left, right = FORMULAS[name](trace, notation)
    return f"{left} = {right}" if right else left


def _inputs(trace: Trace, notation: Notation) -> tuple[str, str]:
    return notation.base("inputs"), ""


def _memory(trace: Trace, notation: Notation) -> tuple[str, str]:
    return notation.base("memory"), notation.base("inputs") if _reads_itself(trace) else ""


def _projected(
    trace: Trace, notation: Notation, name: str, source: str, weights: str
) -> tuple[str, str]:
    vectors = notation.base(written(trace, source, notation))
    return notation.base(name), _times(vectors, weights, notation) + _bias(trace, notation, weights)


def _split(trace: Trace, notation: Notation, name: str, fused: str, width: str) -> tuple[str, str]:
    size, head = notation.width(trace, width), _owner(trace, notation, name)
    size = f"({size})" if r"\div" in size else size
    times = r" \cdot " if size.startswith("\\") else " "
    first, last = f"{head}{times}{size}", f"({head}+1){times}{size}"
    if notation.first_head:
        first, last = f"({head}-1){times}{size}+1", first
    block = rf"{first}:{last},\,:" if notation.convention == "column" else rf":,\,{first}:{last}"
    return notation.of_head(notation.base(name), head), f"{notation.base(fused)}_{{{block}}}"


def _scores(trace: Trace, notation: Notation) -> tuple[str, str]:
    queries, keys = symbol("query_heads", notation).latex, _read(trace, notation, "key_heads")
    column = notation.convention == "column"
    product = (
        f"{keys.transposed.latex} {queries}" if column else f"{queries} {keys.transposed.latex}"
    )
    return symbol("scores", notation).latex, product + _sharing(trace, notation)


def _scaled_scores(trace: Trace, notation: Notation) -> tuple[str, str]:
    scaled = rf"{notation.base('scale')} \, {symbol('scores', notation).latex}"
    capped = scaled if trace.softcap is None else rf"c \tanh\left(\frac{{{scaled}}}{{c}}\right)"
    return symbol("scaled_scores", notation).latex, capped


def _masked_scores(trace: Trace, notation: Notation) -> tuple[str, str]:
    biased = _cell(notation, notation.base("scaled_scores"))
    if trace.bias is not None:
        biased += f" + {_cell(notation, 'B')}"
    left = _cell(notation, notation.base("masked_scores"))
    return left, rf"{biased}\ \text{{if allowed, else}}\ {{-\infty}}"


def _probabilities(trace: Trace, notation: Notation) -> tuple[str, str]:
    _, _, _, any_key = notation.indices
    masked = notation.base("masked_scores")
    above, below = (f"e^{{{_cell(notation, masked, key)}}}" for key in ("", any_key))
    return (
        _cell(notation, notation.base("probabilities")),
        rf"\frac{{{above}}}{{\sum_{{{any_key}}} {below}}}",
    )


def _head_outputs(trace: Trace, notation: Notation) -> tuple[str, str]:
    weights, values = (
        symbol("probabilities", notation).latex,
        _read(trace, notation, "value_heads").latex,
    )
    product = f"{values} {weights}" if notation.convention == "column" else f"{weights} {values}"
    return symbol("head_outputs", notation).latex, product + _sharing(trace, notation)


def _merged(trace: Trace, notation: Notation) -> tuple[str, str]:
    base, number = notation.base("head_outputs"), notation.first_head
    first, second = (notation.of_head(base, str(head)) for head in (number, number + 1))
    joined = rf"[\,{first} \mid {second} \mid \cdots\,]"
    if notation.convention == "column":
        joined = rf"\begin{{bmatrix}} {first} \\ {second} \\ \vdots \end{{bmatrix}}"
    return notation.base("merged"), joined


def _output(trace: Trace, notation: Notation) -> tuple[str, str]:
    merged = notation.base("merged")
    mixed = merged if trace.projections.w_o is None else _times(merged, "w_o", notation)
    added = f" + {notation.base('inputs')}" if trace.residual else ""
    return notation.base("output"), mixed + _bias(trace, notation, "w_o") + added


def output_by_heads(notation: Notation) -> str:
    """The LaTeX formula of the merged heads times W_O as a sum with a part for each head's
    block of W_O.
    """
    of_head, block = notation.of_head(notation.base("head_outputs")), _block(notation, "w_o")
    is_column = notation.convention == "column"
    return _sum_of_heads(
        notation, rf"\big({block}\big)^{{\top}} {of_head}" if is_column else rf"{of_head}\,{block}"
    )


def output_without_w_o(trace: Trace, notation: Notation) -> str:
    """The LaTeX formula of the same sum where W_O is part of each head's value matrix, and of
    its bias if any.
    """
    shares = symbol("probabilities", notation).latex
    vectors = notation.base("inputs" if _reads_itself(trace) else "memory")
    owner, block = _owner(trace, notation, "value_heads"), _block(notation, "w_o")
    matrix, bias = (
        rf"\big({_block(notation, 'w_v', owner)}\,{block}\big)",
        _block(notation, "b_v", owner),
    )
    is_column = notation.convention == "column"
    values = rf"{matrix}^{{\top}} {vectors}" if is_column else rf"{vectors}\,{matrix}"
    if trace.projections.b_v is not None:
        through = rf"\big({block}\big)^{{\top}} {bias}" if is_column else rf"{bias}\,{block}"
        values = rf"\Big({values} + {through}\Big)"
    part = f"{values} {shares}" if is_column else rf"{shares}\,{values}"
    return _sum_of_heads(notation, part) + _sharing(trace, notation)


FORMULAS: dict[str, Callable[[Trace, Notation], tuple[str, str]]] = {
    "inputs": _inputs,
    "memory": _memory,
    "queries": partial(_projected, name="queries", source="inputs", weights="w_q"),
    "keys": partial(_projected, name="keys", source="memory", weights="w_k"),
    "values": partial(_projected, name="values", source="memory", weights="w_v"),
    "query_heads": partial(_split, name="query_heads", fused="queries", width="d_k"),
    "key_heads": partial(_split, name="key_heads", fused="keys", width="d_k"),
    "value_heads": partial(_split, name="value_heads", fused="values", width="d_v"),
    "scores": _scores,
    "scaled_scores": _scaled_scores,
    "masked_scores": _masked_scores,
    "probabilities": _probabilities,
    "head_outputs": _head_outputs,
    "merged": _merged,
    "output": _output,
}


def _reads_itself(trace: Trace) -> bool:
    return trace.memory is trace.inputs


def _block(notation: Notation, weights: str, head: str = "") -> str:
    """A head's own part of a weight matrix or bias."""
    return f"{{{notation.base(weights)}}}^{{({head or notation.indices[0]})}}"


def _sum_of_heads(notation: Notation, part: str) -> str:
    return (
        rf"{_times(notation.base('merged'), 'w_o', notation)} \;=\; \sum_{{{notation.indices[0]}}}"
        rf" {part}"
    )


def _times(vectors: str, weights: str, notation: Notation) -> str:
    matrix = symbol(weights, notation)
    return (
        rf"{matrix.transposed.latex}\,{vectors}"
        if notation.convention == "column"
        else rf"{vectors}\,{matrix.latex}"
    )


def _bias(trace: Trace, notation: Notation, weights: str) -> str:
    name = weights.replace("w", "b")
    return "" if getattr(trace.projections, name) is None else f" + {notation.base(name)}"


def _cell(notation: Notation, base: str, key: str = "") -> str:
    """A score's symbol at (query, key), which is (key, query) where tokens are columns."""
    _, query, this_key, _ = notation.indices
    key = key or this_key
    return notation.of_head(
        base, cell=key + query if notation.convention == "column" else query + key
    )


def _owner(trace: Trace, notation: Notation, name: str) -> str:
    """The letter of a field's own heads: g where several heads share keys and values."""
    shared = "G" in STEPS[name].letters and trace.sizes["G"] != trace.sizes["H"]
    return "g" if shared else notation.indices[0]


def _read(trace: Trace, notation: Notation, name: str) -> Symbol:
    return Symbol(notation.of_head(notation.base(name), _owner(trace, notation, name)))


def _sharing(trace: Trace, notation: Notation) -> str:
    """Which key/value head a head reads, where heads share them."""
    readers = trace.sizes["H"] // trace.sizes["G"]
    if readers == 1:
        return ""
    side = "ceil" if notation.first_head else "floor"
    return rf",\quad g = \l{side} {notation.indices[0]} / {readers} \r{side}"
