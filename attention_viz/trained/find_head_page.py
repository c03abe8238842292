"""The page *Find a head*: the heads ranked by what they do on the sentence."""

from collections.abc import Sequence

import numpy as np

from attention_lab.notation.formulas import in_letters
from attention_lab.notation.notation import symbol
from attention_lab.trained.head_facts import (
    COPIES,
    WORD_TO_WORD,
    FindFacts,
    FoundHeads,
    find_facts,
    find_heads,
)
from attention_lab.trained.head_finder import rules_for
from attention_lab.trained.head_measures import HEAD_MEASURES, measures_for
from attention_lab.whose_heads import HeadsShown
from attention_lab.words.numbers import format_number, format_percent

from .. import blocks as b
from ..markdown import escape_markdown
from ..page_choices import Choice, Select, by_name
from ..pieces import label_of, word_of
from ..story.story_view import StoryView
from .head_pages import ALL_HEADS, CELL, HEAD, LAYER, HeadPage, fields, heads_clicks, opening
from .heads import best_heads
from .measures import heads_matrix, measure_by_layer

FROM, TO = "fh_from", "fh_to"
RULE_TARGETS = {
    "previous token": "its left neighbour",
    "next token": "its right neighbour",
    "itself": "itself",
    "first token": "the first token",
    "last token": "the last token",
    "repeated words": "the other places of the same word",
    "after the last time": "what came after it last time",
}
# Two rules that make an induction circuit, and words in no order, said twice, to try them on.
OF_INDUCTION = ("previous token", "after the last time")
SAID_TWICE = " ".join(["big sun day dog mom red tree cat"] * 2)
FROM_AND_TO = (15, 6), (9, 2)  # "The" and "f" in stories260K; in others "it" and "animal"
SHARE_FORMULA = r"\frac{1}{n}\sum_i \sum_{j \in J_i} A_{ij}"
COPIES_FORMULA = (
    r"\frac{1}{n}\sum_i \sum_{0<j<i} A_{ij}\Big(\ell_{ij}(x_j) - \tfrac{1}{N}\sum_x"
    r" \ell_{ij}(x)\Big), \quad \ell_{ij} = \frac{V_j W_O \odot g}{r_i}\,E^\top"
)
COPIES_MEANS = (
    "The value of a token that a head reads goes through the head’s rows of W_O and straight to"
    " the logits, which say how well each piece fits next. The number is how much this raises"
    " the logit of **that token’s own piece**, above the mean of all $N$ pieces: a positive one"
    " means that the head, **on this direct path**, writes again what it reads. It is weighted with"
    " the shares and averaged over the $n = T - 2$ tokens that have an earlier piece to read; a"
    " token’s share for itself and for the start counts 0. The divisor $r_i$ of the last norm is"
    " held at its value; $g$ is its gain, $E$ the embedding, $x_j$ the piece at $j$.\n\nThe direct"
    " path leaves out that later layers read what the head wrote. So the head is also **switched"
    " off**: its output is set to 0, all that follows is computed again, and the same mean is taken"
    " of how far the logits fall. The two numbers may differ in sign. (The direct path is that of"
    " Elhage et al. 2021. They measure another thing: whether the eigenvalues of the head’s"
    " matrices, from embedding to logits, are positive, which no sentence decides.)"
)
SHARE_MEANS = (
    "The share that each head gives to the tokens $J_i$ that the rule names for token $i$, as a"
    " mean over the tokens for which it names one."
)


def _choices(shown: HeadsShown) -> Sequence[Choice]:
    maps = shown.maps
    copies = (COPIES,) if shown.run else ()
    rules = (*copies, *rules_for(maps), WORD_TO_WORD, *measures_for(maps, bool(shown.traces)))
    rule = Select("fh_rule", "Find the head that does this most", rules[0], by_name(rules))
    asks, answers = FROM_AND_TO[not shown.is_stories]
    return (
        rule,
        _word(FROM, "From the word", maps.tokens, asks),
        _word(TO, "To the word", maps.memory_tokens, answers),
    )


def _beside(values: b.Values, shown: HeadsShown) -> Sequence[b.Field]:
    """The rule, and the words that it needs."""
    return fields(values, _choices(shown)[: 3 if values["fh_rule"] == WORD_TO_WORD else 1])


def _word(key: str, label: str, tokens: Sequence[str], usual: int) -> Select:
    """The choice of a word by one of its tokens."""
    words = {}
    for place, token in enumerate(tokens):
        word = word_of(tokens, place)
        words[str(place)] = f"{place} · {label_of(token)}" + (f" of {word}" if word else "")
    return Select(key, label, str(min(usual, len(tokens) - 1)), words)


def _found(values: b.Values, shown: HeadsShown) -> FoundHeads:
    words = int(values[FROM]), int(values[TO])
    return find_heads(values["fh_rule"], shown.maps, shown.traces, shown.run, words)


def _facts(_: StoryView, values: b.Values, shown: HeadsShown) -> FindFacts | None:
    return find_facts(_found(values, shown), shown.maps, shown.run)


def _blocks(
    view: StoryView, values: b.Values, shown: HeadsShown, facts: FindFacts | None
) -> Sequence[b.Block]:
    ranked = _found(values, shown)
    cell = ranked.best[0][:2] if ranked.best else (0, 0)
    matrix = heads_matrix(ranked.measured.values, cell, ranked.rule, shares=ranked.pair is not None)
    heads = np.ndindex(ranked.measured.values.shape)
    dots = {f"{one}-{of}": {LAYER: one, HEAD: of, CELL: ""} for one, of in heads}
    figure = measure_by_layer(ranked.measured, ranked.rule)
    chart = b.Chart(figure, "by layer", opening(dots, shown.model), opens=ALL_HEADS)
    ranking = b.Board(
        matrix, "find a head", sets=opening(heads_clicks(matrix), shown.model), opens=ALL_HEADS
    )
    return [
        b.Text(_answer(ranked.rule, facts)),
        b.Beside(([ranking], [chart]), (1, 1)),
        b.Text("A click on a cell or a dot opens the head.", small=True),
        *_said_twice(view, ranked),
        *_heads_that_do_it_most(ranked, shown, facts),
        b.Folded("How it is measured", [b.Text(_how_it_is_measured(view, ranked))]),
        b.Note(
            "**Attention is not explanation.** A head that looks at a word need not use it: what"
            f" arrives is the word’s value vector, and"
            f" {escape_markdown(symbol('w_o', view.notation).plain)} may throw it away. A rank on"
            " one sentence is not a rule. Try other sentences and see whether the same head wins."
            " (Jain and Wallace 2019; Wiegreffe and Pinter 2019.)",
            "wrong",
        ),
    ]


def _said_twice(view: StoryView, ranked: FoundHeads) -> list[b.Block]:
    """What shows whether a head does it without help from the meaning of a sentence."""
    if ranked.rule not in OF_INDUCTION or view.scenario.text == SAID_TWICE:
        return []
    button = b.Button("Try it on random words, said twice", {"text": SAID_TWICE, "n_tokens": 0})
    where = b.Link("How two layers do it together", "two-layers")
    return [b.Row((button, where))]


def _heads_that_do_it_most(
    ranked: FoundHeads, shown: HeadsShown, facts: FindFacts | None
) -> list[b.Block]:
    if facts is None:
        return []
    written = format_percent if ranked.pair is not None else format_number
    cell = ranked.pair or shown.first_cell(facts.layer, facts.head)
    board = best_heads(shown.maps, ranked.best, cell, written)
    clicks = opening(heads_clicks(board), shown.model)
    both = [
        [f"layer {one.layer}, head {one.head}", str(one.direct), str(one.falls)]
        for one in facts.copiers
    ]
    head = ["", "direct path", "falls when switched off"]
    return [
        b.Heading("The heads that do it most"),
        *([b.Table(head, both)] if both else []),
        b.Board(board, "best heads", sets=clicks, opens=ALL_HEADS),
    ]


def _answer(rule: str, facts: FindFacts | None) -> str:
    """Which head does it most, and what its number means."""
    if facts is None:
        return "**No head does it.** A mask may hide these keys, or there are none."
    name = f"**Layer {facts.layer}, head {facts.head}"
    if facts.lost is not None:
        return f"{name} does it most.** {_copies_both_ways(facts)}"
    if rule in HEAD_MEASURES:
        return f"{name}** has the largest number: **{facts.number}**."
    says = f"{name} does it most.** In it, "
    if rule == WORD_TO_WORD:
        average = "on average, a piece of " if facts.several else ""
        asking, read = escape_markdown(facts.asking), escape_markdown(facts.read)
        says += f"{average}“{asking}” gives “{read}” {facts.number} of its attention."
    else:
        says += f"on average, a token gives {RULE_TARGETS[rule]} {facts.number} of its attention."
    if facts.even is not None:
        says += f" A head that reads all tokens it may see equally would give {facts.even}."
    return says


LOGIT_MOVES = {
    "more": "falls by **{}**.",
    "less": "rises by **{}**: later layers turn it round.",
    "equal": "stays.",
}


def _copies_both_ways(facts: FindFacts) -> str:
    """What a head does for the pieces that it reads: on the direct path, and when it is missing."""
    return (
        "On average, what it writes raises the logit of what it has read by"
        f" **{facts.number}** on the direct path. Switched off, this logit really"
        f" {LOGIT_MOVES[facts.moves or 'equal'].format(facts.lost)}"
    )


def _how_it_is_measured(view: StoryView, ranked: FoundHeads) -> str:
    if ranked.rule == COPIES:
        return f"${COPIES_FORMULA}$\n\n{COPIES_MEANS}"
    formula, means = SHARE_FORMULA, SHARE_MEANS
    if not ranked.pair is not None:
        measure = HEAD_MEASURES[ranked.rule]
        formula, means = measure.formula, f"{measure.description} Range: {measure.range}."
    return in_letters(f"${formula}$\n\n{means}", view.notation)


FIND_A_HEAD = HeadPage("find-a-head", _choices, _blocks, _beside, facts=_facts).page
