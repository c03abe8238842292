r"""One quantity, several ways to write it: our notation, and the symbols, words and axes of any
other text.

In the column convention a token is a column: every matrix stands transposed, its numbers are the
same (see `columns`). Symbols are in `symbols`, the texts themselves in `texts`, the formulas in
`formulas`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from attention_core.errors import SettingsError
from attention_core.steps import AXES
from attention_core.trace import STEPS, Trace

from .symbols import Symbol as Symbol

# Sizes and weights: our word, our symbol, what it is. The fields of the `Trace` say this themselves
# in their `Step`.
SIZES = {
    "n_tokens": (
        "sequence length",
        "n",
        "How many tokens there are; our axes T for queries and S for keys.",
    ),
    "d_model": ("width", "C", "How many numbers describe one token; our axis D."),
    "n_heads": ("heads", "h", "How many heads attend at the same time; our axis H."),
    "d_k": (
        "query and key width",
        "d_k",
        "How many numbers one head's query or key has; our axis K.",
    ),
    "d_v": ("value width", "d_v", "How many numbers one head's value has; our axis V."),
    "scale": (
        "scale",
        "s",
        "What every score is multiplied by: one over the square root of the key width, or chosen.",
    ),
}
WEIGHTS = {
    "w_q": ("query weights", "W_Q", "The matrix that makes the queries of all heads."),
    "w_k": ("key weights", "W_K", "The matrix that makes the keys of all heads."),
    "w_v": ("value weights", "W_V", "The matrix that makes the values of all heads."),
    "w_o": ("output weights", "W_O", "The matrix that mixes what the heads found."),
    "b_q": ("query bias", "b_Q", "What is added to every token's query, if anything."),
    "b_k": ("key bias", "b_K", "What is added to every token's key, if anything."),
    "b_v": ("value bias", "b_V", "What is added to every token's value, if anything."),
    "b_o": ("output bias", "b_O", "What is added to every token's output, if anything."),
}
AXIS_SIZES = {"T": "n_tokens", "D": "d_model", "H": "n_heads", "K": "d_k", "V": "d_v"}
OTHER_WAY = {"row": "column", "Row": "Column", "column": "row", "Column": "Row"}
SILENT = "The text has no symbol for it: ours is used."


@dataclass(frozen=True, eq=False)
class Notation:
    """How one text writes the layer. What it has no symbol or word for is written as we do.

    key: its name in a URL. convention: "row" (a token is a row) or "column". symbols: LaTeX by
    quantity, per-head ones without the head. words, remarks: by quantity. axis_names: for axes that
    are not called by a size. A text that names the axis T tells it from S also where both are one
    sequence. indices: the letters of a head, a query, a key and any key. heads: how a head is
    marked: "subscript", "superscript", or "brackets" (around it where a cell is meant). first_head:
    the number of the first one. even: d_k and d_v have a symbol of the text only where the heads
    share the width evenly.
    """

    key: str
    title: str
    convention: str = "row"
    symbols: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    axis_names: Mapping[str, str] = field(default_factory=dict)
    indices: tuple[str, str, str, str] = ("h", "i", "j", "k")
    heads: str = "subscript"
    first_head: int = 0
    even: bool = False

    def base(self, name: str) -> str:
        """The symbol of a quantity without its head. Raises: SettingsError."""
        if name not in OURS.symbols:
            raise SettingsError(
                f"there is no symbol for {name!r}; choose one of {', '.join(OURS.symbols)}"
            )
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
        return (
            f"[{base}_{head}]_{{{cell}}}"
            if self.heads == "brackets"
            else f"{base}_{{{head},{cell}}}"
        )

    def width(self, trace: Trace, name: str) -> str:
        """The symbol of d_k or d_v, ours where the text's does not hold for this layer."""
        sizes = trace.sizes
        holds = sizes["K" if name == "d_k" else "V"] * sizes["H"] == sizes["D"]
        return self.base(name) if holds or not self.even else OURS.symbols[name]


def _our_symbols() -> dict[str, str]:
    named = {name: symbol for name, (_, symbol, _) in (SIZES | WEIGHTS).items()}
    return named | {name: step.symbol.removesuffix("_h") for name, step in STEPS.items()}


OURS = Notation(
    "ours",
    "Ours",
    symbols=_our_symbols(),
    axis_names={letter: letter for letter in AXES},
    words={name: word for name, (word, _, _) in (SIZES | WEIGHTS).items()}
    | {n: s.title for n, s in STEPS.items()},
    remarks={"n_heads": "As an index, the same letter is one head, counted from 0."},
)


def symbol(name: str, notation: Notation) -> Symbol:
    r"""The symbol of a field, a weight (w_q to w_o, b_q to b_o) or a size. Raises: SettingsError.

    A weight matrix has the same symbol in both conventions; in a picture of the column convention
    stands its transpose.

    >>> symbol("scaled_scores", OURS).latex, symbol("scaled_scores", OURS).plain
    ('\\tilde S_h', 'S̃ₕ')
    """
    base = notation.base(name)
    return Symbol(notation.of_head(base) if name in STEPS and STEPS[name].per_head else base)


def axes(trace: Trace, name: str, notation: Notation) -> tuple[str, ...]:
    """The axes of a field or weight as a text would name them, in the order in which its convention
    shows them.

    >>> from attention_core import Projections, attend
    >>> axes(attend([[1.0, 2.0]], Projections.weightless(2)), "queries", OURS)
    ('B', 'T', 'H·K')
    """
    names = axis_names(trace, notation)
    found = tuple(joined(axis, names) for axis in trace.axes(name))
    return found if notation.convention == "row" else (*found[:-2], *found[:-3:-1])


def shape(trace: Trace, name: str, notation: Notation) -> tuple[int, ...]:
    """How long the `axes` of a field are, in the same order.

    >>> from attention_core import Projections, attend
    >>> shape(attend([[1.0, 2.0]], Projections.weightless(2)), "queries", Notation("x", "X",
    ...     convention="column"))
    (1, 2, 1)
    """
    found: tuple[int, ...] = getattr(trace, name).shape
    return found if notation.convention == "row" else (*found[:-2], *found[:-3:-1])


def written(trace: Trace, name: str, notation: Notation) -> str:
    """The quantity whose symbol a text writes: a text that knows no memory makes keys and
    values from the inputs.
    """
    known = "memory" in notation.symbols or trace.memory is not trace.inputs
    return "inputs" if name == "memory" and not known else name


def joined(axis: str, names: Mapping[str, str]) -> str:
    """The name of an axis; one that holds equal parts of the width is the width."""
    parts = [names[letter] for letter in axis.split("·")]
    if parts[0] == names["H"] and "÷" in parts[-1]:
        return names["D"]
    return (
        "·".join(f"({part})" if "÷" in part else part for part in parts)
        if len(parts) > 1
        else parts[0]
    )


def axis_names(trace: Trace, notation: Notation) -> dict[str, str]:
    """What a text calls each axis letter, for the sizes of this layer."""
    names = {letter: letter for letter in AXES}
    names |= {letter: Symbol(notation.base(name)).plain for letter, name in AXIS_SIZES.items()}
    names |= {letter: Symbol(notation.width(trace, AXIS_SIZES[letter])).plain for letter in "KV"}
    names |= notation.axis_names
    one_length = trace.memory is trace.inputs and "T" not in notation.axis_names
    return names | {"S": names["T"]} if one_length else names


def says(trace: Trace, name: str, notation: Notation) -> str:
    """What a step did, in one sentence with the symbols and the convention of a text.

    >>> from attention_core import Projections, attend
    >>> says(attend([[1.0, 2.0]], Projections.weightless(2)), "queries", OURS)
    'Every token asks one question per head: its whole vector multiplied by W_Q.'
    """
    return _reworded(trace.says(name), notation)


def _reworded(sentence: str, notation: Notation) -> str:
    named = {
        OURS.symbols[name]: name
        for name in ("w_q", "w_k", "w_v", "w_o", "queries", "keys", "values", "scale")
    }

    def written(found: re.Match[str]) -> str:
        sign = Symbol(notation.base(named[found[1]]))
        is_turned = named[found[1]] in WEIGHTS and notation.convention == "column"
        return sign.transposed.plain if is_turned else sign.plain

    return turned(re.sub(r"(?<![\w’'])(W_[QKVO]|[QKVs])(?!\w)", written, sentence), notation)


def turned(words: str, notation: Notation) -> str:
    """Words about matrices where tokens are rows, as they are said where tokens are columns if the
    notation says so.

    The user's own words must not be among them, for they may be “row” and “column”.

    >>> turned("this row, minus its maximum", Notation("x", "X", convention="column"))
    'this column, minus its maximum'
    """
    if notation.convention == "row":
        return words
    words = words.replace("side by side", "one below the other")
    return re.sub(r"\b(?:[Rr]ow|[Cc]olumn)(?=s?\b)", lambda m: OTHER_WAY[m[0]], words)


@dataclass(frozen=True)
class GlossaryRow:
    """One quantity in our words and in those of a text."""

    name: str
    our_word: str
    our_symbol: Symbol
    their_word: str
    their_symbol: Symbol
    meaning: str
    remark: str


def glossary(notation: Notation) -> tuple[GlossaryRow, ...]:
    """Every quantity of the layer: sizes, weights, then the fields in order of computation.

    The remark says where the text is silent (then its symbol and word are ours) or wrong (then what
    is right).
    """
    meanings = {name: meaning for name, (_, _, meaning) in (SIZES | WEIGHTS).items()}
    meanings |= {name: _reworded(step.says, notation) for name, step in STEPS.items()}
    return tuple(
        GlossaryRow(
            name,
            OURS.words[name],
            symbol(name, OURS),
            notation.words.get(name, OURS.words[name]),
            symbol(name, notation),
            meaning,
            remark(name, notation),
        )
        for name, meaning in meanings.items()
    )


def remark(name: str, notation: Notation) -> str:
    """What to know about a text's symbol or word: that it has none, that it is corrected, or
    nothing.
    """
    return notation.remarks.get(name, "" if name in notation.symbols else SILENT)
