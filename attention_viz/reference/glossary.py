"""The glossary: every quantity with its symbols and names, the arrays of the layer with theirs, and
words without a symbol.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from attention_core import STEPS, Trace
from attention_core.projections import MATRICES
from attention_lab import notation
from attention_lab.home import read_table
from attention_lab.notation.notation import AXIS_SIZES, OURS, Notation
from attention_lab.notation.quantities import NAMES_ELSEWHERE, GlossaryRow
from attention_lab.notation.texts import NOTATIONS
from attention_lab.page_list import page_of
from attention_lab.search import Texts, best_matches
from attention_lab.words.numbers import format_number

from ..blocks import Table
from ..markdown import escape_markdown


@dataclass(frozen=True)
class Word:
    """A word, with other names for it in brackets; its meaning; the URL path of a page that shows
    it.
    """

    word: str
    meaning: str
    page: str


@lru_cache(maxsize=1)
def glossary_words() -> tuple[Word, ...]:
    """All words without a symbol, in alphabetical order."""
    return tuple(Word(**row) for row in read_table("words"))


def meaning(word: str) -> str:
    """What the glossary says of a word, for the help of a control that uses it.

    >>> meaning("rank collapse")
    'In a stack of attention layers alone the tokens become more and more alike.'
    """
    return next(one.meaning for one in glossary_words() if one.word.split(" (")[0] == word)


def word_table(shown: tuple[Word, ...]) -> Table:
    """Words with their meaning, and a page that shows each."""
    rows = [
        [
            escape_markdown(one.word),
            escape_markdown(one.meaning),
            f"[{escape_markdown(page_of(one.page).title)}]({one.page})",
        ]
        for one in shown
    ]
    return Table(["word", "what it is", "where to see it"], rows, words=True)


def _all_rows(text: Notation) -> tuple[GlossaryRow | Word, ...]:
    return (*notation.glossary(text), *glossary_words())


def find_in_glossary(
    typed: str, text: Notation
) -> tuple[tuple[GlossaryRow, ...], tuple[Word, ...]]:
    """The quantities, and the words without a symbol, that hold every word searched for, or most of
    them.
    """
    matches = best_matches(typed, _all_rows(text), searched_texts)
    rows = tuple(one for one in matches if isinstance(one, GlossaryRow))
    return rows, tuple(one for one in matches if isinstance(one, Word))


def glossary_texts(text: Notation) -> Iterator[Texts]:
    """The texts of each row in which a search of the glossary looks."""
    return map(searched_texts, _all_rows(text))


def searched_texts(row: GlossaryRow | Word) -> Texts:
    """Name, symbols, words, meaning and remark of a quantity, and its words elsewhere; or a word
    and its meaning.
    """
    if isinstance(row, Word):
        return row.word, row.meaning
    return (
        row.name,
        row.our_word,
        row.our_symbol.plain,
        row.their_word,
        row.their_symbol.plain,
        row.meaning,
        row.remark,
        NAMES_ELSEWHERE.get(row.name, ""),
    )


def glossary_table(
    rows: tuple[GlossaryRow, ...], text: Notation, trace: Trace | None = None
) -> Table:
    """The quantities in our words and, unless the text is ours, in its words; with axes and sizes
    if there is a layer.
    """
    ours = text.has_our_letters
    head = ["symbol", "word", "axes", "size", "what it is"]
    if not ours:
        head[1:2] = ["its word", "ours", "our word"]
        head.append("remark")
    lines = []
    for row in rows:
        line = [f"${row.our_symbol.latex}$", _word(row), *axes_and_size(row.name, text, trace)]
        line.append(escape_markdown(row.meaning))
        if not ours:
            theirs = [f"${row.their_symbol.latex}$", escape_markdown(row.their_word)]
            line = [*theirs, *line, escape_markdown(row.remark)]
        lines.append(line)
    return Table(head, lines, words=True)


def axes_and_size(name: str, text: Notation, trace: Trace | None) -> tuple[str, str]:
    """The axes of a quantity and how long they are in a layer; the number of a size. A dash for
    what the layer lacks.
    """
    if trace is None:
        return "–", "–"
    numbers = {size: str(trace.sizes[letter]) for letter, size in AXIS_SIZES.items()}
    numbers["scale"] = format_number(trace.scale)
    if name in numbers:
        return "", numbers[name]
    array = getattr(trace if name in STEPS else trace.projections, name, None)
    if array is None or name not in (*STEPS, *MATRICES):
        return "–", "–"
    named = ", ".join(notation.axes(trace, name, text))
    return escape_markdown(named), " × ".join(map(str, text.as_shown(array.shape)))


def notation_table(rows: tuple[GlossaryRow, ...]) -> Table:
    """The symbol of every quantity in every text, side by side; a dash where a text has none."""
    texts = (OURS, *(text for text in NOTATIONS.values() if not text.has_our_letters))
    lines = [[_word(row), *(_own(row.name, text) for text in texts)] for row in rows]
    return Table(["quantity", *(text.key for text in texts)], lines, words=True)


def elsewhere_table(rows: tuple[GlossaryRow, ...]) -> Table:
    """The quantities that have other names in other code and tools, with these names."""
    named = [row for row in rows if row.name in NAMES_ELSEWHERE]
    lines = [[_word(row), NAMES_ELSEWHERE[row.name]] for row in named]
    return Table(["quantity", "elsewhere"], lines, words=True)


def _own(name: str, text: Notation) -> str:
    return f"${notation.symbol(name, text).latex}$" if name in text.symbols else "–"


def _word(row: GlossaryRow) -> str:
    return f"{escape_markdown(row.our_word)} `{row.name}`"
