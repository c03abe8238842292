"""Three sentences beside the picture of a step: what is seen, with the numbers of now; why it is
so; and what to try, with a button that does it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from attention_lab.block import block_of
from attention_lab.heads.keys_read import read_row, scale_effect
from attention_lab.mask_kinds import CAUSAL, WINDOW
from attention_lab.next_token import next_token_of
from attention_lab.rotary_pairs import pair_of
from attention_lab.story.cuts import HEAD_FIELDS, merge_facts, output_facts, projection_facts
from attention_lab.story.inputs import overview_facts
from attention_lab.story.scores import norm_facts
from attention_lab.words.numbers import format_percent

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
    largest_other,
    longer,
    number_in_focus,
    told,
    what_is_read,
)
from .story_view import StoryView


def reasons_of(view: StoryView, path: str, board: JSON) -> Reasons:
    """The sentences of a step. board: its matrices. Raises: AttentionError."""
    return STEP_REASONS[path](view, board)


def _overview(view: StoryView, board: JSON) -> Reasons:
    facts = overview_facts(view.trace, view.focus)
    read, score = what_is_read(view), told(facts.score)
    return Reasons(
        f"In head {view.focus.head} {read}; its score with {asked(view)} is {score}.",
        "What a word means here depends on other words: attention lets a token read from those that"
        " it may see.",
        another_head(view, "See what the same token reads in another head.")
        or another_cell("Another token has shares of its own.", board, -2)
        or longer(view),
    )


def _tokens(view: StoryView, board: JSON) -> Reasons:
    n_features, place = view.trace.sizes["D"], board["cell"]["index"][-1]
    other = largest_other(np.abs(view.trace.inputs[0, view.focus.query]), place)
    return Reasons(
        f"{asking(view)} has {n_features}; number {place} is {number_in_focus(view, board)}.",
        "A layer computes with numbers alone, so a word has to be a vector; two words with the same"
        " vector would be one word to it.",
        another_cell(f"Of its other numbers, {other} is farthest from 0.", board, -1, other)
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
        f" number {facts.feature} for {word} is {number_in_focus(view, board)}.",
        WHY_A_MATRIX[view.which],
        another_matrix(view.which, *HEAD_FIELDS),
    )


def _split(view: StoryView, board: JSON) -> Reasons:
    field = HEAD_FIELDS[view.which]
    _, n_parts, _, width = getattr(view.trace, field).shape
    return Reasons(
        f"A vector of {n_parts * width} numbers becomes {n_parts} of {width}.",
        "Each head has scores of its own, so with several heads a token can read from several"
        " places at once.",
        another_head(view, "The next head takes the next numbers of the same vector.")
        or another_matrix(view.which, *HEAD_FIELDS),
    )


def _qk_norm(view: StoryView, board: JSON) -> Reasons:
    facts = norm_facts(view.trace, view.focus.head)
    most, largest = (told(one, 2) for one in (facts.most, facts.largest))
    which = "keys" if view.which == "keys" else "queries"
    return Reasons(
        f"A scaled score of head {view.focus.head} has at most the size {most}; the largest here"
        f" has {largest}.",
        "A longer vector would give larger scores and sharper shares; divided by its root mean"
        " square, it brings its direction alone.",
        another_matrix(which, "queries", "keys"),
    )


def _rotary(view: StoryView, board: JSON) -> Reasons:
    which = "keys" if view.which == "keys" else "queries"
    pair = pair_of(view.trace, board["cell"]["array"], tuple(board["cell"]["index"]))
    angle, length = told(pair.angle), told(pair.length)
    return Reasons(
        f"At position {pair.position} the pair {pair.first}, {pair.second} turns by {angle} radians"
        f" and keeps its length {length}.",
        "In the product of two turned vectors only the difference of their angles is left, so a"
        " score knows how far apart two tokens are.",
        another_matrix(which, "queries", "keys"),
    )


def _scores(view: StoryView, board: JSON) -> Reasons:
    focus, scores_HTS = view.focus, view.trace.scores[0]
    row_S = scores_HTS[focus.head, focus.query]
    low, high = (told(float(one)) for one in (row_S.min(), row_S.max()))
    other = largest_other(row_S, focus.key)
    word = short_quote(view.trace.labels("S"), other)
    says = f"Its largest other score is {told(float(row_S[other]))}, with {word}."
    return Reasons(
        f"{asking(view)} and {asked(view)} give {number_in_focus(view, board)}; the scores of"
        f" {asking(view)} go from {low} to {high}.",
        "A product is above 0 where both numbers have the same sign, so the sum grows with what"
        " query and key agree on.",
        another_cell(says, board, -1, other)
        or another_cell("Another query asks for something else.", board, -2)
        or another_head(view, "The next head compares other numbers of the same two tokens.")
        or longer(view),
    )


def _scale(view: StoryView, board: JSON) -> Reasons:
    head, trace, width = view.focus.head, view.trace, view.trace.sizes["K"]
    effect, root = scale_effect(trace, head), told(width**0.5, 2)
    spreads = [told(one, 2) for one in (effect.spread_raw, effect.spread)]
    tops = [format_percent(one) for one in (effect.top_raw, effect.top)]
    is_on = view.scenario.scaling == "on"
    tried = Note(
        f"The largest share of a query (no mask) is {tops[0]} on average from scores, and"
        f" {tops[1]} from scaled ones.",
        "Scale off" if is_on else "Scale on",
        "scaling",
        "off" if is_on else "on",
    )
    return Reasons(
        f"In head {head} the spread of the scores goes from {spreads[0]} to {spreads[1]}.",
        "The spread of a sum of independent terms grows with the root of their number, here"
        f" √{width} = {root}; a factor of 1/{root} undoes just that.",
        (tried, *elsewhere(view, board)),
    )


def _mask(view: StoryView, board: JSON) -> Reasons:
    trace, focus = view.trace, view.focus
    n_keys, hidden_T = trace.sizes["S"], trace.hidden_keys[0, focus.head]
    n_hidden, n_cells = int(hidden_T.sum()), trace.sizes["T"] * n_keys
    is_causal = view.scenario.mask == CAUSAL.name
    why = "A hidden score is −∞, and e to the power of −∞ is 0: so the key gets no share."
    if is_causal:
        why = f"Who learns to guess the next word must not see it. {why}"
    return Reasons(
        f"Keys that {asking(view)} sees: {n_keys - int(hidden_T[focus.query])} of {n_keys}; hidden"
        f" cells of head {focus.head}: {n_hidden} of {n_cells}.",
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
    row = read_row(view.trace, view.focus.head, view.focus.query, 1)
    has_sink = view.trace.sink is not None
    rest = f"; all its shares sum to {told(row.total)}" * bool(row.strongest)
    tried = Note(
        "A sink is one more score in the sum: with it a token need not give all to other tokens.",
        "No sink" if has_sink else "With a sink",
        "sink",
        "false" if has_sink else "true",
    )
    return Reasons(
        f"{what_is_read(view)}{rest}.",
        "The exponential turns a step up in score into a factor and leaves nothing below 0; divided"
        " by the sum of all, the results are shares.",
        (tried, *elsewhere(view, board)),
    )


def _mixing(view: StoryView, board: JSON) -> Reasons:
    place = board["cell"]["index"][-1]
    return Reasons(
        f"{what_is_read(view)}; number {place} of the mix is {number_in_focus(view, board)}.",
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
    trace, index = view.trace, board["cell"]["index"]
    facts = output_facts(trace, view.focus.head, index[-1])
    also = [" a bias"] * facts.has_bias + [" its input"] * facts.residual
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
    other = largest_other(np.abs(trace.output[0, view.focus.query]), index[-1])
    return Reasons(
        f"Number {index[-1]} of {asking(view)} is {number_in_focus(view, board)}. Heads with a part"
        f" in it: {facts.n_mixed} of {facts.n_heads}{plus}.",
        why,
        another_cell(f"Of its other numbers, {other} is farthest from 0.", board, -1, other)
        or another_cell("Another token goes through the same matrix.", board, -2)
        or longer(view),
    )


def _block(view: StoryView, board: JSON) -> Reasons:
    found = block_of(view.scenario, view.block, view.sequence)
    feature, is_on = board["cell"]["index"][-1], view.block.skip == "on"
    after = told(float(found.output[view.focus.query, feature]))
    before = "."
    if feature < found.inputs.shape[1]:
        given = told(float(found.inputs[view.focus.query, feature]))
        before = f"; it was {given} before."
    kept = ", and what was there is added again" * is_on
    tried = Note(
        "A residual connection adds what went in to what comes out.",
        f"{'Without' if is_on else 'With'} residual connections",
        "skip",
        "off" if is_on else "on",
    )
    return Reasons(
        f"Its number {feature} leaves as {after}{before}",
        "Attention brings numbers from other tokens, the feed-forward part works on what has"
        f" arrived in each token{kept}.",
        (tried, *(another_cell("The next number goes the same way.", board, -1) or longer(view))),
    )


def _next_token(view: StoryView, board: JSON) -> Reasons:
    found = next_token_of(view.shown)
    first = short_quote(found.pieces, 0)
    logit = float(found.run.logits[found.position, found.shown[0]])
    n_heads = view.trace.sizes["H"]
    added_N = found.parts @ found.run.decoder.embedding[found.shown[0]]
    most = int(added_N[1 : 1 + n_heads].argmax())
    is_off = view.scenario.without != "none"
    says = f"Head {most} adds most of the heads, {told(float(added_N[1 + most]))}"
    tried = Note(
        "A head is off: see what the model says with all."
        if is_off
        else f"{says}: see what the model says without it.",
        "All heads again" if is_off else f"Switch off head {most}",
        "without",
        "none" if is_off else str(most),
    )
    return Reasons(
        f"The logit of {first} is {told(logit)}, a sum of {len(found.part_names)} parts.",
        "Every part of the model adds its result to one vector, so a logit is a sum in which each"
        " head has a part of its own.",
        (
            tried,
            *another_cell(f"{says}.", board, -1, 1 + most),
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
