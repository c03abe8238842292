"""What stands below the stages after the layer, and the page *What you have seen*."""

from collections.abc import Sequence
from functools import partial

from attention_lab.block import block_facts, block_of
from attention_lab.export.step_code import block_code
from attention_lab.next_token import next_token_of
from attention_lab.page_list import page_of

from .. import blocks as b
from ..block_page import BlockPage
from ..markdown import escape_quotations
from .block import block_sentences
from .next_token import next_token_sentences
from .products import token_board
from .step_page import step_page, token
from .story_file import seen_sentences
from .story_view import StoryView

NEXT_PAGES = ("practice", "what-changes", "all-heads", "trained-heads", "training")


def _titled(sentences: Sequence[tuple[str, str]]) -> list[b.Text]:
    return [b.Text(f"**{title}.** {sentence}") for title, sentence in sentences]


def _block(view: StoryView, _: b.Values) -> list[b.Block]:
    block, query = block_of(view.scenario, view.block, view.sequence), view.focus.query
    facts = block_facts(view.scenario, view.block, view.sequence, query)
    said = block_sentences(block, facts, token(view, "T", query))
    return [*_titled(said), b.Folded("The code", partial(_code, view))]


def _code(view: StoryView) -> list[b.Block]:
    return [b.Code(block_code(block_of(view.scenario, view.block, view.sequence)))]


BLOCK = step_page("block", _block)


def _next_token(view: StoryView, _: b.Values) -> Sequence[b.Block]:
    return _titled(next_token_sentences(next_token_of(view.shown)))


NEXT_TOKEN = step_page("next-token", _next_token)


def _seen(view: StoryView, _: b.Values) -> Sequence[b.Block]:
    """One token before and after the layer, and what comes next in a model."""
    before_and_after, sentences = map(escape_quotations, seen_sentences(view))
    links = [
        b.Link(
            f"{'Next: ' * (name == NEXT_PAGES[0])}{page_of(name).title}: {page_of(name).question}",
            name,
        )
        for name in NEXT_PAGES
    ]
    return [
        b.Text(f"**{before_and_after}** {sentences}"),
        b.Board(token_board(view.stage, view.focus.query), "seen", fits=True),
        b.Heading("What comes next in a model"),
        b.Text(
            "- **Residual connection:** the output is added to the input, so that a layer only has"
            " to say what is new. *Scores and mask* in the sidebar has a switch for it.\n"
            "- **LayerNorm and a feed-forward part:** every token is normalised and passes two more"
            " matrices by itself, the same for all tokens. The step [Block](block) shows it in"
            " numbers.\n"
            "- **More layers:** the result is the input of the next attention layer. The trained"
            " encoder of this app has six.\n"
            "- **The next word:** a language model compares the last token's vector with the vector"
            " of every word. Attention alone predicts nothing."
        ),
        b.Heading("Where to go from here"),
        b.Row(tuple(links)),
    ]


SEEN = BlockPage("seen", lambda _: (), _seen)
