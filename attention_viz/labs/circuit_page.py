"""The page *Two layers*: letters that repeat, a model that goes on with them, and the two heads
that do it together.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention_core import AttentionError
from attention_lab.labs.circuit import (
    Guess,
    LetterModel,
    LetterRun,
    guess_at,
    key_composition,
    key_parts,
    read_letters,
)
from attention_lab.labs.circuit_settings import (
    HEADS,
    LAYERS,
    LETTERS,
    N_PLACES,
    CircuitSettings,
)
from attention_lab.labs.tasks import N_UNSEEN
from attention_lab.labs.training_runs import (
    KeptRun,
    circuit_at,
    circuit_run,
    circuit_score,
)

from .. import blocks as b
from ..diagonal.choices import scale, seed
from ..labels import format_number, format_percent
from ..markdown import escape_markdown
from ..story.story_view import StoryView
from .circuit import circuit_board, progress_figure
from .training_parts import SECONDS

FIRST_TEXT = "kdhbmafckdhb"
RUN, NOTHING = "run", "nothing"
NOW = b.Select("circuit_now", "What trains", NOTHING, {NOTHING: "nothing", RUN: "the run"})
STOPS = (NOW.key,)
LAYER_COUNT = b.Select(
    "circuit_layers",
    "Layers",
    "2",
    b.by_name([*map(str, reversed(LAYERS))]),
    "buttons",
    resets=(*STOPS, "circuit_off", "circuit_cell"),
)
HEAD_COUNT = b.Select(
    "circuit_heads",
    "Heads in each layer",
    "1",
    b.by_name([*map(str, HEADS)]),
    "buttons",
    resets=(*STOPS, "circuit_off", "circuit_cell"),
)
NAMES = {
    f"{layer}-{head}": f"layer {layer}, head {head}"
    for layer in range(max(LAYERS))
    for head in range(max(HEADS))
}
OFF = b.Several("circuit_off", "Heads that are off", (), NAMES)
WORDS = b.Words(
    "circuit_letters",
    f"Letters, {LETTERS[0]} to {LETTERS[-1]}",
    FIRST_TEXT,
    most=2 * N_PLACES,
    short=True,
    resets=("circuit_place", "circuit_answer"),
)
ASKS = b.Switch("circuit_asks", "Ask me first", False, resets=("circuit_answer",))
ANSWER = b.Words("circuit_answer", "Your guess", "", most=1)
PLACE = b.Number("circuit_place", "After the letter at place (−1: the last)", -1, -1, N_PLACES - 1)
AT = scale("circuit_at", "The model after this part of its training, in %", 100, 0, 100)
SEED = replace(seed("circuit_seed"), resets=STOPS)
CHOICES = (LAYER_COUNT, HEAD_COUNT, OFF, WORDS, PLACE, AT, SEED, ASKS, ANSWER, NOW)
COMPARED = (CircuitSettings(), CircuitSettings(n_heads=2), CircuitSettings(n_layers=1, n_heads=2))
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


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The letters with the arcs of both layers, the guess, and how training went. Raises:
    AttentionError.
    """
    settings = settings_of(values)
    run = circuit_run(settings)
    if values[NOW.key] == RUN and not run.done:
        run.train(SECONDS)
    step, whole = circuit_at(settings, values[AT.key])
    off = _off(values)
    model = whole.without(*off)
    read, notes = _letters(values[WORDS.key])
    letters = model.run(read)
    place = values[PLACE.key] if 0 <= values[PLACE.key] < len(letters.ids) else len(letters.ids) - 1
    heads = looked_at(settings, step)
    guess = guess_at(letters, place, heads[-1])
    first, last = b.row(values, WORDS, LAYER_COUNT, HEAD_COUNT).items, b.row(values, ASKS).items
    if values[ASKS.key] and not values[ANSWER.key]:
        return [b.Row((*first, *last)), *notes, *_question(letters, place)]
    return [
        b.Text(f"{_said(guess)} {_answer(settings, step, off)}"),
        b.Row((*first, _heads_off(settings, values), *last, *_trains(run, values))),
        *notes,
        *_verdict(values, guess),
        b.Board(
            circuit_board(model, letters, place, heads),
            "circuit",
            fits=True,
            sets={f"shares {one}": {PLACE.key: "{0}"} for one in range(settings.n_layers)},
        ),
        *_training(run, step, values),
        b.Folded(
            "What makes the key, across layers", lambda: _composed(model, letters, guess, heads[-1])
        ),
        b.Folded("What is trained, and what is measured", [b.Text(WHAT_IT_IS)]),
        b.Heading("Why two layers?"),
        _comparison(),
        b.Text(
            "These are three runs of this task with these sizes. They do not show that one layer"
            " can never do it."
        ),
        *([b.Later(0.1, {NOW.key: RUN})] if values[NOW.key] == RUN and not run.done else []),
    ]


def _training(run: KeptRun, step: int, values: b.Values) -> list[b.Block]:
    """How the model was trained up to the step that is shown."""
    return [
        b.Heading("How it is learnt"),
        b.Text(_learnt(run, step, run.settings)),
        b.Chart(progress_figure(run, step, _scores(run)), "circuit training"),
        b.row(values, AT, SEED),
    ]


def _heads_off(settings: CircuitSettings, values: b.Values) -> b.Field:
    """The choice of the heads that are off, of those that the model has."""
    offered = {f"{one}-{of}": NAMES[f"{one}-{of}"] for one, of in np.ndindex(*_sizes(settings))}
    chosen = tuple(one for one in values[OFF.key] if one in offered)
    shape = f"{settings.n_layers} {settings.n_heads}"
    return b.Field(replace(OFF, options=offered, variant=shape), chosen)


def _question(letters: LetterRun, place: int) -> list[b.Block]:
    """What comes next, before anything is shown: a button for each letter of the text."""
    read = [LETTERS[one] for one in letters.ids[: place + 1]]
    buttons = tuple(b.Button(one, {ANSWER.key: one}, name=f"say {one}") for one in sorted({*read}))
    return [b.Text(f"**{' '.join(read)}** … Which letter comes next?"), b.Row(buttons)]


def _verdict(values: b.Values, guess: Guess) -> list[b.Block]:
    """Whether a visitor's guess is what came after the letter last time; nothing without one."""
    if not (values[ASKS.key] and values[ANSWER.key]):
        return []
    said = f"You said “{escape_markdown(values[ANSWER.key])}”."
    if guess.last is None:
        return [b.Note(f"{said} “{guess.letter}” is new here, so nobody can know.")]
    is_right = values[ANSWER.key] == guess.came
    known = f"Last time “{guess.came}” came after “{guess.letter}”."
    return [b.Note(f"{said} {known}", "right" if is_right else "wrong")]


def _letters(typed: str) -> tuple[tuple[int, ...], list[b.Block]]:
    """The letters that were typed, or the usual ones with the reason in their place."""
    try:
        return read_letters(typed), []
    except AttentionError as error:
        says = f"{WORDS.label}: {error}. Until then “{FIRST_TEXT}” is used."
        return read_letters(FIRST_TEXT), [b.Note(escape_markdown(says), "wrong")]


def _sizes(settings: CircuitSettings) -> tuple[int, int]:
    return settings.n_layers, settings.n_heads


def looked_at(settings: CircuitSettings, step: int) -> tuple[int, ...]:
    """The head to look at in each layer: the one that looks one place back most, and in the last
    layer the one that looks most at what came after the last time.
    """
    score = circuit_score(settings, step)
    measures = [*score.one_back[:-1], score.prefix[-1]]
    return tuple(int(one.argmax()) for one in measures)


def _right(settings: CircuitSettings, step: int, *off: tuple[int, int]) -> str:
    return format_percent(circuit_score(settings, step, off).right)


def _answer(settings: CircuitSettings, step: int, off: Sequence[tuple[int, int]]) -> str:
    """How often the model is right, and without each head."""
    whole = _right(settings, step)
    if off:
        now = _right(settings, step, *sorted(off))
        named = ", ".join(NAMES[f"{layer}-{head}"] for layer, head in off)
        return f"Without {named}: **{now}** of the guesses are right, in the place of {whole}."
    each = "; ".join(
        f"without {NAMES[f'{layer}-{head}']}: **{_right(settings, step, (layer, head))}**"
        for layer, head in enumerate(looked_at(settings, step))
    )
    return f"Right guesses on {N_UNSEEN} unseen sequences: **{whole}**; {each}."


def _said(guess: Guess) -> str:
    """The guess in words, and what can be known."""
    said = f"After “{guess.letter}” (place {guess.place}) the model says **{guess.said}**,"
    said += f" {format_percent(guess.share)}."
    if guess.last is None:
        return (
            f"{said} “{guess.letter}” has not stood here before, so nobody can know what follows."
        )
    known = f"Last time (place {guess.last}) **{guess.came}** followed"
    if guess.is_right:
        return f"{said} {known}: right."
    return f"{said} {known}, which gets {format_percent(guess.of_came)}: wrong."


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


def _learnt(run: KeptRun, step: int, settings: CircuitSettings) -> str:
    score = circuit_score(settings, step)
    back = format_percent(float(score.one_back[0].max()))
    after = format_percent(float(score.prefix[-1].max()))
    return (
        f"Numbers: {settings.n_parameters:,}. After step **{step:,}** of {settings.last_step:,} a"
        f" head of layer 0 gives **{back}** to the place before; a head of layer"
        f" {settings.n_layers - 1} gives **{after}** to what came after this letter last time."
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


def _composed(model: LetterModel, run: LetterRun, guess: Guess, head: int) -> list[b.Block]:
    """What the key is made of that the head in question reads most."""
    layer = len(model.layers) - 1
    if layer == 0:
        return [b.Text(NO_SECOND)]
    parts = key_parts(model, run, layer, head, guess.place, guess.key)
    total = sum(parts.values())
    rows = [[name, format_number(one, 4)] for name, one in parts.items()]
    shares_HH = key_composition(model)
    each = [
        [f"layer 1, head {later}", *(format_number(one, 3) for one in row)]
        for later, row in enumerate(shares_HH)
    ]
    earlier = [f"layer 0, head {one}" for one in range(model.n_heads)]
    return [
        b.Text(
            f"The score of “{guess.letter}” at place {guess.place} with the key at place"
            f" {guess.key} ({format_percent(guess.key_share)} of its attention) is"
            f" {format_number(total, 4)}. The query is multiplied with each part of the vector that"
            " the key is made from:"
        ),
        b.Table(
            ["part of the key", "adds to the score"], [*rows, ["sum", format_number(total, 4)]]
        ),
        b.Text(
            f"**K-composition**, of all texts: ${COMPOSITION}$ in Frobenius norms, W_Q and W_K of"
            " the head of layer 1, W_V and W_O of that of layer 0. Unrelated matrices have about"
            f" 1/√D = {format_number(model.weights.embedding.shape[1] ** -0.5, 2)}."
            " Source: Elhage et al. 2021."
        ),
        b.Table(["", *earlier], each),
    ]


def _comparison() -> b.Table:
    """The stored runs, and what each loses without a head."""
    rows = []
    for settings in COMPARED:
        last = settings.last_step
        layers = [
            ", ".join(_right(settings, last, (layer, head)) for head in range(settings.n_heads))
            for layer in range(settings.n_layers)
        ]
        name = f"layers: {settings.n_layers}, heads: {settings.n_heads}"
        whole = _right(settings, last)
        rows.append(
            [name, f"{settings.n_parameters:,}", whole, *layers, *["–"] * (2 - len(layers))]
        )
    head = ["model", "numbers", "right", "without a head of layer 0", "of layer 1"]
    return b.Table(head, rows)


TWO_LAYERS = b.BlockPage("two-layers", lambda _: CHOICES, _blocks)
