r"""One quantity, several ways to write it: our notation, with tokens as rows or as columns, and the
symbols, words and axes of any other text.

In the column convention a token is a column: every matrix stands transposed, its numbers are the
same (see `columns`). Symbols are in `symbols`, the texts themselves in `texts`, axes in
`array_axes`, the glossary in `quantities`, the formulas in `formulas`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from attention_core.steps import AXES
from attention_core.trace import STEPS, Trace

from .symbols import Symbol as Symbol

# Sizes and weights: our word, our symbol, what it is. The fields of the `Trace` say this themselves
# in their `Step`.
SIZES = {
    "n_tokens": (
        "sequence length",
        "n",
        "How many tokens there are. In code: axis T for queries, axis S for keys.",
    ),
    "d_model": ("width", "C", "How many numbers describe one token. In code: axis D."),
    "n_heads": ("heads", "h", "How many heads attend at the same time. In code: axis H."),
    "d_k": (
        "query and key width",
        "d_k",
        "How many numbers one head's query or key has. In code: axis K.",
    ),
    "d_v": ("value width", "d_v", "How many numbers one head's value has. In code: axis V."),
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


def written_name(trace: Trace, name: str, notation: Notation) -> str:
    """The quantity whose symbol a text writes: a text that knows no memory makes keys and
    values from the inputs.
    """
    known = "memory" in notation.symbols or trace.memory is not trace.inputs
    return "inputs" if name == "memory" and not known else name
