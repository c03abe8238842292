"""The page *Change one word*: two sentences that differ in one word, and which heads notice."""

from collections.abc import Sequence
from dataclasses import dataclass

from attention_lab.trained.allowed_models import writing_model
from attention_lab.trained.attention_maps import AttentionMaps
from attention_lab.trained.change_a_word import (
    ChangedWord,
    changed_word,
    replace_word,
    word_to_replace,
)
from attention_lab.trained.facts import ChangeFacts, change_facts
from attention_lab.trained.head_finder import head_captions, word_at
from attention_lab.trained.language_text import likeliest_piece, likeliest_word
from attention_lab.whose_heads import (
    FIRST_HEADS,
    LANGUAGE,
    MINILM,
    HeadsShown,
    first_cell,
    heads_on,
)
from attention_lab.words.numbers import format_percent

from .. import blocks as b
from ..markdown import escape_markdown, quote_token
from ..page_choices import Choice, Words
from ..story.story_view import StoryView
from ..thumbnails import thumbnails
from .head_pages import (
    CELL,
    HEAD,
    LAYER,
    NEW_WORD,
    OLD_WORD,
    HeadPage,
    cell_of,
    fields,
    heads_clicks,
    place_choices,
)
from .heads import changed_word_board
from .trained_heads_page import MOST_HEADS

FROG, TIRED = ("frog", "bird"), ("tired", "wide")
FIRST_WORDS = {LANGUAGE: (FROG, TIRED)}
OTHER_WORDS = (TIRED, FROG)
# Sentences with these words, and a cell that changes with them.
EXAMPLES = {
    LANGUAGE: ("One day, a little frog was very sad. The", ""),
    MINILM: ("The animal did not cross the street because it was too tired.", "9-2-0"),
}


def _choices(shown: HeadsShown) -> Sequence[Choice]:
    old, new = first_words(shown)
    return (
        Words(OLD_WORD, "Replace", old, most=40, short=True),
        Words(NEW_WORD, "by", new, most=40, short=True),
        *place_choices(shown),
    )


def first_words(shown: HeadsShown) -> tuple[str, str]:
    """The word that is replaced first, and its replacement: a pair whose first word the text has,
    so that both models compare the same words.
    """
    pairs = FIRST_WORDS.get(shown.model, OTHER_WORDS)
    return next((pair for pair in pairs if _has(shown, pair[0])), pairs[0])


def _has(shown: HeadsShown, word: str) -> bool:
    tokens = shown.maps.tokens
    return word in {word_at(tokens, place)[0] for place in range(len(tokens))}


def _beside(values: b.Values, shown: HeadsShown) -> Sequence[b.Field | b.Button]:
    """The words, the head, and the sentence in which the first words of a model are changed, unless
    it is the one that is shown.
    """
    choices = _choices(shown)[:4]
    own = FIRST_WORDS.get(shown.model, OTHER_WORDS)[0]
    is_shown = own == first_words(shown) == (values[OLD_WORD], values[NEW_WORD])
    if shown.model not in EXAMPLES or (is_shown and _has(shown, own[0])):
        return fields(values, choices)
    (text, cell), (layer, head) = EXAMPLES[shown.model], FIRST_HEADS[shown.model]
    old, new = own
    sets = {"text": text, OLD_WORD: old, NEW_WORD: new, LAYER: layer, HEAD: head, CELL: cell}
    return (*fields(values, choices), b.Button(f"{old} / {new}", sets))


@dataclass(frozen=True, eq=False)
class _Changed:
    """The two sentences. word: what is replaced; text, after: the second sentence and its heads.
    seen: the change as it is shown, clicks: what a click on each of its cells sets; at: its query
    and key in focus, cell: layer, head, query and key by pieces.
    """

    word: str
    text: str
    after: HeadsShown
    change: ChangedWord
    seen: ChangedWord
    clicks: list[dict[str, str]]
    at: tuple[int, int]
    cell: tuple[int, int, int, int]


def _changed(view: StoryView, values: b.Values, shown: HeadsShown) -> _Changed:
    """Raises: AttentionError."""
    text, old = view.scenario.text, values[OLD_WORD]
    writer = writing_model(shown.writer)
    n_shown = len(writer.decode(shown.run.ids)) if shown.run else None
    word = word_to_replace(text, old, n_shown)
    changed_text = replace_word(text, word, values[NEW_WORD] or _choices(shown)[1].default)
    after = heads_on(view.scenario, shown.model, view.own_heads, changed_text, shown.off)
    change = changed_word(shown.maps, after.maps)
    layer, head = values[LAYER], values[HEAD]
    cell = cell_of(values) or first_cell(
        shown.model, change.before[layer, head], change.tokens_before
    )
    query, key = (min(place, len(change.tokens) - 1) for place in cell[:2])
    seen, clicks = _as_shown(view, change)
    at = (query, key) if seen is change else (change.word_at(query), change.word_at(key))
    of_pieces = (layer, head, query, key)
    return _Changed(word, changed_text, after, change, seen, clicks, at, of_pieces)


def _facts(view: StoryView, values: b.Values, shown: HeadsShown) -> ChangeFacts:
    now = _changed(view, values, shown)
    return change_facts(now.seen, now.change, (*now.cell[:2], *now.at))


def _blocks(
    view: StoryView, values: b.Values, shown: HeadsShown, facts: ChangeFacts
) -> Sequence[b.Block]:
    now, old = _changed(view, values, shown), values[OLD_WORD]
    layer, head = now.cell[:2]
    board = changed_word_board(now.seen, layer, head, *now.at)
    return [
        *([] if now.word == old.strip() else [b.Note(_replaced(old, now.word))]),
        b.Text(f"{_answer(now.seen, now.at, facts)} *{escape_markdown(now.text)}*"),
        b.Board(
            board, "before and after", fits=True, clicks=dict.fromkeys(board["arrays"], now.clicks)
        ),
        *_written(view, shown, now.after),
        b.Text(
            f"Before: *{escape_markdown(view.scenario.text)}*\n\nOn average, a query of this head"
            f" moves {facts.moved} of its attention to other tokens. Orange is less attention than"
            " before, violet is more. A word of several pieces is one row, their mean, and one"
            " column, their sum.",
            small=True,
        ),
        *_which_heads_notice(view, now, facts),
    ]


def _as_shown(view: StoryView, change: ChangedWord) -> tuple[ChangedWord, list[dict[str, str]]]:
    """The change by words or by pieces, and what a click on each of its cells sets."""
    if view.pieces or len(change.words) == len(change.tokens):
        places = [(place, place) for place in range(len(change.tokens))]
        seen = change
    else:
        places = [(one.stop - 1, one.start) for one in change.words]
        seen = change.in_words
    return seen, [{CELL: f"{query}-{key}-0"} for query, _ in places for _, key in places]


def _replaced(old: str, word: str) -> str:
    return (
        f"The sentence does not contain “{escape_markdown(old)}”. Its last word,"
        f" “{escape_markdown(word)}”, is replaced instead, in the first place where it stands."
    )


def _answer(change: ChangedWord, at: tuple[int, int], facts: ChangeFacts) -> str:
    query, key = (quote_token(change.tokens, place) for place in at)
    return (
        f"The same head on both sentences. :blue[{query}] gave :red[{key}] **{facts.gave}**. Now it"
        f" gives **{facts.gives}**:"
    )


def _written(view: StoryView, before: HeadsShown, after: HeadsShown) -> list[b.Block]:
    """What the language model says after each of the sentences, as a word or as a piece."""
    if not (before.run and after.run):
        return []
    says = likeliest_piece if view.pieces else likeliest_word
    (was, was_share), (comes, share) = map(says, (before.run, after.run))
    return [
        b.Text(
            f"After the sentence the model said {quote_token([was], 0)} with"
            f" **{format_percent(was_share)}**. Now it says {quote_token([comes], 0)} with"
            f" **{format_percent(share)}**."
        )
    ]


def _which_heads_notice(view: StoryView, now: _Changed, facts: ChangeFacts) -> list[b.Block]:
    change = now.change
    top, buttons = facts.top, []
    for one in change.largest(5):
        asking, read = (quote_token(change.tokens, place) for place in (one.query, one.key))
        sets = {LAYER: int(one.layer), HEAD: int(one.head), CELL: f"{one.query}-{one.key}-0"}
        moved = f"{one.before} → {one.after}"
        label = f"layer {one.layer}, head {one.head}: {moved}"
        buttons.append(b.Button(label, sets, f"{asking} to {read}"))
    board = thumbnails(
        tuple(change.differences),
        (change.tokens, change.tokens),
        now.cell,
        "How the attention of every head changes with the word, as small matrices.",
        kind="logit",
        own_scale=view.own_scale,
        captions=head_captions(AttentionMaps.of(change.before, change.tokens_before)),
        one_layer=change.moved.size > MOST_HEADS,
    )
    return [
        b.Heading("Which heads notice"),
        b.Text(
            f"The share that changed most is in layer {top.layer}, head {top.head}."
            f" Before, {quote_token(change.tokens_before, top.query)} gave"
            f" {quote_token(change.tokens_before, top.key)} {top.before} of its"
            f" attention; now {quote_token(change.tokens_after, top.query)} gives"
            f" {quote_token(change.tokens_after, top.key)} {top.after}. The buttons"
            " show the heads with the largest changes above. So does a click on a cell."
        ),
        b.Row(tuple(buttons)),
        b.Board(board, "changes", sets=heads_clicks(board)),
    ]


CHANGE_A_WORD = HeadPage("change-a-word", _choices, _blocks, _beside, words=True, facts=_facts).page
