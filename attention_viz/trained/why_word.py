"""The page *Why this word?*: the next words with parts on and off; below them the arithmetic of
`why_word_sums.py`.
"""

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from attention_lab.trained.allowed_models import STORIES
from attention_lab.trained.decoder import FEED_FORWARD, Head
from attention_lab.trained.facts import WhyFacts, part_name, why_facts
from attention_lab.trained.language_model import MEAN, ZERO
from attention_lab.trained.language_text import grid_of, language_ids, limits_of
from attention_lab.trained.model_run import AVERAGE, Against
from attention_lab.trained.own_writing import N_TEXTS, N_TOKENS
from attention_lab.trained.why_word import WhyWord, words_of
from attention_lab.words.pieces import UNKNOWN_SIGN, readable

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown
from ..matrices import Matrix, Side, matrix_board
from ..page_choices import Choice, Places, Select, Words
from ..payload import JSON
from ..sentence import one_head_part
from ..story.next_token import BAR_CELLS, SHARE_SIDE
from ..story.story_view import StoryView
from .head_pages import OFF, all_on, off_parts, place_name, place_of
from .text_notes import text_notes, which_model, words_or_pieces
from .why_word_sums import EVIDENCE_FORM, arithmetic

# A number that belongs to the text and the heads that are off, and of how many layers the heads are
# measured.
MEASURED = Places("why_measured", "Layers measured", (), size=10_000, most=2)
LARGEST_HEAD = {True: "largest loss", False: "adds most itself"}
MOST_PIECES = 1000  # that can be chosen
SECONDS_BETWEEN = 0.1  # two layers
NEXT, ALONE, LARGEST = "next", "none", "largest"
HEAD_KEY, AGAINST_KEY = "why_head", "why_against"
BEFORE, AFTER, WORTH = "all heads on", "now", "worth"
LONGEST = 18  # letters of the words that name a piece
# The word that a click on a bar chose, where several begin with its piece.
NAMED = Words("why_word", "Word", "", most=40)
BY = Select(
    "why_by",
    "A head that is off adds",
    ZERO,
    {ZERO: "nothing", MEAN: "its mean"},
    "buttons",
    help="Its mean is what it adds to a token on average over"
    f" {N_TEXTS * N_TOKENS} tokens that the model has written itself.",
)


def _choices(view: StoryView, off: tuple[int, ...]) -> Sequence[Choice]:
    model = view.scenario.model
    why = WhyWord(_ids(view), off=off_parts(view, off), model=model)
    words = words_of(why)
    order_X = np.argsort(-why.before.logits[-1], kind="stable")[:MOST_PIECES].tolist()
    order = [*words, *(one for one in order_X if one not in words)]
    pieces = {str(one): _piece_label(why, one, words.get(one, [])) for one in order}
    whole = np.ndindex(*grid_of(model))
    heads = {f"{layer}.{head}": place_name((layer, head)) for layer, head in whole}
    first = {NEXT: f"the most probable: {words[why.piece][0]}"}
    against = {AVERAGE: "the average piece", ALONE: "nothing (the logit alone)"}
    variant = "" if why.is_measured else model
    return (
        Select(
            "why_token", "Why", NEXT, first | pieces, resets=(HEAD_KEY, NAMED.key), variant=variant
        ),
        NAMED,
        Select(AGAINST_KEY, "Compared with", AVERAGE, against | pieces, resets=(HEAD_KEY,)),
        Select(HEAD_KEY, "Head", LARGEST, {LARGEST: LARGEST_HEAD[why.is_measured]} | heads),
        BY,
        MEASURED,
        EVIDENCE_FORM,
    )


def _head(text: str) -> Head:
    layer, head = text.split(".")
    return int(layer), int(head)


def _ids(view: StoryView) -> tuple[int, ...]:
    return language_ids(view.scenario.text, view.scenario.n_tokens, view.scenario.model)


def _piece_label(why: WhyWord, one: int, words: Sequence[str]) -> str:
    raw = why.before.vocabulary[one]
    piece = raw if readable(raw) == UNKNOWN_SIGN else readable(raw)
    if not words or words == [piece]:
        return piece if words else f"piece “{piece}”"
    two = ", ".join(words[:2])
    shown = words[:2] if len(two) <= LONGEST else words[:1]
    return f"{', '.join(shown)}{' …' if len(shown) < len(words) else ''} (“{piece}”)"


def why_of(view: StoryView, values: b.Values) -> WhyWord:
    """What the page explains. Raises: AttentionError."""
    token, against, head = (values[key] for key in ("why_token", AGAINST_KEY, HEAD_KEY))
    compared: Against = None if against == ALONE else AVERAGE
    if against not in (ALONE, AVERAGE):
        compared = int(against)
    why = WhyWord(
        _ids(view),
        None if token == NEXT else int(token),
        compared,
        off_parts(view, values[OFF.key]),
        values[BY.key] if view.scenario.model == STORIES else ZERO,
        None if head == LARGEST else _head(head),
        values[NAMED.key],
        view.scenario.model,
    )
    if values[MEASURED.key][:-1] == (_number_of(why),):
        why = replace(why, n_measured=min(values[MEASURED.key][1], grid_of(why.model)[0]))
    return replace(why, against=AVERAGE) if why.against == why.piece else why


def _number_of(why: WhyWord) -> int:
    return crc32(repr((why.ids, why.off, why.model)).encode()) % 10_000


def _blocks(view: StoryView, values: b.Values, facts: WhyFacts) -> Sequence[b.Block]:
    """The next words, the heads, and the arithmetic. Raises: AttentionError."""
    why = why_of(view, values)
    fields = {one.key: one for one in _choices(view, values[OFF.key])}
    keys = ("why_token", HEAD_KEY, *([BY.key] if why.is_measured else []))
    first = [b.Field(fields[key], values[key]) for key in keys]
    pieces = words_or_pieces(view, why.before.traces[0].tokens)
    against = _compared(fields[AGAINST_KEY], why)
    return [
        b.Text(_answer(why, facts)),
        b.Row((*which_model(view), *first, *_switches(why), *pieces)),
        *text_notes(view),
        b.Board(words_board(why, view.pieces), "why", fits=True, clicks=_clicks(why)),
        *_measuring(why),
        b.caption(_left_out(why, facts)),
        *arithmetic(why, facts, against, values[EVIDENCE_FORM.key]),
        b.Text(limits_of(why.model), small=True),
    ]


def _compared(choice: Choice, why: WhyWord) -> b.Field:
    """What the logit is compared with; a piece is never compared with itself."""
    if not isinstance(choice, Select):
        raise TypeError("a menu holds the pieces to compare with")
    options = {key: name for key, name in choice.options.items() if key != str(why.piece)}
    shown = ALONE if why.against is None else str(why.against)
    return b.Field(replace(choice, options=options, variant=str(why.piece)), shown)


def _switches(why: WhyWord) -> list[b.Button]:
    """Buttons that switch the head in focus off or on, and all parts on."""
    name, way = place_name(why.focus), "on" if why.focus in why.off else "off"
    switch = b.Button(f"Switch {way} {name}", _switched(why, why.focus), name="switch")
    return [switch, *all_on(why.off)]


def _switched(why: WhyWord, head: Head) -> dict[str, object]:
    """What switching a head off, or on again, sets; it is then the one to look at."""
    places = tuple(sorted(place_of(one, why.grid[1]) for one in set(why.off) ^ {head}))
    return {OFF.key: places, HEAD_KEY: f"{head[0]}.{head[1]}"}


def _measuring(why: WhyWord) -> list[b.Block]:
    """Of a large model: a button that measures all heads, layer by layer, and how far it is."""
    n, n_layers = why.n_measured, why.grid[0]
    if why.is_measured or n == n_layers:
        return []
    if not n:
        about = "Each head is switched off in turn, and all that follows is computed again."
        return [
            b.Row((b.Button("Measure all heads", {MEASURED.key: (_number_of(why), 1)}, about),))
        ]
    return [
        b.Progress(n / n_layers, f"Layers whose heads are measured: {n} of {n_layers}"),
        b.Row((b.Button("Stop", {MEASURED.key: ()}),)),
        b.Later(SECONDS_BETWEEN, {MEASURED.key: (_number_of(why), n + 1)}),
    ]


def _clicks(why: WhyWord) -> dict[str, list[dict[str, object]]]:
    """A click on a head switches it; a click on a bar asks why its word comes next."""
    heads = [_switched(why, (layer, head)) for layer, head in np.ndindex(why.grid)]
    spelled = why.words_after.spellings | why.words_before.spellings
    words: list[dict[str, object]] = [
        {"why_token": str(spelled[row.word][0]), NAMED.key: row.word} for row in why.rows
    ]
    return {WORTH: heads, BEFORE: words, AFTER: words}


def _answer(why: WhyWord, facts: WhyFacts) -> str:
    """The word with its probability, what the head in focus reads, and what comes without the heads
    that are off; then what is written each way.
    """
    word = f"**{escape_markdown(facts.word)}**"
    looks = (
        f"Layer {facts.layer}, head {facts.head} reads **{facts.read}** from"
        f" “{escape_markdown(facts.read_from)}”."
    )
    first, second = map(_prose, why.written)
    goes_on = f"It goes on: *{first}* …"
    if facts.after is None:
        return (
            f"{word} comes next with **{facts.before}**. {looks} Click it in the grid: it is"
            f" switched off.\n\n{goes_on}"
        )
    changed = filling = ""
    if why.replaced_by == MEAN and why.heads_off:
        alone = len(why.off) == 1
        filling = f", with {'its mean' if alone else 'the mean of each head'} in its place"
    if facts.comes:
        top, most = facts.comes
        changed = f" **{escape_markdown(top)}** comes first with **{most}**."
    return (
        f"Without {_heads_off(facts)}{filling}: {word} **{facts.after}** in the place of"
        f" {facts.before}.{changed} {looks}\n\n{goes_on} Now: *{second}* …"
    )


def _left_out(why: WhyWord, facts: WhyFacts) -> str:
    """What all other words have, and how far the search went."""
    share = max(why.words_before.complete_to, why.words_after.complete_to)
    now = f", now {facts.rest_now}" if facts.rest_now is not None else ""
    return (
        f"All other words and marks together: {facts.rest}{now}. The search finds every word with a"
        f" spelling above {100 * share:.2f} %. A bar counts all spellings of its word, and that the"
        " word ends there."
    )


def _heads_off(facts: WhyFacts) -> str:
    """The parts that are off in words, heads layer by layer."""
    layers = dict[int, list[int]]()
    for layer, head in facts.off:
        layers.setdefault(layer, []).append(head)
    names = [
        f"{'heads' if len(heads) > 1 else 'head'} {_listed(heads)} of layer {layer}"
        for layer, heads in layers.items()
    ]
    names += [part_name((FEED_FORWARD, layer)) for layer in facts.fed]
    return _listed([*names, *([f"{facts.more_off} more"] if facts.more_off else [])])


def _listed(names: Sequence[object]) -> str:
    texts = list(map(str, names))
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _prose(written: str) -> str:
    return escape_markdown(written.replace("\n", " ")) or "nothing"


def words_board(why: WhyWord, pieces: bool = False) -> JSON:
    """The text with the arcs of the head in focus; bars of the next words with nothing off and
    now, and what each head is worth. pieces: whether pieces of a word stand alone in the text.
    """
    layer, head = why.focus
    what = "What comes next with nothing switched off and now, and a row of heads for each layer."
    board = matrix_board([*_bars(why), _heads_grid(why)], (WORTH, layer, head), what)
    for panel in board["panels"]:
        if panel["array"] in (BEFORE, AFTER):
            panel |= {"role": "total", "bars": BAR_CELLS}
    last, before = len(why.ids) - 1, f"layer {layer}, "
    said = one_head_part(why.run.traces[layer], head, last, before, pieces)
    return board | {"sentence": said}


def _bars(why: WhyWord) -> list[Matrix]:
    """The probability of each word with nothing off, and as the parts are set now."""
    words = Side("word", tuple(row.word for row in why.rows))
    now = f"now: {len(why.off)} off" if why.off else "now: none off"
    drawn = (
        (BEFORE, [row.before for row in why.rows], "nothing off", "With nothing switched off"),
        (AFTER, [row.after for row in why.rows], now, "With the parts as they are set"),
    )
    return [
        Matrix(
            name,
            np.array(shares)[:, np.newaxis],
            words,
            SHARE_SIDE,
            (place, 0),
            title,
            kind="probability",
            badge="next word",
            says=f"{when} this word comes next with",
        )
        for place, (name, shares, title, when) in enumerate(drawn)
    ]


def _heads_grid(why: WhyWord) -> Matrix:
    """What each head is worth; those that are off are framed. In a large model what each itself
    adds, until its heads are measured.
    """
    off_LH = np.zeros(why.grid, dtype=bool)
    for one in why.heads_off:
        off_LH[one] = True
    title, says = f"what each head itself adds to “{why.word}”", "It itself adds"
    if is_worth := why.is_measured or why.n_measured > 0:
        title, says = f"what “{why.word}” loses without each head", "Without it the sum falls by"
    numbers = why.losses if is_worth else why.direct
    rows, columns = (
        Side(name, tuple(f"{name} {number}" for number in range(n)))
        for name, n in zip(("layer", "head"), off_LH.shape, strict=True)
    )
    return Matrix(
        WORTH,
        numbers,
        rows,
        columns,
        (2, 0),
        title + (" (framed: off)" if why.heads_off else ""),
        kind="logit",
        changed=off_LH,
        absent="not measured yet",
        says=says,
    )


def _facts(view: StoryView, values: b.Values) -> WhyFacts:
    return why_facts(why_of(view, values))


WHY_THIS_WORD = page_of_facts("why-this-word", _choices, _facts, _blocks, lead=OFF)
