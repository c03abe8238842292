"""What the pages that train say, *Training* and *Two layers*: for each page one record of facts,
from which its sentences take their values.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attention_core.checks import Array
from attention_core.projections import Projections

from ..cache import cached
from ..words.numbers import Case, Count, Number, Share, sum_in_digits
from .circuit import Guess, Head, LetterModel, LetterRun, guess_at, key_composition, key_parts
from .circuit_settings import CircuitSettings
from .evaluation import (
    agreement_masses,
    offset_profile,
    one_answer_score,
    score_layer,
    unseen_trace,
)
from .readouts import weightless_score
from .tasks import N_UNSEEN
from .training_runs import (
    STORED_SETTINGS,
    KeptRun,
    LayerRun,
    circuit_score,
    stored_runs,
    weightless_loss,
)
from .training_settings import WIDE_MODEL, TrainingSettings, expected_seconds

Habits = tuple[Array, Array, dict[str, Array]]
COMPARED = (CircuitSettings(), CircuitSettings(n_heads=2), CircuitSettings(n_layers=1, n_heads=2))
cached_score = cached(score_layer)
cached_weightless_loss = cached(weightless_loss)


@cached
def head_habits(settings: TrainingSettings, projections: Projections) -> Habits:
    """What the heads of a layer look at on the unseen sequences: offsets and masses, see
    `offset_profile`, and agreement, which is empty unless the task is about it.
    """
    trace = unseen_trace(settings, projections)
    by_agreement = settings.task in ("agreement", "conjunction")
    return *offset_profile(trace), agreement_masses(trace) if by_agreement else {}


@dataclass(frozen=True)
class HeadHabit:
    """A head, and the share that it gives to the token that it reads most, "before" or "after" a
    token.
    """

    head: Count
    share: Share
    side: Case


@dataclass(frozen=True)
class WhyHeadsFacts:
    """The errors of the stored runs, and what the heads of the last one read."""

    one: Number
    wide: Number
    two: Number
    heads: tuple[HeadHabit, ...]


def why_heads() -> WhyHeadsFacts:
    """Why there are several heads, in the numbers of the stored runs."""
    ends = {name: run.newest[1] for name, run in stored_runs().items()}
    one, wide, two = (
        Number(cached_score(STORED_SETTINGS[name], end).total, 4) for name, end in ends.items()
    )
    offsets, masses_HO, _ = head_habits(STORED_SETTINGS["2 heads"], ends["2 heads"])
    sides = {-1: Case("before"), 1: Case("after")}  # what the task asks for
    heads = tuple(
        HeadHabit(Count(head), Share(masses.max()), sides[offsets[masses.argmax()]])
        for head, masses in enumerate(masses_HO)
    )
    return WhyHeadsFacts(one, wide, two, heads)


@dataclass(frozen=True)
class ModelFacts:
    """One of the models of a task: the numbers that it learns, its score on unseen sequences, that
    of one answer for each head, and its cross-entropy if the score is another number.
    """

    numbers: Count | None
    score: Number
    best: Number | None
    loss: Number | None


@dataclass(frozen=True)
class TrainingFacts:
    """*Training*. why: of the stored runs, while one of them is shown. step: of the layer that is
    shown; trained, last: of its run. score, best: of the layer, and of one answer for each head.
    """

    why: WhyHeadsFacts | None
    step: Count
    trained: Count
    last: Count
    score: Share | Number
    best: Share | Number
    by_accuracy: bool
    tokens: Count
    features: Count
    heads: Count
    d_k: Count
    d_v: Count
    numbers: Count
    batch: Count
    seconds: Number


def training_facts(run: LayerRun, percent: float) -> TrainingFacts:
    """What *Training* says of a run after a part of it."""
    settings, (step, projections) = run.settings, run.at(percent)
    task, (d_k, d_v) = settings.training_task, settings.widths
    result = cached_score(settings, projections)
    scores = (result.total, one_answer_score(settings.task, settings.n_heads, d_v))
    score, best = (Share(one) if result.by_accuracy else Number(one, 4) for one in scores)
    return TrainingFacts(
        why=why_heads() if settings in STORED_SETTINGS.values() else None,
        step=Count(step),
        trained=Count(run.step),
        last=Count(settings.last_step),
        score=score,
        best=best,
        by_accuracy=result.by_accuracy,
        tokens=Count(task.n_tokens),
        features=Count(task.d_model),
        heads=Count(settings.n_heads),
        d_k=Count(d_k),
        d_v=Count(d_v),
        numbers=Count(settings.n_parameters),
        batch=Count(settings.batch),
        seconds=Number(expected_seconds(settings), 1),
    )


@dataclass(frozen=True)
class ModelsFacts:
    """The models of a task side by side, all trained. wide: whether one of them is a wide head,
    which learns as many numbers as two heads and answers one question.
    """

    models: dict[str, ModelFacts]
    by_accuracy: bool
    seed: Count
    wide: bool


def models_facts(runs: Mapping[str, LayerRun]) -> ModelsFacts:
    """What *Training* says of the models of a task. runs: by name, all done."""
    first = next(iter(runs.values())).settings
    task, by_accuracy = first.task, first.training_task.by_accuracy
    losses = [cached_weightless_loss(task, first.seed)]
    losses += [run.unseen_losses[-1][1] for run in runs.values()]
    shown = [Number(one, 4) if by_accuracy else None for one in losses]
    without = Number(weightless_score(task, first.seed).total, 4)
    models = {"weightless": ModelFacts(None, without, None, shown[0])}
    for (name, run), loss in zip(runs.items(), shown[1:], strict=True):
        one, total = run.settings, cached_score(run.settings, run.newest[1]).total
        models[name] = ModelFacts(
            Count(one.n_parameters),
            Number(total, 4),
            Number(one_answer_score(task, one.n_heads, one.widths[1]), 4),
            loss,
        )
    return ModelsFacts(models, by_accuracy, Count(first.seed), WIDE_MODEL in runs)


@dataclass(frozen=True)
class HeadName:
    """A head of a layer."""

    layer: Count
    head: Count


@dataclass(frozen=True)
class KeyFacts:
    """What makes the key that the head in question of the last layer reads most. share: of its
    attention. parts: what each adds to the score, and their sum, as texts that add up. composition:
    for each later head the K-composition with each earlier one; unrelated: that of matrices that
    have nothing to do with one another.
    """

    place: Count
    share: Share
    names: tuple[str, ...]
    parts: tuple[str, ...]
    composition: tuple[tuple[Number, ...], ...]
    unrelated: Number


def key_facts(model: LetterModel, run: LetterRun, guess: Guess, head: int) -> KeyFacts | None:
    """What *Two layers* says of a key; None in a model of one layer."""
    layer = len(model.layers) - 1
    if layer == 0:
        return None
    parts = key_parts(model, run, layer, head, guess.place, guess.key)
    return KeyFacts(
        place=Count(guess.key),
        share=Share(guess.key_share),
        names=tuple(parts),
        parts=tuple(sum_in_digits([*parts.values()], 4)),
        composition=tuple(tuple(map(Number, row)) for row in key_composition(model)),
        unrelated=Number(model.weights["embedding"].shape[1] ** -0.5, 2),
    )


@dataclass(frozen=True)
class StoredFacts:
    """One of the stored runs: its sizes, the share of right guesses, and for each layer that
    without each of its heads.
    """

    layers: Count
    heads: Count
    numbers: Count
    right: Share
    without: tuple[tuple[Share, ...], ...]


@cached
def stored_facts() -> tuple[StoredFacts, ...]:
    """What *Two layers* says of the runs that are compared."""
    facts = []
    for one in COMPARED:
        without = tuple(
            tuple(_right(one, one.last_step, (layer, head)) for head in range(one.n_heads))
            for layer in range(one.n_layers)
        )
        sizes = (Count(one.n_layers), Count(one.n_heads), Count(one.n_parameters))
        facts.append(StoredFacts(*sizes, _right(one, one.last_step), without))
    return tuple(facts)


@dataclass(frozen=True)
class CircuitFacts:
    """*Two layers*. letter, place: the letter in question; said, share: what the model says, and
    how sure it is. known: "new" letter, or whether the model says what came last time ("right",
    "wrong"); last, came, of_came: the place where the letter stood then, what came, and its share
    if it is not what the model says.

    right: the share of right guesses of the whole model; now: without the heads that are off;
    each: without one head of each layer, while none is off. back, after: the largest share that a
    head of the first layer gives to the place before, and one of the last layer to what came after
    the last time.
    """

    letter: str
    place: Count
    said: str
    share: Share
    known: Case
    last: Count | None
    came: str
    of_came: Share | None
    unseen: Count
    right: Share
    off: tuple[HeadName, ...]
    now: Share | None
    each: tuple[tuple[HeadName, Share], ...]
    numbers: Count
    step: Count
    last_step: Count
    back: Share
    last_layer: Count
    after: Share
    stored: tuple[StoredFacts, ...]
    key: Callable[[], KeyFacts | None]


def looked_at(settings: CircuitSettings, step: int) -> tuple[int, ...]:
    """The head to look at in each layer: the one that looks one place back most, and in the last
    layer the one that looks most at what came after the last time.
    """
    score = circuit_score(settings, step)
    measures = [*score.one_back[:-1], score.prefix[-1]]
    return tuple(int(one.argmax()) for one in measures)


def _right(settings: CircuitSettings, step: int, *off: Head) -> Share:
    return Share(circuit_score(settings, step, off).right)


def circuit_facts(
    run: KeptRun, step: int, model: LetterModel, letters: LetterRun, place: int
) -> CircuitFacts:
    """What *Two layers* says after a letter. model: after the step, with the heads that are off."""
    settings, off = run.settings, model.off
    heads, score = looked_at(settings, step), circuit_score(settings, step)
    guess = guess_at(letters, place, heads[-1])
    known = "new" if guess.last is None else "right" if guess.is_right else "wrong"
    each = [] if off else [*enumerate(heads)]
    return CircuitFacts(
        letter=guess.letter,
        place=Count(guess.place),
        said=guess.said,
        share=Share(guess.share),
        known=Case(known),
        last=None if guess.last is None else Count(guess.last),
        came=guess.came,
        of_came=Share(guess.of_came) if known == "wrong" else None,
        unseen=Count(N_UNSEEN),
        right=_right(settings, step),
        off=tuple(HeadName(Count(layer), Count(head)) for layer, head in off),
        now=_right(settings, step, *off) if off else None,
        each=tuple(
            (HeadName(Count(layer), Count(head)), _right(settings, step, (layer, head)))
            for layer, head in each
        ),
        numbers=Count(settings.n_parameters),
        step=Count(step),
        last_step=Count(settings.last_step),
        back=Share(score.one_back[0].max()),
        last_layer=Count(settings.n_layers - 1),
        after=Share(score.prefix[-1].max()),
        stored=stored_facts(),
        key=lambda: key_facts(model, letters, guess, heads[-1]),
    )
