"""Why a layer has queries, keys and values: the scores of a head read both ways, with W_K = W_Q and
with V = X, and what layers have learnt without one of the three.
"""

from collections.abc import Sequence

from attention_lab.compare import TwoLayers
from attention_lab.labs.tasks import N_LETTERS
from attention_lab.labs.training_settings import KEYS_ARE_QUERIES, VALUES_ARE_INPUTS
from attention_lab.why_three import (
    AGREEMENT,
    LETTERS,
    TrainedScore,
    WhyThree,
    trained_scores,
    why_three,
)
from attention_lab.words.numbers import format_decimals, format_number, format_percent

from .. import blocks as b
from ..markdown import quote_token
from ..masks.changes import change_board
from .story_view import StoryView

LEARNT = {
    "": "W_Q, W_K and W_V",
    KEYS_ARE_QUERIES: "one matrix for both, W_K = W_Q",
    VALUES_ARE_INPUTS: "no W_V, V = X",
}


def why_three_blocks(view: StoryView) -> Sequence[b.Block]:
    """The answer with the numbers of the head in focus. Raises: AttentionError."""
    head, trace = view.focus.head, view.trace
    facts = why_three(trace, head)
    two = TwoLayers(trace, facts.after)
    links = (
        b.Link("What W_K = W_Q changes", "what-changes", {"change": "one_for_both"}),
        b.Link("What V = X changes", "what-changes", {"change": "inputs_as_values"}),
    )
    return [
        b.Text(_keys(facts, trace.labels("T"), head)),
        b.Board(change_board(two, "scores", view.focus, view.notation), "why three"),
        b.Text(
            "**Why values?** With V = X what is read is what is looked for: a head hands on its own"
            " features of X as they are. With W_V it hands on what is worth knowing of the token,"
            " and need not show it in the key. (One head alone loses nothing without W_V, because"
            " W_O can do the same; several heads get only their own features each.)"
        ),
        b.Row(links),
        b.Text(
            "**What training makes of it.** Layers with two heads have learnt to name the letter"
            " before each token and the letter after it, the task *letters* of the page"
            " [Training](training?train_task=letters). Right on sequences that they had not seen:"
        ),
        _table(),
        b.Text(_limits()),
    ]


def _keys(facts: WhyThree, words: Sequence[str], head: int) -> str:
    """What the scores of a head say about W_K = W_Q, as Markdown."""
    now, tied = facts.now, facts.tied
    pair = (
        f"In head {head} two tokens rate each other alike in **{now.n_alike} of {now.n_pairs}**"
        f" pairs; with W_K = W_Q in **{tied.n_alike} of {tied.n_pairs}**. Largest difference of"
        f" $s_{{ij}}$ and $s_{{ji}}$: {format_number(now.gap)} now, {format_number(tied.gap)} with"
        " W_K = W_Q."
    )
    example = ""
    if now.n_alike < now.n_pairs:
        asks, answers = (quote_token(words, place) for place in (facts.asks, facts.answers))
        example = (
            f" {asks} rates {answers} with {format_number(facts.there)}, {answers} rates {asks}"
            f" with {format_number(facts.back)}; with one matrix it is"
            f" {format_number(facts.together)} both ways."
        )
    return (
        f"**Why not W_K = W_Q?** {pair}{example} Such a head asks for what it answers. It has no"
        " direction: “the word before me” or “the noun that I stand for” cannot be asked without"
        " being answered alike. And one of any two tokens rates itself at least as high as the"
        " other, so tokens tend to look at themselves."
    )


def _scores_of(task: str, n_heads: int) -> list[TrainedScore]:
    return [one for one in trained_scores() if (one.task, one.n_heads) == (task, n_heads)]


def _table() -> b.Table:
    """What each kind of layer has learnt of the letters."""
    scores = _scores_of(LETTERS, 2)
    head = ("learnt", *scores[0].questions, "numbers learnt")
    rows = [
        (LEARNT[one.without], *map(format_percent, one.parts), str(one.n_learnt)) for one in scores
    ]
    return b.Table(head, rows)


def _limits() -> str:
    """Where one of the three can be missed, as Markdown."""
    errors = [format_decimals(max(one.parts), 4) for one in _scores_of(AGREEMENT, 2)]
    shares = [format_percent(sum(one.parts) / 2) for one in _scores_of(LETTERS, 1)]
    return (
        f"Guessing gives {format_percent(1 / N_LETTERS)}. With W_K = W_Q a head reads both"
        " neighbours alike. With V = X the first head can hand on the letter, the second only the"
        " position. **Where one can be missed:** words of the same gender or number agree both"
        " ways, so there W_K = W_Q learns as much"
        f" (error {errors[1]} against {errors[0]}; 1 is guessing). And one head does as well"
        f" without W_V ({shares[1]} of the letters against {shares[0]}): W_V and W_O are then one"
        " matrix."
    )
