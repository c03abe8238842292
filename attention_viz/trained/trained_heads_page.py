"""The page *All heads of a model*: every head of every layer on the sentence, as one picture."""

from collections.abc import Sequence

from attention_lab.trained.encoded_text import D_MODEL
from attention_lab.trained.head_facts import (
    AllHeadsFacts,
    HeadFacts,
    all_heads_facts,
)
from attention_lab.trained.head_finder import head_captions
from attention_lab.whose_heads import LANGUAGE, MINILM, OWN, HeadsShown

from .. import blocks as b
from ..markdown import quote_token
from ..page_choices import Choice
from ..sentence import with_arcs
from ..story.story_view import StoryView
from ..thumbnails import thumbnails
from .head_pages import (
    ALL_HEADS,
    OPEN,
    HeadPage,
    fields,
    focus_of,
    heads_clicks,
    opening,
    place_choices,
)
from .one_head_page import ONE_HEAD_CHOICES, beside_one_head, one_head_blocks, one_head_facts

MOST_HEADS = 144  # at once: GPT-2 has 12 layers of 12
WHAT_TO_LOOK_FOR = {
    LANGUAGE: (
        "**What to look for.** A strong line beside the diagonal is a head that reads the token"
        " before. A strong first column means that many tokens read the first one: an"
        " **attention sink**, which heads with nothing to do may read (Xiao et al. 2024). A strong"
        " cell far from both is a head that looks back. *Find a head* says which of them copy what"
        " they read. Right of the diagonal stands nothing, because a model that writes"
        " sees no later token."
    ),
    MINILM: (
        "**What to look for.** A strong line beside the diagonal is a head that reads a neighbour."
        " A strong first or last column means that many tokens read \\[CLS\\] or \\[SEP\\], which"
        " the model adds before and after the sentence. Clark et al. 2019 (section 3.2) found this"
        " for \\[SEP\\] in BERT, and suppose that heads with nothing to do read it. A single strong"
        " cell is a head that joins two particular words. *Find a head* ranks all heads by what"
        " they read."
    ),
}


def _choices(shown: HeadsShown) -> Sequence[Choice]:
    return (OPEN, *place_choices(shown), *ONE_HEAD_CHOICES)


def _beside(values: b.Values, shown: HeadsShown) -> Sequence[b.Field | b.Button]:
    if values[OPEN.key]:
        return beside_one_head(values, shown)
    return fields(values, place_choices(shown)[:1]) if _shows_one_layer(shown) else ()


def _shows_one_layer(shown: HeadsShown) -> bool:
    """Whether there are so many heads that the page shows them layer by layer."""
    return shown.maps.sizes["L"] * shown.maps.sizes["H"] > MOST_HEADS


def _facts(_: StoryView, values: b.Values, shown: HeadsShown) -> HeadFacts | AllHeadsFacts:
    return one_head_facts(values, shown) if values[OPEN.key] else all_heads_facts(shown.maps)


def _blocks(
    view: StoryView, values: b.Values, shown: HeadsShown, facts: HeadFacts | AllHeadsFacts
) -> Sequence[b.Block]:
    if isinstance(facts, HeadFacts):
        return one_head_blocks(view, values, shown, facts)
    maps = shown.maps
    layer, focus = focus_of(values, shown)
    words = (maps.tokens, maps.memory_tokens)
    board = thumbnails(
        maps.layers,
        words,
        (layer, focus.head, focus.query, focus.key),
        "The attention of every head as small matrices."
        f" Layers: {facts.layers}, heads in each: {facts.heads}.",
        own_scale=view.own_scale,
        captions=head_captions(maps),
        one_layer=_shows_one_layer(shown),
    )
    title, array = "{array}, head {head}", f"layer {layer}"
    board = with_arcs(board, words, array, focus.query, title, "small", view.pieces)
    clicks = opening(heads_clicks(board), shown.model)
    every = "Every small matrix is one head, every line one layer."
    if _shows_one_layer(shown):
        every = f"Every small matrix is one head of layer {layer}."
    return [
        b.Board(board, "trained heads", fits=True, sets=clicks),
        b.Text(
            f"{every} Layers: {facts.layers}, heads in each: {facts.heads}. Rows are the tokens"
            " that ask (queries), columns the tokens that they read (keys). A stronger colour"
            " is a larger share. Point at a cell to read it; click it to open its head."
        ),
        *_reading(shown, facts),
    ]


def _reading(shown: HeadsShown, facts: AllHeadsFacts) -> list[b.Block]:
    """What to look for; nothing of heads of which nothing is known."""
    if shown.model == OWN:
        return []
    says, sink = WHAT_TO_LOOK_FOR[shown.model], facts.sink
    if sink:
        says += (
            f" Most goes to {quote_token(shown.maps.memory_tokens, 0)} in layer {sink.layer}, head"
            f" {sink.head}: **{sink.share}** of what later tokens give, on average."
        )
    told: list[b.Block] = [b.Text(says)]
    if shown.model == MINILM:
        told.append(
            b.Text(
                "The model is all-MiniLM-L6-v2, trained to compare sentences. It runs on your"
                f" sentence on this machine. Layers: {facts.layers}, heads in each: {facts.heads},"
                f" features: {D_MODEL}. The story can show its weights, too: choose *trained* under"
                " *Weights* in the sidebar there.",
                small=True,
            )
        )
    return told


TRAINED_HEADS = HeadPage(ALL_HEADS, _choices, _blocks, _beside, words=True, facts=_facts).page
