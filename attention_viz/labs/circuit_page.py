"""The page *Two layers*: letters that repeat, a model that goes on with them, and the two heads
that do it together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from attention_core import AttentionError
from attention_lab.labs.circuit import LetterModel, LetterRun
from attention_lab.labs.circuit_settings import (
    HEADS,
    LAYERS,
    LETTERS,
    N_PLACES,
    CircuitSettings,
)
from attention_lab.labs.training_facts import CircuitFacts, HeadName, circuit_facts, looked_at
from attention_lab.labs.training_runs import KeptRun, circuit_at, circuit_run, circuit_score

from .. import blocks as b
from ..block_page import page_of_facts
from ..diagonal.choices import scale, seed
from ..markdown import escape_markdown
from ..page_choices import Number, Select, Several, Switch, Words, by_name
from ..story.story_view import StoryView
from .circuit import circuit_board, progress_figure
from .training_parts import SECONDS

FIRST_TEXT = "kdhbmafckdhb"
RUN, NOTHING = "run", "nothing"
NOW = Select("circuit_now", "What trains", NOTHING, {NOTHING: "nothing", RUN: "the run"})
STOPS = (NOW.key,)
LAYER_COUNT = Select(
    "circuit_layers",
    "Layers",
    "2",
    by_name([*map(str, reversed(LAYERS))]),
    "buttons",
    resets=(*STOPS, "circuit_off", "circuit_cell"),
)
HEAD_COUNT = Select(
    "circuit_heads",
    "Heads in each layer",
    "1",
    by_name([*map(str, HEADS)]),
    "buttons",
    resets=(*STOPS, "circuit_off", "circuit_cell"),
)
NAMES = {
    f"{layer}-{head}": f"layer {layer}, head {head}"
    for layer in range(max(LAYERS))
    for head in range(max(HEADS))
}
OFF = Several("circuit_off", "Heads that are off", (), NAMES)
WORDS = Words(
    "circuit_letters",
    f"Letters, {LETTERS[0]} to {LETTERS[-1]}",
    FIRST_TEXT,
    most=2 * N_PLACES,
    short=True,
    resets=("circuit_place", "circuit_answer"),
)
ASKS = Switch("circuit_asks", "Ask me first", False, resets=("circuit_answer",))
ANSWER = Words("circuit_answer", "Your guess", "", most=1)
PLACE = Number("circuit_place", "After the letter at place (−1: the last)", -1, -1, N_PLACES - 1)
AT = scale("circuit_at", "The model after this part of its training, in %", 100, 0, 100)
SEED = replace(seed("circuit_seed"), resets=STOPS)
CHOICES = (LAYER_COUNT, HEAD_COUNT, OFF, WORDS, PLACE, AT, SEED, ASKS, ANSWER, NOW)
WHAT_IT_IS = (
    "**What is trained.** Sequences of 24 letters out of 16; each repeats after 5 to 12 places. The"
    " vector of a letter and that of its place are added; each layer adds what its heads find; a"
    " last matrix gives a logit for each letter. No feed-forward part, no norm, no biases. Adam,"
    " learning rate .003, 32 new sequences in each of 1,500 steps; the loss counts only where the"
    " next letter can be known. A guess is right if it is the letter that follows; by luck one in"
    " 16 is.\n\n"
    "**One place back**: the share that a head gives to the place before, over all places. **After"
    " the last time**: where the next letter can be known, the share that a head gives to the place"
    " after the one where this letter stood a period ago (prefix matching: Olsson et al. 2022)."
)
COMPOSITION = (
    r"\frac{\lVert W_Q W_K^\top (W_V W_O)^\top \rVert}{\lVert W_Q W_K^\top \rVert \, \lVert W_V W_O"
    r" \rVert}"
)
THREE_RUNS = (
    "These are three runs of this task with these sizes. They do not show that one layer can never"
    " do it."
)
NO_SECOND = (
    "With one layer every key is made from one letter and its place alone. It cannot hold what"
    " stood before it, so no head can look for “the place after this letter”."
)


def settings_of(values: b.Values) -> CircuitSettings:
    """The run that the page shows."""
    layers, heads = (int(values[one.key]) for one in (LAYER_COUNT, HEAD_COUNT))
    return CircuitSettings(layers, heads, values[SEED.key])


def _off(values: b.Values) -> list[tuple[int, int]]:
    """The heads that are off, of those that the model has."""
    layers, heads = (int(values[one.key]) for one in (LAYER_COUNT, HEAD_COUNT))
    named = [tuple(map(int, one.split("-"))) for one in values[OFF.key]]
    return [(layer, head) for layer, head in named if layer < layers and head < heads]


@dataclass(frozen=True, eq=False)
class _Shown:
    """What the choices show: a run, the step and the model after it, with the heads that are off,
    its letters, and the place in question. refused: why what was typed is not used.
    """

    run: KeptRun
    step: int
    model: LetterModel
    letters: LetterRun
    place: int
    refused: str

    @classmethod
    def by(cls, values: b.Values) -> Self:
        """Those of some choices."""
        settings = settings_of(values)
        step, whole = circuit_at(settings, values[AT.key])
        model, refused = whole.without(*_off(values)), ""
        try:
            letters = model.run(values[WORDS.key])
        except AttentionError as error:
            letters, refused = model.run(FIRST_TEXT), str(error)
        n = len(letters.ids)
        place = values[PLACE.key] if 0 <= values[PLACE.key] < n else n - 1
        return cls(circuit_run(settings), step, model, letters, place, refused)


def _facts(_: StoryView, values: b.Values) -> CircuitFacts:
    """Trains first, if a visitor has asked for it."""
    run = circuit_run(settings_of(values))
    if values[NOW.key] == RUN and not run.done:
        run.train(SECONDS)
    shown = _Shown.by(values)
    return circuit_facts(run, shown.step, shown.model, shown.letters, shown.place)


def _blocks(view: StoryView, values: b.Values, facts: CircuitFacts) -> Sequence[b.Block]:
    """The letters with the arcs of both layers, the guess, and how training went. Raises:
    AttentionError.
    """
    shown, notes = _Shown.by(values), list[b.Block]()
    run, settings = shown.run, shown.run.settings
    if shown.refused:
        says = f"{WORDS.label}: {shown.refused}. Until then “{FIRST_TEXT}” is used."
        notes = [b.Note(escape_markdown(says), "wrong")]
    first, last = b.row(values, WORDS, LAYER_COUNT, HEAD_COUNT).items, b.row(values, ASKS).items
    if values[ASKS.key] and not values[ANSWER.key]:
        return [b.Row((*first, *last)), *notes, *_question(shown.letters, shown.place)]
    board = circuit_board(shown.model, shown.letters, shown.place, looked_at(settings, shown.step))
    clicks = {f"shares {one}": {PLACE.key: "{0}"} for one in range(settings.n_layers)}
    return [
        b.Text(f"{_said(facts)} {_answer(facts)}"),
        b.Row((*first, _heads_off(settings, values), *last, *_trains(run, values))),
        *notes,
        *_verdict(values, facts),
        b.Board(board, "circuit", fits=True, sets=clicks),
        b.Heading("How it is learnt"),
        b.Text(_learnt(facts)),
        b.Chart(progress_figure(run, shown.step, _scores(run)), "circuit training"),
        b.row(values, AT, SEED),
        b.Folded("What makes the key, across layers", lambda: _composed(facts)),
        b.Folded("What is trained, and what is measured", [b.Text(WHAT_IT_IS)]),
        b.Heading("Why two layers?"),
        _comparison(facts),
        b.Text(THREE_RUNS),
        *([b.Later(0.1, {NOW.key: RUN})] if values[NOW.key] == RUN and not run.done else []),
    ]


def _heads_off(settings: CircuitSettings, values: b.Values) -> b.Field:
    """The choice of the heads that are off, of those that the model has."""
    shape = (settings.n_layers, settings.n_heads)
    offered = {f"{one}-{of}": NAMES[f"{one}-{of}"] for one, of in np.ndindex(shape)}
    chosen = tuple(one for one in values[OFF.key] if one in offered)
    return b.Field(replace(OFF, options=offered, variant="{} {}".format(*shape)), chosen)


def _question(letters: LetterRun, place: int) -> list[b.Block]:
    """What comes next, before anything is shown: a button for each letter of the text."""
    read = [LETTERS[one] for one in letters.ids[: place + 1]]
    buttons = tuple(b.Button(one, {ANSWER.key: one}, name=f"say {one}") for one in sorted({*read}))
    return [b.Text(f"**{' '.join(read)}** … Which letter comes next?"), b.Row(buttons)]


def _verdict(values: b.Values, facts: CircuitFacts) -> list[b.Block]:
    """Whether a visitor's guess is what came after the letter last time; nothing without one."""
    if not (values[ASKS.key] and values[ANSWER.key]):
        return []
    said = f"You said “{escape_markdown(values[ANSWER.key])}”."
    if facts.known == "new":
        return [b.Note(f"{said} “{facts.letter}” is new here, so nobody can know.")]
    known = f"Last time “{facts.came}” came after “{facts.letter}”."
    return [b.Note(f"{said} {known}", "right" if values[ANSWER.key] == facts.came else "wrong")]


def _name(one: HeadName) -> str:
    return f"layer {one.layer}, head {one.head}"


def _answer(facts: CircuitFacts) -> str:
    """How often the model is right, and without each head."""
    if facts.off:
        named = ", ".join(map(_name, facts.off))
        return (
            f"Without {named}: **{facts.now}** of the guesses on {facts.unseen} unseen sequences"
            f" are right, in the place of {facts.right}."
        )
    each = "; ".join(f"without {_name(one)}: **{right}**" for one, right in facts.each)
    return f"Right guesses on {facts.unseen} unseen sequences: **{facts.right}**; {each}."


KNOWN = {
    "new": "“{0.letter}” has not stood here before, so nobody can know what follows.",
    "right": "Last time (place {0.last}) **{0.came}** followed: right.",
    "wrong": "Last time (place {0.last}) **{0.came}** followed, which gets {0.of_came}: wrong.",
}


def _said(facts: CircuitFacts) -> str:
    """The guess in words, and what can be known."""
    return (
        f"After “{facts.letter}” (place {facts.place}) the model says **{facts.said}**,"
        f" {facts.share}. {KNOWN[facts.known].format(facts)}"
    )


def _trains(run: KeptRun, values: b.Values) -> list[b.Button]:
    """The button that trains, stops or goes on, and one that trains again from another seed."""
    if values[NOW.key] == RUN and not run.done:
        says = f"Stop (step {run.step:,} of {run.settings.last_step:,})"
        return [b.Button(says, {NOW.key: NOTHING}, "What has been trained stays.", name="go")]
    if not run.done:
        return [
            b.Button("Continue" if run.step else "Train", {NOW.key: RUN, AT.key: 100}, name="go")
        ]
    again = {SEED.key: values[SEED.key] + 1, NOW.key: RUN, AT.key: 100}
    return [b.Button("Train again", again, "From other random numbers: the next seed.", name="go")]


def _learnt(facts: CircuitFacts) -> str:
    return (
        f"Numbers: {facts.numbers}. After step **{facts.step}** of {facts.last_step} a head of"
        f" layer 0 gives **{facts.back}** to the place before; a head of layer {facts.last_layer}"
        f" gives **{facts.after}** to what came after this letter last time."
    )


def _scores(run: KeptRun) -> dict[str, list[tuple[int, float]]]:
    """The measures at each step whose weights are known."""
    scores = {step: circuit_score(run.settings, step) for step, _ in run.points}
    return {
        "right guesses": [(step, one.right) for step, one in scores.items()],
        "one place back": [(step, float(one.one_back[0].max())) for step, one in scores.items()],
        "after the last time": [
            (step, float(one.prefix[-1].max())) for step, one in scores.items()
        ],
    }


def _composed(facts: CircuitFacts) -> list[b.Block]:
    """What the key is made of that the head in question reads most."""
    key = facts.key()
    if key is None:
        return [b.Text(NO_SECOND)]
    names, total = [*key.names, "sum"], key.parts[-1]
    each = [[f"layer 1, head {later}", *map(str, row)] for later, row in enumerate(key.composition)]
    earlier = [f"layer 0, head {one}" for one in range(len(each))]
    return [
        b.Text(
            f"The score of “{facts.letter}” at place {facts.place} with the key at place"
            f" {key.place} ({key.share} of its attention) is {total}. The query is multiplied with"
            " each part of the vector that the key is made from:"
        ),
        b.Table(["part of the key", "adds to the score"], [*zip(names, key.parts, strict=True)]),
        b.Text(
            f"**K-composition**, of all texts: ${COMPOSITION}$ in Frobenius norms, W_Q and W_K of"
            " the head of layer 1, W_V and W_O of that of layer 0. Unrelated matrices have about"
            f" 1/√D = {key.unrelated}. Source: Elhage et al. 2021."
        ),
        b.Table(["", *earlier], each),
    ]


def _comparison(facts: CircuitFacts) -> b.Table:
    """The stored runs, and what each loses without a head."""
    rows = []
    for one in facts.stored:
        layers = [", ".join(map(str, shares)) for shares in one.without]
        name = f"layers: {one.layers}, heads: {one.heads}"
        rows.append([name, *map(str, (one.numbers, one.right)), *layers, *["–"] * (2 - one.layers)])
    head = ["model", "numbers", "right", "without a head of layer 0", "of layer 1"]
    return b.Table(head, rows)


TWO_LAYERS = page_of_facts("two-layers", lambda _: CHOICES, _facts, _blocks)
