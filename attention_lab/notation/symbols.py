"""Symbols: as LaTeX, and in plain characters for places that cannot typeset."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

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
        return Symbol(
            f"({self.latex})^{{\\top}}" if "^" in self.latex else f"{self.latex}^{{\\top}}"
        )


@lru_cache(maxsize=1024)
def _plain(latex: str) -> str:
    text = re.sub(
        r"\\(hat|tilde) (\\[a-z]+|\w)",
        lambda m: m[2] + {"hat": "\u0302", "tilde": "\u0303"}[m[1]],
        latex,
    )
    for macro, sign in SIGNS.items():
        text = text.replace(macro, sign)
    text = re.sub(r"\\(?:mathrm|mathtt|text)\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"_(?:\{([^{}]*)\}|(\w))", lambda m: _lowered(m[1] or m[2]), text)
    text = re.sub(r"\^\{(\([^{}]*\))\}", lambda m: m[1].translate(RAISED), text)
    return normalize("NFC", re.sub(r"\^\{([^{}]*)\}", r"^\1", text).replace("\0", "_"))


def _lowered(index: str) -> str:
    return index.translate(LOWERED) if set(index) <= set(LOW) else f"_{index}"
