"""The sentence as tokens."""

from __future__ import annotations

from html import escape

from attention_core.text import PADDING_TOKEN, Tokens


def chips_html(tokens: Tokens, chosen: int) -> str:
    """The tokens as a row of chips, each with its number below; the chosen one is lit, padding is
    dashed.

    Tokens are escaped and kept apart from the direction of their neighbours, so that no script
    disturbs the order.

    >>> "&lt;b&gt;" in chips_html(Tokens(("<b>",), 1), 0)
    True
    """
    chips = []
    for place, token in enumerate(tokens.tokens):
        kinds = (
            ["token"]
            + ["padding"] * (token == PADDING_TOKEN and place >= tokens.n_real)
            + ["chosen"] * (place == chosen)
        )
        inside = f"<bdi>{escape(token)}</bdi><small>{place}</small>"
        chips.append(f'<span role="listitem" class="{" ".join(kinds)}">{inside}</span>')
    return f'<div class="tokens" role="list">{"".join(chips)}</div>'
