"""The page *Training*: what heads learn to look at, and what more of them are good for.

A run trains a little whenever the page is shown while it trains, and then asks to be shown again.
"""

from collections.abc import Sequence
from dataclasses import replace

from attention_core import AttentionError, attend
from attention_core.projections import Projections
from attention_core.trace import Trace
from attention_lab.cache import cached
from attention_lab.heads.head_worth import without_heads
from attention_lab.labs.evaluation import Score, one_answer_loss, score_layer
from attention_lab.labs.tasks import N_UNSEEN, TRAINING_TASKS, unseen_examples
from attention_lab.labs.training_facts import (
    Habits,
    TrainingFacts,
    WhyHeadsFacts,
    cached_score,
    head_habits,
    training_facts,
)
from attention_lab.labs.training_runs import STORED_SETTINGS, LayerRun, layer_run, stored_runs
from attention_lab.labs.training_settings import (
    CONSTRAINTS,
    MAX_BATCH,
    MAX_STEPS,
    WIDE_MODEL,
    TrainingSettings,
)

from .. import blocks as b
from ..block_page import page_of_facts
from ..diagonal.choices import scale, seed
from ..markdown import escape_markdown
from ..page_choices import Number, Select, by_name
from ..reference.glossary import meaning
from ..story.story_view import StoryView
from .training import (
    agreement_figure,
    loss_figure,
    offset_figure,
    score_figure,
    sequence_board,
    token_labels,
)
from .training_parts import SECONDS, TRAINS, backward_pass, comparison

# How many heads each model has.
HEADS_OF_MODELS = {"1 head": 1, WIDE_MODEL: 1} | {f"{n} heads": n for n in (2, 3, 4, 6)}
LEARNING_RATES = ("0.001", "0.003", "0.01", "0.03", "0.1")
ROOT = "√d_k"
RUN, NOTHING = "run", TRAINS.default
WHOLE_LAYER, WITHOUT_HEAD = "whole layer", "without head {}"
REPLAY_STEP, REPLAY_SECONDS = 4, 0.2  # percent of a finished run, and how long each is shown
# What the bars of the heads are, by whether the task is about agreement.
HABITS = {
    True: "The share of a head’s attention on words that agree with the query word.",
    False: (
        "Where on the ring a head looks, counted from the query token: −1 is the token before it."
    ),
}
# What a reader of a row of attention must know, by whether the task is about agreement.
SEQUENCE_HINTS = {
    True: "♀ ♂ ○ are the genders, 1 singular, + plural.",
    False: "Point at a cell for its arithmetic.",
}
# What the score on unseen sequences is, by whether it counts right choices.
SCORE_MEANINGS = {
    True: "The share of right choices.",
    False: (
        "The squared error divided by the variance of the target: 0 is perfect, 1 is always saying"
        " the mean."
    ),
}
SCORES = (
    f"The score is measured on {N_UNSEEN} sequences that no step saw. *One answer per head:* a"
    " head uses the same row of attention for all its value features. If that row does not depend"
    " on the contents, the head answers one question. With K independent questions and h heads the"
    f" mean error is then 1 − h/K, or 0 if there are enough heads; on {N_UNSEEN} sequences it can"
    " be a bit smaller or larger. For *agreement* with one head this is the best compromise, found"
    " by search. For *letters* it counts a guess for what no head looks up. Values narrower than"
    " an answer bring a part of it. Training reaches this score unless narrow keys or orthonormal"
    " weights prevent it. Weights with a better score exist, but they are hard to find."
)
FLOOR = (
    "The dashed line is the loss if each head gives one answer. It is a mean: the loss of a few"
    " sequences may lie below it."
)
TRY = (
    "**Try:** train *neighbours* with 1 head, then with 1 wide head (no better), then with 2 heads."
    " The loss stays near the line of one head until the two heads become different. *conjunction*"
    " is another case: “my gender **and** my number” is one sum of scores, so one head is enough."
)


NOTHING_LEARNT = "The weights are random numbers; the layer has learnt nothing yet."
GRADIENTS = "How the layer learns: every gradient"
STOPS = (TRAINS.key,)  # another run does not train before a visitor asks for it
TASK = Select("train_task", "Task", "neighbours", by_name(TRAINING_TASKS), "buttons", resets=STOPS)
MODEL = Select("train_model", "Model", "2 heads", by_name(HEADS_OF_MODELS), resets=STOPS)
AT = scale(
    *("train_at", "Show the layer after this part of the run, in %", 100, 0, 100),
    about="Drag it back to see how the heads form. First the loss stays on a plateau. Then the"
    " heads become different. In the end each head answers one question.",
)
SEED = replace(seed("train_seed"), resets=STOPS)
STEPS = Number("train_steps", "Steps (0: set by the task)", 0, 0, MAX_STEPS, step=100, resets=STOPS)
BATCH = Number("train_batch", "Sequences per step", 32, 1, MAX_BATCH, resets=STOPS)
RATE = Select("train_rate", "Learning rate", "0.01", by_name(LEARNING_RATES), "scale", resets=STOPS)
CONSTRAINT = Select(
    "train_constraint",
    "Columns of W_Q, W_K, W_V",
    "free",
    by_name(CONSTRAINTS),
    help="free: all numbers can change. orthonormal: the columns of each head stay at length 1"
    " and at right angles to each other in training (Stiefel manifold). orthonormal values:"
    " this holds for W_V only.",
    resets=STOPS,
)
TEMPERATURE = Select(
    "train_temperature",
    "Temperature: scores are divided by",
    ROOT,
    by_name((ROOT, "0.0625", "0.25", "0.5", "1", "2", "4")),
    "scale",
    help=meaning("temperature"),
    resets=STOPS,
)
OPTIMISER = (SEED, STEPS, BATCH, RATE, CONSTRAINT, TEMPERATURE)
WITHOUT = Select(
    "train_without",
    "Silenced head",
    "",
    {"": WHOLE_LAYER} | {str(n): WITHOUT_HEAD.format(n) for n in range(6)},
    "buttons",
)
SEQUENCE = Number("train_sequence", "Unseen sequence", 0, 0, N_UNSEEN - 1)
CHOICES = (TASK, MODEL, AT, *OPTIMISER, WITHOUT, SEQUENCE, TRAINS)


def settings_of(values: b.Values) -> TrainingSettings:
    """The settings of the run that the page shows."""
    task, model, temperature = (values[one.key] for one in (TASK, MODEL, TEMPERATURE))
    widths = TRAINING_TASKS[task].wide if model == WIDE_MODEL else (0, 0)  # 0: as the task sets it
    return TrainingSettings(
        task,
        HEADS_OF_MODELS[model],
        *widths,
        n_steps=values[STEPS.key],
        batch=values[BATCH.key],
        learning_rate=float(values[RATE.key]),
        constraint=values[CONSTRAINT.key],
        temperature=0.0 if temperature == ROOT else float(temperature),
        seed=values[SEED.key],
    )


def shown_layer(values: b.Values) -> Trace:
    """The layer that the page shows, run on the chosen sequence. Raises: SettingsError."""
    settings = settings_of(values)
    _, projections = layer_run(settings).at(values[AT.key])
    sequence = values[SEQUENCE.key]
    inputs_1TD = unseen_examples(settings.task).inputs[sequence : sequence + 1]
    return attend(inputs_1TD, projections, scale=settings.scale)


@cached
def _score_without(settings: TrainingSettings, projections: Projections, head: int) -> Score:
    return score_layer(settings, without_heads(projections, [head]))


def _facts(_: StoryView, values: b.Values) -> TrainingFacts | str:
    """What is said of a run, which trains first if a visitor has asked for it; or why there is
    none.
    """
    try:
        run = layer_run(settings_of(values))
    except AttentionError as error:
        return str(error)
    if values[TRAINS.key] == RUN and not run.done:
        run.train(SECONDS)
    return training_facts(run, values[AT.key])


def _blocks(view: StoryView, values: b.Values, facts: TrainingFacts | str) -> Sequence[b.Block]:
    """The run, what its heads look at, its score, and one sequence."""
    choices: list[b.Block] = [b.row(values, TASK, MODEL)]
    more = b.Folded("More choices", [b.row(values, *OPTIMISER[:3]), b.row(values, *OPTIMISER[3:])])
    if isinstance(facts, str):
        return [*choices, replace(more, opened=True), b.Note(escape_markdown(facts), "wrong")]
    settings = settings_of(values)
    run = layer_run(settings)
    _, projections = run.at(values[AT.key])
    habits = head_habits(settings, projections)
    return [
        b.Text(_answer(facts.why)),
        *choices,
        b.Beside((_loss(run, facts, values), _habits(habits, run, facts, values)), (3, 2)),
        _score(facts),
        *_about(facts),
        more,
        *_silenced(settings, projections, values),
        *_sequence(settings, values, bool(habits[2])),
        b.Folded("Compare the models", lambda: comparison(settings.task, values)),
        b.Folded(GRADIENTS, lambda: backward_pass(settings, shown_layer(values))),
        b.Text(TRY),
        *_next(run, values),
    ]


def _answer(why: WhyHeadsFacts | None) -> str:
    """Why there are several heads, in the numbers of the stored runs."""
    if not why:
        return "Watch a small attention layer learn a task: its loss, and what its heads look at."
    heads = ", ".join(
        f"head {one.head} gives {one.share} to the token {one.side} it" for one in why.heads
    )
    return (
        f"The task asks for two things. **Error of 1 head: {why.one}. Of 1 head with as many"
        f" numbers as two: {why.wide}. Of 2 heads: {why.two}.** A head has one row of shares for"
        f" each token, so it answers one question. Of the 2 heads, {heads}."
    )


def _loss(run: LayerRun, facts: TrainingFacts, values: b.Values) -> list[b.Block]:
    """The task, the loss, and the part of the run after which the layer is shown. Beside a run
    whose settings are stored stand the other stored ones.
    """
    runs = {"loss": run.losses}
    if run.settings in STORED_SETTINGS.values():
        runs = {name: stored.losses for name, stored in stored_runs().items()}
    floor = one_answer_loss(run.settings)
    figure = loss_figure(runs, run.settings.last_step, floor=floor, marked=facts.step)
    says = (
        "" if facts.trained else "The weights are random numbers; the layer has learnt nothing yet."
    )
    return [
        b.Text(f"**“{run.settings.training_task.instruction}”**"),
        b.Chart(figure, "train loss"),
        b.row(values, AT),
        *([b.caption(says)] if says else []),
    ]


def _habits(habits: Habits, run: LayerRun, facts: TrainingFacts, values: b.Values) -> list[b.Block]:
    """What the heads look at, and the button that trains, or shows again how the run went."""
    offsets, masses, agreement = habits
    figure = agreement_figure(agreement) if agreement else offset_figure(offsets, masses)
    says = HABITS[bool(agreement)]
    label, sets = ("Continue" if run.step else "Train"), {TRAINS.key: RUN, AT.key: 100}
    if values[TRAINS.key] == RUN:
        label, sets = "Stop", {TRAINS.key: NOTHING}
    elif run.done:
        label, sets = "Watch it learn", {TRAINS.key: RUN, AT.key: 0}
    button = b.Button(label, sets, name="go")
    at = f"Shown: step **{facts.step}**. Trained: {facts.trained} of {facts.last} steps."
    return [button, b.caption(at), b.Chart(figure, "train habits"), b.caption(says)]


def _score(facts: TrainingFacts) -> b.Table:
    """The score of the layer at a checkpoint, and that of heads with one answer each."""
    name = "right choices" if facts.by_accuracy else "error"
    head = ["step of the layer shown", f"{name} on unseen sequences", "one answer per head"]
    return b.Table(head, [[*map(str, (facts.step, facts.score, facts.best))]])


def _about(facts: TrainingFacts) -> list[b.Block]:
    """The sizes of the layer and of its training, and what the numbers mean."""
    meanings = [SCORE_MEANINGS[facts.by_accuracy], SCORES, *([] if facts.by_accuracy else [FLOOR])]
    return [
        b.caption(
            f"Tokens: {facts.tokens} · features: {facts.features} · heads: {facts.heads}, each with"
            f" d_k {facts.d_k} and d_v {facts.d_v} · numbers to learn: {facts.numbers} · steps:"
            f" {facts.last} · new sequences per step: {facts.batch} · time: about {facts.seconds} s"
        ),
        b.Folded("What these numbers are", [b.Text(" ".join(meanings))]),
    ]


def _silenced(
    settings: TrainingSettings, projections: Projections, values: b.Values
) -> list[b.Block]:
    """The score of each part of the task, of the whole layer and of the layer without a head."""
    offered = dict(tuple(WITHOUT.options.items())[: settings.n_heads + 1])
    held = values[WITHOUT.key] if values[WITHOUT.key] in offered else ""
    field = b.Field(replace(WITHOUT, options=offered, variant=f"of {settings.n_heads}"), held)
    scores = {WHOLE_LAYER: cached_score(settings, projections)}
    if held:
        scores[offered[held]] = _score_without(settings, projections, int(held))
    says = "Silence a head: its rows of W_O become 0. Which part of the task is lost?"
    figure = score_figure(settings.training_task.parts, scores)
    parts: list[b.Block] = [b.Text(says), b.Row((field,))]
    return [
        b.Heading("What is lost without a head"),
        b.Beside((parts, [b.Chart(figure, "train parts")]), (2, 3)),
    ]


def _sequence(settings: TrainingSettings, values: b.Values, by_agreement: bool) -> list[b.Block]:
    """The attention of every head in one sequence."""
    trace = shown_layer(values)
    board = sequence_board(trace, token_labels(settings.task, trace.inputs[0]))
    hint = SEQUENCE_HINTS[by_agreement]
    return [
        b.row(values, SEQUENCE),
        b.Board(board, "train sequence"),
        b.caption(f"Each row is the attention of one token in this sequence. {hint}"),
    ]


def _next(run: LayerRun, values: b.Values) -> list[b.Block]:
    """What follows while the run trains, or while it is watched once it is done."""
    if values[TRAINS.key] != RUN:
        return []
    if not run.done:
        return [b.Later(0.1, {TRAINS.key: RUN})]
    at = min(100, values[AT.key] + REPLAY_STEP)
    return [b.Later(REPLAY_SECONDS, {AT.key: at, TRAINS.key: RUN if at < 100 else NOTHING})]


TRAINING = page_of_facts("training", lambda _: CHOICES, _facts, _blocks)
