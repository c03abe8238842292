"""Every quantity of the layer in our words and in those of a text."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.trace import STEPS

from .notation import OURS, SIZES, WEIGHTS, Notation, symbol
from .symbols import Symbol

NO_SYMBOL_REMARK = "The text has no symbol for it: ours is used."


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
    meanings |= {name: step.sentence for name, step in STEPS.items()}
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
    found = [notation.remarks[name]] if name in notation.remarks else []
    found += [f"Corrected: {notation.corrections[name]}"] if name in notation.corrections else []
    return " ".join(found) or ("" if name in notation.symbols else NO_SYMBOL_REMARK)
