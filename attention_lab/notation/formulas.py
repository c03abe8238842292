"""The formula of every field in any notation, for the options of one call.

Tokens as rows: Q = X W_Q, S = Q Kᵀ, softmax along rows, O = A V, heads side by side. Tokens as
columns, everything transposed: Q = W_Qᵀ X, S = Kᵀ Q, softmax down columns, O = V A, heads one below
the other.

At the end: formulas inside sentences, with our letters exchanged for those of a text.
"""

import re
from collections.abc import Callable

from attention_core.checks import Array
from attention_core.projections import BIASES, MATRICES
from attention_core.trace import STEPS, Trace

from .notation import Notation, Symbol, symbol, written_name

# The parts of a formula that a `Step` leaves to notation and options: a product, a block of
# columns, a cell, or the name of a quantity or of an entry of `_OPTIONS`.
_PART = re.compile(r"<([^<>]+)>")
_PRODUCT = re.compile(r"(\w+) @ (\w+)(\.T)?")
_BLOCK = re.compile(r"(\w+)\[(d_[kv])\]")
_CELL = re.compile(r"(\w+)\[i,([jk])\]")
_VECTOR = re.compile(r"(\w+)\[i\]")
_TURNED = re.compile(r"(\w+) from R")


def formula(trace: Trace, name: str, notation: Notation) -> str:
    r"""The LaTeX formula of a field as a text would write it, for the options of this call.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.notation.notation import OURS
    >>> from attention_lab.notation.texts import GML
    >>> trace = attend([[1.0, 2.0]], Projections.weightless(2))
    >>> print(formula(trace, "scores", OURS), formula(trace, "scores", GML), sep="; ")
    S_h = Q_h K_h^{\top}; C_i = K_i^{\top} Q_i
    """

    def write(match: re.Match[str]) -> str:
        part = match[1]
        if product := _PRODUCT.fullmatch(part):
            return _product(trace, notation, product[1], product[2], product[3] is not None)
        if block := _BLOCK.fullmatch(part):
            return _columns(trace, notation, block[1], block[2], _owner(trace, notation, name))
        if cell := _CELL.fullmatch(part):
            return _cell(notation, notation.base(cell[1]), cell[2])
        if vector := _VECTOR.fullmatch(part):
            return _vector(trace, notation, vector[1])
        if turned := _TURNED.fullmatch(part):
            return _turned(trace, notation, turned[1])
        if part in _OPTIONS:
            return _OPTIONS[part](trace, notation)
        return _field_symbol(trace, notation, part).latex

    return _PART.sub(write, STEPS[name].formula)


def _product(trace: Trace, notation: Notation, left: str, right: str, transposed: bool) -> str:
    """Left times right, or times the right one transposed; where tokens are columns, all is
    transposed but the weights themselves.
    """
    if right == "key_heads":
        left, right = trace.needs("scores")
    if right in MATRICES:
        vectors = notation.base(written_name(trace, left))
        return vectors if _weight(trace, right) is None else _times(vectors, right, notation)
    one, other = _field_symbol(trace, notation, left), _field_symbol(trace, notation, right)
    factors = one.latex, (other.transposed if transposed else other).latex
    return " ".join(factors[::-1] if notation.is_column else factors)


def _columns(trace: Trace, notation: Notation, fused: str, width: str, head: str) -> str:
    """The block of columns of a fused matrix that belongs to a head."""
    size = notation.width(trace, width)
    size = f"({size})" if r"\div" in size else size
    times = r" \cdot " if size.startswith("\\") else " "
    first, last = f"{head}{times}{size}", f"({head}+1){times}{size}"
    if notation.first_head:
        first, last = f"({head}-1){times}{size}+1", first
    block = rf"{first}:{last},\,:" if notation.is_column else rf":,\,{first}:{last}"
    return f"{notation.base(fused)}_{{{block}}}"


def _cell(notation: Notation, base: str, key: str = "j") -> str:
    """The symbol of a score at (query, key), which is (key, query) where tokens are columns; key:
    "k" for any key.
    """
    _, query, this_key, any_key = notation.indices
    column = any_key if key == "k" else this_key
    pair = column + query if notation.is_column else query + column
    return notation.of_head(base, cell=pair)


def _vector(trace: Trace, notation: Notation, name: str) -> str:
    """The symbol of one query or key of a head."""
    owner, token = _owner(trace, notation, name), notation.indices[1 if "quer" in name else 2]
    return notation.of_head(notation.base(name), owner, cell=token)


def _turned(trace: Trace, notation: Notation, name: str) -> str:
    """A query or key times the rotation of its position, by the angle of each pair p."""
    (source,), rotary = trace.needs(name), trace.rotary
    vector, token = _vector(trace, notation, source), notation.indices[1 if "quer" in name else 2]
    start, base = (rotary.start, rotary.base) if rotary else (0, 0.0)
    position = f"({token} {'+' if start > 0 else '-'} {abs(start)})" if start else token
    angle = rf"{position} \cdot {base:.10g}^{{-2p/{notation.width(trace, 'd_k')}}}"
    return rf"R({angle})^{{\top}} {vector}" if notation.is_column else rf"{vector} R({angle})"


def _scaled_scores(trace: Trace, notation: Notation) -> str:
    scaled = rf"{notation.base('scale')} \, {symbol('scores', notation).latex}"
    return scaled if trace.softcap is None else rf"c \tanh\left(\frac{{{scaled}}}{{c}}\right)"


def _joined_heads(trace: Trace, notation: Notation) -> str:
    """The heads side by side, one below another where tokens are columns."""
    base, number = notation.base("head_outputs"), notation.first_head
    first, second = (notation.of_head(base, str(head)) for head in (number, number + 1))
    if notation.is_column:
        return rf"\begin{{bmatrix}} {first} \\ {second} \\ \vdots \end{{bmatrix}}"
    return rf"[\,{first} \mid {second} \mid \cdots\,]"


def _sharing(trace: Trace, notation: Notation) -> str:
    """Which key/value head a head reads, where heads share them."""
    readers = trace.sizes["H"] // trace.sizes["G"]
    if readers == 1:
        return ""
    side = "ceil" if notation.first_head else "floor"
    return rf",\quad g = \l{side} {notation.indices[0]} / {readers} \r{side}"


def _plus(bias: str) -> Callable[[Trace, Notation], str]:
    def addend(trace: Trace, notation: Notation) -> str:
        return "" if _weight(trace, bias) is None else f" + {notation.base(bias)}"

    return addend


_OPTIONS: dict[str, Callable[[Trace, Notation], str]] = {
    "self-attention": lambda t, n: f" = {n.base('inputs')}" if t.memory is t.inputs else "",
    "scaled scores": _scaled_scores,
    "bias": lambda t, n: "" if t.bias is None else f" + {_cell(n, 'B')}",
    "k": lambda t, n: n.indices[3],
    "sharing": _sharing,
    "sink": lambda t, n: "" if t.sink is None else rf" + e^{{{n.base('sink')}_{n.indices[0]}}}",
    "joined heads": _joined_heads,
    "residual": lambda t, n: f" + {n.base('inputs')}" if t.residual else "",
    **{bias: _plus(bias) for bias in BIASES},
}


def output_by_heads(notation: Notation) -> str:
    """The LaTeX formula of the merged heads times W_O as a sum with a part for each head's
    block of W_O.
    """
    of_head, block = notation.of_head(notation.base("head_outputs")), _block(notation, "w_o")
    turned = rf"\big({block}\big)^{{\top}} {of_head}"
    return _sum_of_heads(notation, turned if notation.is_column else rf"{of_head}\,{block}")


def output_without_w_o(trace: Trace, notation: Notation) -> str:
    """The LaTeX formula of the same sum where W_O is part of each head's value matrix, and of
    its bias if any.
    """
    shares = symbol("probabilities", notation).latex
    vectors = notation.base(written_name(trace, "memory"))
    owner, block = _owner(trace, notation, "value_heads"), _block(notation, "w_o")
    matrix = rf"\big({_block(notation, 'w_v', owner)}\,{block}\big)"
    is_column = notation.is_column
    values = rf"{matrix}^{{\top}} {vectors}" if is_column else rf"{vectors}\,{matrix}"
    if trace.projections.b_v is not None:
        bias = _block(notation, "b_v", owner)
        through = rf"\big({block}\big)^{{\top}} {bias}" if is_column else rf"{bias}\,{block}"
        values = rf"\Big({values} + {through}\Big)"
    part = f"{values} {shares}" if is_column else rf"{shares}\,{values}"
    return _sum_of_heads(notation, part) + _sharing(trace, notation)


def _block(notation: Notation, weights: str, head: str = "") -> str:
    """A head's own part of a weight matrix or bias."""
    return f"{{{notation.base(weights)}}}^{{({head or notation.indices[0]})}}"


def _sum_of_heads(notation: Notation, part: str) -> str:
    whole = _times(notation.base("merged"), "w_o", notation)
    return rf"{whole} \;=\; \sum_{{{notation.indices[0]}}} {part}"


def _times(vectors: str, weights: str, notation: Notation) -> str:
    matrix = symbol(weights, notation)
    turned = rf"{matrix.transposed.latex}\,{vectors}"
    return turned if notation.is_column else rf"{vectors}\,{matrix.latex}"


def _owner(trace: Trace, notation: Notation, name: str) -> str:
    """The letter of a field's own heads: g where several heads share keys and values."""
    shared = "G" in STEPS[name].letters and trace.sizes["G"] != trace.sizes["H"]
    return "g" if shared else notation.indices[0]


def _field_symbol(trace: Trace, notation: Notation, name: str) -> Symbol:
    """The symbol of a field, with the letter of its own heads."""
    base, per_head = notation.base(name), name in STEPS and STEPS[name].per_head
    return Symbol(notation.of_head(base, _owner(trace, notation, name)) if per_head else base)


def _weight(trace: Trace, name: str) -> Array | None:
    weight: Array | None = getattr(trace.projections, name)
    return weight


# A letter of ours that is neither part of a word or a command nor the index of another letter.
OUR_LETTER = re.compile(r"(?<![\\A-Za-z])(?:d_k|[ijnS])(?![A-Za-z])")
OUR_LETTER_OR_SHARE = re.compile(rf"A_\{{(\w)(,?)([^{{}}]+)\}}|{OUR_LETTER.pattern}")


def in_letters(words: str, notation: Notation, trace: Trace | None = None) -> str:
    r"""Markdown whose formulas, between dollar signs, speak of one head in our letters, with those
    of a text.

    The letters are query i, key j, the shares A_{ij}, the n_i keys that a query may see, the scores
    S and d_k; the last is that of a layer, or of one whose heads share the width evenly.

    >>> from attention_lab.notation.texts import GML
    >>> print(in_letters(r"from 0 to $\sum_j A_{ij}$", GML))
    from 0 to $\sum_m \mathcal{P}_{mn}$
    """
    letters = dict(zip("ij", notation.indices[1:3], strict=True))
    letters |= {"n": notation.base("n_tokens"), "S": notation.base("scores")}
    letters["d_k"] = notation.width(trace, "d_k") if trace else notation.base("d_k")

    def written(match: re.Match[str]) -> str:
        if not match[1]:
            return letters[match[0]]
        query, key = (OUR_LETTER.sub(lambda one: letters[one[0]], match[part]) for part in (1, 3))
        places = (key, query) if notation.is_column else (query, key)
        return f"{notation.base('probabilities')}_{{{match[2].join(places)}}}"

    return re.sub(r"\$\$?[^$]+\$\$?", lambda part: OUR_LETTER_OR_SHARE.sub(written, part[0]), words)
