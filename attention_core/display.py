"""How records show themselves in a notebook: a line for each array, a small table, a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING

from .checks import Array

if TYPE_CHECKING:
    from .derivation import Derivation, Term
    from .projections import Projections
    from .trace import Trace

MAX_TERMS = 6  # of a sum in a sentence
# What other libraries call a field.
OTHER_NAMES = {
    "probabilities": "attention attentions attn attn_weights attention_weights weights probs p a",
    "queries": "q query",
    "keys": "k key",
    "values": "v value",
    "head_outputs": "z context heads",
    "output": "y out outputs result",
    "inputs": "x input",
    "scores": "logits energy",
}
TABLE_STYLE = "text-align: left; white-space: pre-line; padding: 2px 10px"


def trace_text(trace: Trace) -> str:
    """One line for each array of a trace: name, type, shape, axes."""
    rows = [
        (name, array_type(getattr(trace, name)), " ".join(step.letters))
        for name, step in trace.steps.items()
    ]
    return "\n".join([_trace_title(trace), *_columns(rows)])


def trace_html(trace: Trace) -> str:
    """A table: each array with its shape, the NumPy line that computes it, and its sentence."""
    rows = [
        (name, array_type(getattr(trace, name)), trace.code(name), trace.sentence(name))
        for name in trace.steps
    ]
    return _table(_trace_title(trace), ("step", "array", "in NumPy", "in words"), rows)


def _trace_title(trace: Trace) -> str:
    sizes = trace.sizes
    batch = f"{sizes['B']} sequences, " if sizes["B"] > 1 else ""
    keys = f", {sizes['S']} keys" if trace.memory is not trace.inputs else ""
    title = f"Trace: {batch}{sizes['T']} tokens{keys}, {sizes['H']} heads, scale {trace.scale:.4g}"
    # A causal mask in PyTorch's sense leaves the last query without a key.
    if trace.mask is not None and (empty := int(trace.empty_rows.sum())):
        title += f"; rows without a key: {empty} (where True hides in a mask, pass mask=~mask)"
    return title


def projections_text(p: Projections) -> str:
    """One line for each matrix and bias: name, type, shape, axes."""
    return "\n".join([_projections_title(p), *_columns(_weights(p))])


def projections_html(p: Projections) -> str:
    """The same as a table."""
    return _table(_projections_title(p), ("weights", "array", "axes"), _weights(p))


def _projections_title(p: Projections) -> str:
    shared = f" that share {p.groups} keys and values" if p.groups != p.n_heads else ""
    return f"Projections: {p.n_heads} heads{shared}, d_model {p.d_model}, d_k {p.d_k}, d_v {p.d_v}"


def _weights(p: Projections) -> list[tuple[str, str, str]]:
    axes = {"w_q": "D H·K", "w_k": "M G·K", "w_v": "M G·V", "w_o": "H·V O"}
    axes |= {name.replace("w", "b"): letters.split()[1] for name, letters in axes.items()}
    arrays = {name: getattr(p, name) for name in axes}
    return [(n, array_type(a), axes[n]) for n, a in arrays.items() if a is not None]


def array_type(array: Array) -> str:
    """The type and shape of an array.

    >>> import numpy as np
    >>> array_type(np.zeros((2, 3)))
    'float64 (2, 3)'
    """
    return f"{array.dtype.name} {array.shape}"


def _columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows with their cells below each other."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _table(title: str, heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    def line(cells: Iterable[str], tag: str) -> str:
        return "".join(f'<{tag} style="{TABLE_STYLE}">{escape(one)}</{tag}>' for one in cells)

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return (
        f"<table><caption>{escape(title)}</caption><thead><tr>{line(heads, 'th')}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def maps_text(sizes: Mapping[str, int]) -> str:
    """Attention weights of many heads in one line. sizes: as `AttentionMaps.sizes` gives them.

    >>> maps_text({"L": 6, "H": 12, "T": 8, "S": 8})
    'AttentionMaps: 6 layers of 12 heads, 8 queries, 8 keys'
    """
    layers, heads, queries, keys = (sizes[letter] for letter in "LHTS")
    return f"AttentionMaps: {layers} layers of {heads} heads, {queries} queries, {keys} keys"


def maps_html(sizes: Mapping[str, int], layers: Iterable[Array]) -> str:
    """The same, and a row for each layer."""
    rows = [(str(number), array_type(layer), "H T S") for number, layer in enumerate(layers)]
    return _table(maps_text(sizes), ("layer", "array", "axes"), rows)


def derivation_text(found: Derivation) -> str:
    """The arithmetic of a cell as one sentence."""
    result = _number(found.result)
    if found.operation == "given":
        return f"{_place(found.field, found.index)} = {result}, as it is given"
    if not found.allowed:
        return f"{_place(found.field, found.index)} = {result}, hidden by the mask"
    return f"{_place(found.field, found.index)} = {_arithmetic(found)} = {result}"


def derivation_html(found: Derivation) -> str:
    """The same as a paragraph; the place is bold."""
    place = _place(found.field, found.index)
    return f"<p><b>{place}</b>{escape(derivation_text(found).removeprefix(place))}</p>"


def _place(name: str, index: Iterable[int]) -> str:
    return f"{name}[{', '.join(map(str, index))}]"


def _arithmetic(found: Derivation) -> str:
    terms, first = found.terms, found.terms[0]
    match found.operation:
        case "copy":
            return _place(first.factors[0].name, first.factors[0].index)
        case "max":
            written = [_number(term.value) for term in terms[:MAX_TERMS]]
            return f"max({', '.join(written)}{', …' * (len(terms) > MAX_TERMS)})"
        case "softmax":
            own = _number(terms[found.position].value)
            return f"{own} / ({_sum([_number(term.value) for term in terms])})"
        case "softcap":
            cap = _number(found.softcap or 0.0)
            return f"{cap} × tanh({_product(first)} / {cap})"
        case "difference":
            return f"{_number(first.value)} − {_number(first.factors[1].value)}"
        case "exp":
            return f"exp({_number(first.value)})"
        case "norm":
            *vector, gain = terms
            squares = _sum([f"{_number(term.value)}²" for term in vector])
            mean = f"({squares}) / {len(vector)} + {_number(found.epsilon)}"
            return f"{_number(vector[found.position].value)} / √({mean}) × {_number(gain.value)}"
    return _sum([_product(term) for term in terms])


def _product(term: Term) -> str:
    return " × ".join(_number(factor.value) for factor in term.factors)


def _sum(written: list[str]) -> str:
    """Summands; of many the first and the last ones."""
    if len(written) > MAX_TERMS:
        left_out = len(written) - MAX_TERMS + 1
        written = [*written[: MAX_TERMS - 2], f"… ({left_out} more) …", written[-1]]
    return " + ".join(written)


def _number(value: float) -> str:
    """A number with three digits and its own minus sign."""
    return f"{value:.3g}".replace("-", "−").replace("inf", "∞")


def name_error(name: str, fields: Iterable[str]) -> str:
    """What an unknown field of a trace may mean.

    >>> name_error("attn_weights", ["scores", "probabilities"])
    "a Trace has no field 'attn_weights'; did you mean 'probabilities'?"
    """
    lowered, known = name.lower(), list(fields)
    meant = [one for one, others in OTHER_NAMES.items() if lowered in others.split()]
    meant = [one for one in meant if one in known] or get_close_matches(lowered, known, n=1)
    question = f"; did you mean {meant[0]!r}?" if meant else f"; it has {', '.join(known)}"
    return f"a Trace has no field {name!r}{question}"
