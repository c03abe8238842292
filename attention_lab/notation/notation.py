"""One quantity, several ways to write it: our notation, with tokens as rows or as columns, and the
symbols, words and axes of any other text.

In the column convention a token is a column: every matrix stands transposed, its numbers are the
same (see `columns`). The texts themselves are in `texts`, the glossary in `quantities`, the
formulas in `formulas`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar
from unicodedata import normalize

from attention_core.steps import AXES
from attention_core.trace import STEPS, Trace
from attention_core.wording import ROWS, Layout

from ..home import read_table

T = TypeVar("T")
SIGNS = {
    r"\alpha": "α",
    r"\nu": "ν",
    r"\lambda": "λ",
    r"\div": "÷",
    r"\mathcal{P}": "𝒫",
    r"^{\top}": "ᵀ",
    r"\_": "\0",
    r"\ ": " ",
}
LOW, HIGH = "0123456789aehijklmnoprstuvx", "()hijlmn0123456789"
LOWERED = str.maketrans(LOW, "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
RAISED = str.maketrans(HIGH, "⁽⁾ʰⁱʲˡᵐⁿ⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Symbol:
    """A symbol as LaTeX, and in plain characters for places that cannot typeset."""

    latex: str

    @property
    def plain(self) -> str:
        r"""The symbol without LaTeX.

        >>> [Symbol(s).plain for s in (r"\tilde S_h", "W_Q", r"\hat \alpha^{(i)}", r"\mathrm{QC}",
        ...     "(P^Q)^{\\top}")]
        ['S̃ₕ', 'W_Q', 'α̂⁽ⁱ⁾', 'QC', '(P^Q)ᵀ']
        """
        return _plain(self.latex)

    @property
    def transposed(self) -> Symbol:
        r"""The symbol of the transposed matrix.

        >>> Symbol("W_Q").transposed.latex, Symbol("P^Q").transposed.latex
        ('W_Q^{\\top}', '(P^Q)^{\\top}')
        """
        base = f"({self.latex})" if "^" in self.latex else self.latex
        return Symbol(base + r"^{\top}")


@lru_cache(maxsize=1024)
def _plain(latex: str) -> str:
    marks = {"hat": "\u0302", "tilde": "\u0303"}
    text = re.sub(r"\\(hat|tilde) (\\[a-z]+|\w)", lambda m: m[2] + marks[m[1]], latex)
    for macro, sign in SIGNS.items():
        text = text.replace(macro, sign)
    text = re.sub(r"\\(?:mathrm|mathtt|text)\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"_(?:\{([^{}]*)\}|(\w))", lambda m: _lowered(m[1] or m[2]), text)
    text = re.sub(r"\^\{(\([^{}]*\))\}", lambda m: m[1].translate(RAISED), text)
    return normalize("NFC", re.sub(r"\^\{([^{}]*)\}", r"^\1", text).replace("\0", "_"))


def _lowered(index: str) -> str:
    return index.translate(LOWERED) if set(index) <= set(LOW) else f"_{index}"


# Sizes, weights, and the fields of the `Trace` in order of computation: our word, our symbol
# without its head, what it is.
QUANTITIES = {
    row["name"]: (row["word"], row["symbol"], row["meaning"]) for row in read_table("quantities")
} | {name: (one.title, one.symbol.removesuffix("_h"), one.sentence) for name, one in STEPS.items()}


LAYOUTS = {"row": ROWS, "column": Layout("column", "row", "one below the other")}


@dataclass(frozen=True, eq=False)
class Notation:
    """How one text writes the layer. Where it has no symbol or word, ours are used.

    key: its name in a URL. convention: "row" (a token is a row) or "column". symbols: LaTeX by
    quantity, per-head ones without the head. words, remarks: by quantity. corrections: what is
    right where the text is not. axis_names: for axes that are not called by a size. A text that
    names the axis T tells it from S also where both are one sequence. indices: the letters of a
    head, a query, a key and any key. heads: how a head is marked: "subscript", "superscript", or
    "brackets" (around it where a cell is meant). first_head: the number of the first one. even: d_k
    and d_v have a symbol of the text only where the heads share the width evenly.
    """

    key: str
    title: str
    convention: str = "row"
    symbols: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    corrections: Mapping[str, str] = field(default_factory=dict)
    axis_names: Mapping[str, str] = field(default_factory=dict)
    indices: tuple[str, str, str, str] = ("h", "i", "j", "k")
    heads: str = "subscript"
    first_head: int = 0
    even: bool = False

    @property
    def has_our_letters(self) -> bool:
        """Whether the symbols and words are ours, and not those of a text."""
        return self.symbols is OURS.symbols

    @property
    def layout(self) -> Layout:
        """The words for what is a row, a column, and side by side where tokens are rows."""
        return LAYOUTS[self.convention]

    @property
    def is_column(self) -> bool:
        """Whether a token is a column."""
        return self.convention == "column"

    def as_shown(self, sizes: Sequence[T]) -> tuple[T, ...]:
        """The axes of an array, or their lengths, in the order in which they are shown."""
        return (*sizes[:-2], *sizes[:-3:-1]) if self.is_column else tuple(sizes)

    def base(self, name: str) -> str:
        """The symbol of a quantity without its head, ours where the text has none."""
        return self.symbols.get(name, OURS.symbols[name])

    def of_head(self, base: str, head: str = "", cell: str = "") -> str:
        """A symbol with its head's letter or number, and with the indices of a cell where one
        is meant.
        """
        head = head or self.indices[0]
        if self.heads == "superscript":
            return f"{base}^{{({head})}}" + (f"_{{{cell}}}" if cell else "")
        if not cell:
            return f"{base}_{head}"
        in_brackets = self.heads == "brackets"
        return f"[{base}_{head}]_{{{cell}}}" if in_brackets else f"{base}_{{{head},{cell}}}"

    def width(self, trace: Trace, name: str) -> str:
        """The symbol of d_k or d_v, ours where the text's does not hold for this layer."""
        sizes = trace.sizes
        holds = sizes["K" if name == "d_k" else "V"] * sizes["H"] == sizes["D"]
        return self.base(name) if holds or not self.even else OURS.symbols[name]


OURS = Notation(
    "ours",
    "Ours",
    symbols={name: symbol for name, (_, symbol, _) in QUANTITIES.items()},
    axis_names={letter: letter for letter in AXES},
    words={name: word for name, (word, _, _) in QUANTITIES.items()},
    remarks={"n_heads": "As an index, the same letter is one head, counted from 0."},
)

COLUMN_NOTATION = replace(
    OURS, key="columns", title="Ours, with tokens as columns", convention="column"
)


def symbol(name: str, notation: Notation) -> Symbol:
    r"""The symbol of a field, a weight (w_q to w_o, b_q to b_o) or a size.

    A weight matrix has the same symbol in both conventions; in a picture of the column convention
    stands its transpose.

    >>> symbol("scaled_scores", OURS).latex, symbol("scaled_scores", OURS).plain
    ('\\tilde S_h', 'S̃ₕ')
    """
    base = notation.base(name)
    return Symbol(notation.of_head(base) if name in STEPS and STEPS[name].per_head else base)


def written_name(trace: Trace, name: str) -> str:
    """The quantity whose symbol is written: in self-attention the memory is the inputs."""
    return "inputs" if name == "memory" and trace.memory is trace.inputs else name


AXIS_SIZES = {"T": "n_tokens", "D": "d_model", "H": "n_heads", "K": "d_k", "V": "d_v"}


def axes(trace: Trace, name: str, notation: Notation) -> tuple[str, ...]:
    """The axes of a field or weight as a text would name them, in the order in which its convention
    shows them.

    >>> from attention_core import Projections, attend
    >>> from attention_lab.notation.notation import OURS
    >>> axes(attend([[1.0, 2.0]], Projections.weightless(2)), "queries", OURS)
    ('B', 'T', 'H·K')
    """
    names = axis_names(trace, notation)
    return notation.as_shown([axis_name(axis, names) for axis in trace.axes(name)])


def shape(trace: Trace, name: str, notation: Notation) -> tuple[int, ...]:
    """How long the `axes` of a field are, in the same order.

    >>> from attention_core import Projections, attend
    >>> shape(attend([[1.0, 2.0]], Projections.weightless(2)), "queries", Notation("x", "X",
    ...     convention="column"))
    (1, 2, 1)
    """
    return notation.as_shown(getattr(trace, name).shape)


def axis_name(axis: str, names: Mapping[str, str]) -> str:
    """The name of an axis; one that holds equal parts of the width is the width."""
    parts = [names[letter] for letter in axis.split("·")]
    if parts[0] == names["H"] and "÷" in parts[-1]:
        return names["D"]
    return "·".join(f"({part})" if "÷" in part and len(parts) > 1 else part for part in parts)


def axis_names(trace: Trace, notation: Notation) -> dict[str, str]:
    """What a text calls each axis letter, for the sizes of this layer."""
    names = {letter: letter for letter in AXES}
    names |= {letter: Symbol(notation.base(name)).plain for letter, name in AXIS_SIZES.items()}
    names |= {letter: Symbol(notation.width(trace, AXIS_SIZES[letter])).plain for letter in "KV"}
    names |= notation.axis_names
    one_length = trace.memory is trace.inputs and "T" not in notation.axis_names
    return names | {"S": names["T"]} if one_length else names
