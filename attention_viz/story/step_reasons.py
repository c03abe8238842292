"""Three sentences beside the picture of a step: what is seen, with the numbers of now; why it is
so; and what to try, with a button that does it.
"""

from collections.abc import Callable, Mapping

import numpy as np

from attention_lab.block import block_of
from attention_lab.heads.keys_read import read_row, scale_effect
from attention_lab.mask_kinds import CAUSAL, WINDOW
from attention_lab.next_token import next_token_of
from attention_lab.rotary_pairs import pair_of
from attention_lab.story.cuts import (
    HEAD_FIELDS,
    compared,
    merge_facts,
    output_facts,
    projection_facts,
    split_facts,
)
from attention_lab.story.inputs import overview_facts
from attention_lab.story.scores import norm_facts
from attention_lab.story.seen import (
    block_seen,
    keys_seen,
    next_seen,
    scores_seen,
)
from attention_lab.words.numbers import Told

from ..payload import JSON
from ..step_scene import Note, Reasons
from .misplaced import short_quote
from .reasons import (
    another_cell,
    another_head,
    another_matrix,
    asked,
    asking,
    elsewhere,
    farthest,
    longer,
    number_in_focus,
    what_is_read,
)
from .story_view import StoryView


def reasons_of(view: StoryView, path: str, board: JSON) -> Reasons:
    """The sentences of a step. board: its matrices. Raises: AttentionError."""
    return STEP_REASONS[path](view, board)


def _overview(view: StoryView, board: JSON) -> Reasons:
    facts = overview_facts(view.trace, view.focus)
    read = what_is_read(view, read_row(view.trace, view.focus.head, view.focus.query))
    return Reasons(
        f"In head {view.focus.head} {read}; its score with {asked(view)} is {Told(facts.score)}.",
        "What a word means here depends on other words: attention lets a token read from those that"
        " it may see.",
        another_head(view, "See what the same token reads in another head.")
        or another_cell("Another token has shares of its own.", board, -2)
        or longer(view),
    )


def _tokens(view: StoryView, board: JSON) -> Reasons:
    seen, place = number_in_focus(view, board), board["cell"]["index"][-1]
    return Reasons(
        f"{asking(view)} has {view.trace.sizes['D']}; number {place} is {seen.number}.",
        "A layer computes with numbers alone, so a word has to be a vector; two words with the same"
        " vector would be one word to it.",
        farthest(seen, board)
        or another_cell("The next number is another part of the vector.", board, -1)
        or another_cell("Another token has a vector of its own.", board, -2)
        or longer(view),
    )


WHY_A_MATRIX = {
    "queries": (
        "What a token looks for need not be what it is itself, so queries can get a matrix of"
        " their own."
    ),
    "keys": (
        "What a token is found by need not be what it looks for, so keys can get a matrix of their"
        " own."
    ),
    "values": (
        "What is read need not be what is looked for, so values can get a matrix of their own."
    ),
}


def _projections(view: StoryView, board: JSON) -> Reasons:
    facts = projection_facts(view.trace, view.which, view.focus)
    axis = "T" if view.which == "queries" else "S"
    word = short_quote(view.trace.labels(axis), facts.row)
    return Reasons(
        f"Head {view.focus.head} uses {facts.n_read} of {facts.n_features} numbers of a token;"
        f" number {facts.feature} for {word} is {number_in_focus(view, board).number}.",
        WHY_A_MATRIX[view.which],
        another_matrix(view.which, *HEAD_FIELDS),
    )


def _split(view: StoryView, board: JSON) -> Reasons:
    facts = split_facts(view.trace, view.which, view.focus)
    _, n_parts, _, width = facts.shape
    return Reasons(
        f"A vector of {facts.n_fused} numbers becomes {n_parts} of {width}.",
        "Each head has scores of its own, so with several heads a token can read from several"
        " places at once.",
        another_head(view, "The next head takes the next numbers of the same vector.")
        or another_matrix(view.which, *HEAD_FIELDS),
    )


def _qk_norm(view: StoryView, board: JSON) -> Reasons:
    facts = norm_facts(view.trace, view.focus.head, view.focus.query)
    most, largest = (Told(one, 2) for one in (facts.most, facts.largest))
    return Reasons(
        f"A scaled score of head {view.focus.head} has at most the size {most}; the largest here"
        f" has {largest}.",
        "A longer vector would give larger scores and sharper shares; divided by its root mean"
        " square, it brings its direction alone.",
        another_matrix(compared(view.which), "queries", "keys"),
    )


def _rotary(view: StoryView, board: JSON) -> Reasons:
    turn = pair_of(view.trace, board["cell"]["array"], board["cell"]["index"])
    return Reasons(
        f"At position {turn.position} the pair {turn.first}, {turn.second} turns by"
        f" {Told(turn.angle)} radians and keeps its length {Told(turn.length)}.",
        "In the product of two turned vectors only the difference of their angles is left, so a"
        " score knows how far apart two tokens are.",
        another_matrix(compared(view.which), "queries", "keys"),
    )


def _scores(view: StoryView, board: JSON) -> Reasons:
    facts = scores_seen(view.trace, view.focus)
    word = short_quote(view.trace.labels("S"), facts.other)
    says = f"Its largest other score is {facts.most}, with {word}."
    return Reasons(
        f"{asking(view)} and {asked(view)} give {number_in_focus(view, board).number}; the scores"
        f" of {asking(view)} go from {facts.low} to {facts.high}.",
        "A product is above 0 where both numbers have the same sign, so the sum grows with what"
        " query and key agree on.",
        another_cell(says, board, -1, facts.other)
        or another_cell("Another query asks for something else.", board, -2)
        or another_head(view, "The next head compares other numbers of the same two tokens.")
        or longer(view),
    )


def _scale(view: StoryView, board: JSON) -> Reasons:
    facts, is_on = scale_effect(view.trace, view.focus.head), view.scenario.scaling == "on"
    tried = Note(
        f"The largest share of a query (softmax alone, no mask) is {facts.top_raw} on average from"
        f" scores, and {facts.top} from scaled ones.",
        "Scale off" if is_on else "Scale on",
        "scaling",
        "off" if is_on else "on",
    )
    return Reasons(
        f"In head {view.focus.head} the spread of the scores goes from {facts.spread_raw} to"
        f" {facts.spread}.",
        "The spread of a sum of independent terms grows with the root of their number, here"
        f" √{facts.width} = {facts.root}; a factor of 1/{facts.root} undoes just that.",
        (tried, *elsewhere(view, board)),
    )


def _mask(view: StoryView, board: JSON) -> Reasons:
    head, facts = view.focus.head, keys_seen(view.trace, view.focus.head, view.focus.query)
    is_causal = view.scenario.mask == CAUSAL.name
    why = "A hidden score is −∞, and e to the power of −∞ is 0: so the key gets no share."
    if is_causal:
        why = f"Who learns to guess the next word must not see it. {why}"
    return Reasons(
        f"Keys that {asking(view)} sees: {facts.n_seen} of {facts.n_keys}; hidden cells of head"
        f" {head}: {facts.n_hidden} of {facts.n_cells}.",
        why,
        (*_another_mask(view), *elsewhere(view, board)),
    )


def _another_mask(view: StoryView) -> tuple[Note, ...]:
    """A mask that hides other keys than the one that is shown; nothing if there is none."""
    if view.layer is not None:
        return ()
    seen_TS = np.isfinite(view.trace.masked_scores[0, view.focus.head])
    n_tokens = len(seen_TS)
    return tuple(
        Note(f"See which keys a {name} mask hides.", f"{name.capitalize()} mask", "mask", name)
        for name, allows in ((one.name, one.allows) for one in (CAUSAL, WINDOW))
        if allows and (allows(view.scenario, n_tokens, (n_tokens,)) != seen_TS).any()
    )[:1]


def _softmax(view: StoryView, board: JSON) -> Reasons:
    facts = read_row(view.trace, view.focus.head, view.focus.query)
    has_sink = view.trace.sink is not None
    rest = f"; all its shares sum to {facts.total}" * (facts.key is not None)
    tried = Note(
        "A sink is one more score in the sum: with it a token need not give all to other tokens.",
        "No sink" if has_sink else "With a sink",
        "sink",
        "false" if has_sink else "true",
    )
    return Reasons(
        f"{what_is_read(view, facts)}{rest}.",
        "The exponential turns a step up in score into a factor and leaves nothing below 0; divided"
        " by the sum of all, the results are shares.",
        (tried, *elsewhere(view, board)),
    )


def _mixing(view: StoryView, board: JSON) -> Reasons:
    place, seen = board["cell"]["index"][-1], number_in_focus(view, board)
    read = what_is_read(view, read_row(view.trace, view.focus.head, view.focus.query))
    return Reasons(
        f"{read}; number {place} of the mix is {seen.number}.",
        "What is read need not be what is looked for: keys decide how much comes from a token,"
        " values what comes.",
        another_cell("Another token mixes the same values with its own shares.", board, -2)
        or another_head(view, "The next head mixes other values.")
        or another_cell("Another number is mixed with the same shares.", board, -1)
        or longer(view),
    )


def _merge(view: StoryView, board: JSON) -> Reasons:
    facts = merge_facts(view.trace, view.focus)
    return Reasons(
        f"Number {facts.feature} of head {view.focus.head} stands at place {facts.place[1]}.",
        "The next matrix can only combine heads if their numbers stand in one vector for each"
        " token.",
        another_head(view, "The numbers of the next head stand behind these.")
        or another_cell("With one head nothing moves: look at the next number.", board, -1)
        or another_cell("Another token keeps its own numbers.", board, -2)
        or longer(view),
    )


def _output(view: StoryView, board: JSON) -> Reasons:
    place, seen = board["cell"]["index"][-1], number_in_focus(view, board)
    facts = output_facts(view.trace, view.focus.head, place)
    also = ([" a bias"] if facts.has_bias else []) + ([" its input"] if facts.residual else [])
    plus = "; added:" * bool(also) + " and".join(also)
    why = (
        "Heads do not see each other: one matrix lets what they found meet, and gives it the width"
        " that the next part reads."
    )
    if not facts.has_w_o:
        why = (
            "Heads do not see each other, and here no matrix lets what they found meet: each number"
            " comes from one head."
        )
    return Reasons(
        f"Number {place} of {asking(view)} is {seen.number}. Heads with a part in it:"
        f" {facts.n_mixed} of {facts.n_heads}{plus}.",
        why,
        farthest(seen, board)
        or another_cell("Another token goes through the same matrix.", board, -2)
        or longer(view),
    )


def _block(view: StoryView, board: JSON) -> Reasons:
    block = block_of(view.scenario, view.block, view.sequence)
    feature, is_on = board["cell"]["index"][-1], view.block.skip == "on"
    facts = block_seen(block, view.focus.query, feature)
    before = "." if facts.before is None else f"; it was {facts.before} before."
    kept = ", and what was there is added again" * is_on
    tried = Note(
        "A residual connection adds what went in to what comes out.",
        f"{'Without' if is_on else 'With'} residual connections",
        "skip",
        "off" if is_on else "on",
    )
    return Reasons(
        f"Its number {feature} leaves as {facts.after}{before}",
        "Attention brings numbers from other tokens, the feed-forward part works on what has"
        f" arrived in each token{kept}.",
        (tried, *(another_cell("The next number goes the same way.", board, -1) or longer(view))),
    )


def _next_token(view: StoryView, board: JSON) -> Reasons:
    next_token = next_token_of(view.shown)
    first, facts = short_quote(next_token.pieces, 0), next_seen(next_token)
    is_off = view.scenario.without != "none"
    says = f"Head {facts.head} adds most of the heads, {facts.added}"
    tried = Note(
        "A head is off: see what the model says with all."
        if is_off
        else f"{says}: see what the model says without it.",
        "All heads again" if is_off else f"Switch off head {facts.head}",
        "without",
        "none" if is_off else str(facts.head),
    )
    return Reasons(
        f"The logit of {first} is {facts.logit}, a sum of {facts.n_parts} parts.",
        "Every part of the model adds its result to one vector, so a logit is a sum in which each"
        " head has a part of its own.",
        (
            tried,
            *another_cell(f"{says}.", board, -1, 1 + facts.head),
            *another_cell("Look at the next part of the sum.", board, -1),
        ),
    )


STEP_REASONS: Mapping[str, Callable[[StoryView, JSON], Reasons]] = {
    "overview": _overview,
    "tokens": _tokens,
    "projections": _projections,
    "split": _split,
    "qk-norm": _qk_norm,
    "rotary": _rotary,
    "scores": _scores,
    "scale": _scale,
    "mask": _mask,
    "softmax": _softmax,
    "mixing": _mixing,
    "merge": _merge,
    "output": _output,
    "block": _block,
    "next-token": _next_token,
}
