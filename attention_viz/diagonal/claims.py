"""The page *Claims*: sentences about attention, each with its verdict and a check that runs on the
spot; a chart of the verdicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from itertools import product

from attention_lab.diagonal.claims.catalogue import (
    ALWAYS,
    CLAIMS,
    CONDITION,
    FALSE,
    TEXTS,
    Claim,
    find_claim,
)
from attention_lab.diagonal.claims.record import Evidence
from attention_lab.search import MAX_LETTERS, best_matches, respelled

from ..blocks import (
    Beside,
    Block,
    BlockPage,
    Chart,
    Folded,
    Heading,
    Several,
    Table,
    Text,
    Values,
    Words,
    row,
)
from ..curves import LEGEND_ABOVE, chart_axis
from ..labels import with_minus_signs
from ..markdown import escape_markdown
from ..parts import figure_margins, layout
from ..reference.questions_page import search_notes
from ..story.story_view import StoryView
from ..theme import Figure

BADGES = {
    ALWAYS: ":green[**always**]",
    CONDITION: ":orange[**under a condition**]",
    FALSE: ":red[**false**]",
}
VERDICTS = {
    ALWAYS: ("always true", "@value"),
    CONDITION: ("under a condition", "@head 1"),
    FALSE: ("false", "@key"),
}
TEXT_LABELS = {
    "gml": "GeometricMachineLearning.jl",
    "mql5": "MQL5 book",
    "doshi": "Doshi, part 3",
    "slides": "Slides",
    "note": "Lecture note",
    "vaswani": "Vaswani et al.",
    "alammar": "Alammar",
    "dong": "Dong et al.",
    "popular": "Often said",
}


def verdict_bars(claims: Iterable[Claim]) -> Figure:
    """A bar for each text, in three parts. A click on a part reports "text status"."""
    counts = Counter((claim.text, claim.status) for claim in claims)
    texts = [text for text in TEXTS if any(counts[text, status] for status in VERDICTS)]
    names = [TEXT_LABELS[text] for text in texts]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": names,
            "x": [counts[text, status] for text in texts],
            "marker": {"color": color},
            "text": [str(counts[text, status] or "") for text in texts],
            "textposition": "inside",
            "textangle": 0,
            "insidetextfont": {"color": "@background"},
            "customdata": [f"{text} {status}" for text in texts],
            "hovertemplate": "%{y}: %{x} " + name + "<extra></extra>",
        }
        for status, (name, color) in VERDICTS.items()
    ]
    sides = figure_margins(names, 12, l=8, r=8, t=30, b=10)
    description = (
        f"Bars: claims by text and verdict. Claims: {sum(counts.values())}. False:"
        f" {sum(counts[t, FALSE] for t in texts)}."
    )
    around = {
        "barmode": "stack",
        "bargap": 0.25,
        "showlegend": True,
        "margin": sides,
        "legend": LEGEND_ABOVE | {"traceorder": "normal"},
        "xaxis": chart_axis("", showticklabels=False, showgrid=False),
        "yaxis": {"autorange": "reversed", "fixedrange": True, "tickfont": {"size": 12}},
    }
    return {"data": data, "layout": layout(48 + 26 * max(1, len(texts)), description, **around)}


OURS_NOTE = (
    f"Sentences marked *ours*: {sum(one.is_ours for one in CLAIMS)}. They stand in no text: they"
    " say what a text does with its letters and formulas, or what a reader may conclude."
)
WORDS = Words("claims_words", "Search", "", most=MAX_LETTERS, help="Such as softmax.")
STATUS = Several("claims_status", "Verdict", (), {one: name for one, (name, _) in VERDICTS.items()})
TEXT = Several("claims_text", "Said by", (), {one: TEXT_LABELS[one] for one in TEXTS})


def _searched(one: Claim) -> tuple[str, ...]:
    """The texts that a search reads."""
    return one.id, one.statement, one.correction


def _blocks(view: StoryView, values: Values) -> Sequence[Block]:
    """The chart of all verdicts, and the claims that are chosen, text by text."""
    typed = values[WORDS.key]
    words = respelled(typed, map(_searched, CLAIMS))
    texts, statuses = values[TEXT.key] or TEXTS, values[STATUS.key] or VERDICTS
    chosen = [one for one in CLAIMS if one.status in statuses and one.text in texts]
    found = best_matches(words, chosen, _searched)
    filters: list[Block] = [
        row(values, WORDS, STATUS, TEXT),
        *search_notes(typed, words, list(map(_searched, found))),
        Text(f"Claims: **{len(found)}** of {len(CLAIMS)}."),
    ]
    clicks = {
        f"{text} {status}": {TEXT.key: (text,), STATUS.key: (status,), WORDS.key: ""}
        for text, status in product(TEXTS, VERDICTS)
    }
    chart: list[Block] = [
        Chart(verdict_bars(CLAIMS), "verdicts", clicks),
        Text("Click a part of a bar to list these claims.", small=True),
    ]
    return [
        Text(
            f"The list has {len(CLAIMS)} sentences about attention: some are often said, others"
            " come from papers and from five texts. Each is marked as :green[**always**] true, true"
            " :orange[**under a condition**] or :red[**false**], with the correct statement and a"
            " computation that checks it now. What is often said is put in our words; what papers"
            f" and texts say, in theirs or in fewer. {OURS_NOTE} A difference that is only rounding"
            " is shown as 0. The [glossary](glossary) explains terms."
        ),
        Beside((filters, chart), (3, 2)),
        *_of_texts(found),
    ]


def _of_texts(found: Sequence[Claim]) -> list[Block]:
    """Claims below the titles of their texts; of the whole list folded, the first text open."""
    blocks: list[Block] = []
    for text, title in TEXTS.items():
        mine = [one for one in found if one.text == text]
        if len(found) == len(CLAIMS):
            is_first = text == next(iter(TEXTS))
            blocks.append(Folded(f"{title}: {len(mine)}", partial(_tables, mine), is_first))
        elif mine:
            blocks += [Heading(title), *_tables(mine)]
    return blocks


def _tables(claims: Sequence[Claim]) -> list[Block]:
    """Each claim with its verdict, the correct statement, and the result of its check."""
    rows = []
    for one in claims:
        result = evidence(one.id)
        says, outcome = with_minus_signs(result.sentence), "holds" if result.claimed else "fails"
        statement = escape_markdown(one.statement)
        quoted = f"**{statement}** *ours*" if one.is_ours else f"**“{statement}”**"
        said = f"{quoted} {BADGES[one.status]}"
        checked = f"{escape_markdown(says)} As worded it **{outcome}** in this check."
        rows.append([said, escape_markdown(one.correction), checked])
    return [Table(["what is said", "what is true", "checked here"], rows, words=True)]


@lru_cache(maxsize=256)
def evidence(identifier: str) -> Evidence:
    """The result of the check of a claim. It is always the same, so it is computed once."""
    return find_claim(identifier).check()


CLAIM_PAGE = BlockPage("claims", lambda _: (WORDS, STATUS, TEXT), _blocks)
