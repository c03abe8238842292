"""Every quantity of the layer in our words and in those of a text.

And what other code and other tools call each, as Markdown: PyTorch, Hugging Face, TransformerLens,
papers.

Sources: torch.nn.MultiheadAttention and scaled_dot_product_attention (PyTorch 2.13); BERT and GPT-2
in Hugging Face transformers; the hooks of TransformerLens; the tokens of CircuitsVis; Vaswani et
al. 2017.
"""

from dataclasses import dataclass

from ..home import read_table
from .notation import OURS, QUANTITIES, Notation, Symbol, symbol

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
    return tuple(
        GlossaryRow(
            name,
            word,
            symbol(name, OURS),
            notation.words.get(name, word),
            symbol(name, notation),
            notation.layout.fill(meaning),
            remark(name, notation),
        )
        for name, (word, _, meaning) in QUANTITIES.items()
    )


def remark(name: str, notation: Notation) -> str:
    """What to know about a text's symbol or word: that it has none, that it is corrected, or
    nothing.
    """
    remarks = [notation.remarks[name]] if name in notation.remarks else []
    remarks += [f"Corrected: {notation.corrections[name]}"] if name in notation.corrections else []
    return " ".join(remarks) or ("" if name in notation.symbols else NO_SYMBOL_REMARK)


NAMES_ELSEWHERE = {row["name"]: row["elsewhere"] for row in read_table("names_elsewhere")}
