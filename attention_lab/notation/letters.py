"""Formulas inside sentences, with our letters exchanged for those of a text."""

from __future__ import annotations

import re

from attention_core.trace import Trace

from .notation import Notation

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
    _, query, key, _ = notation.indices
    index, names = (
        {"i": query, "j": key},
        {"n": notation.base("n_tokens"), "S": notation.base("scores")},
    )
    letters = (
        index | names | {"d_k": notation.width(trace, "d_k") if trace else notation.base("d_k")}
    )

    def cell(found: re.Match[str]) -> str:
        places = [
            OUR_LETTER.sub(lambda letter: letters[letter[0]], place)
            for place in (found[1], found[3])
        ]
        ordered = places[::-1] if notation.convention == "column" else places
        return f"{notation.base('probabilities')}_{{{found[2].join(ordered)}}}"

    def formula_of(found: re.Match[str]) -> str:
        return OUR_LETTER_OR_SHARE.sub(
            lambda one: cell(one) if one[1] else letters[one[0]], found[0]
        )

    return re.sub(r"\$\$?[^$]+\$\$?", formula_of, words)
