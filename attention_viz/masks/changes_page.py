"""The page *What changes?*: the layer as it is and with one thing changed, their difference, and
whether the output changes and why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from attention_core import STEPS, AttentionError
from attention_lab.choices import MAX_TEXT_LENGTH, resolve
from attention_lab.compare import (
    COMPARABLE,
    TwoLayers,
    change_notes,
    compare_with,
)
from attention_lab.control import Control
from attention_lab.control_list import CONTROLS, effects_of
from attention_lab.mask_kinds import CAUSAL
from attention_lab.masks.facts import ChangesFacts, changes_facts, largest_of
from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.masks.mistake_checks import MISTAKE_CHECKS, CheckResult, examine_layer
from attention_lab.masks.mistakes import MISTAKES, Mistake, hidden_mistake
from attention_lab.masks.shuffles import run_shuffled, what_knows_order
from attention_lab.scenario import Scenario, trace_of
from attention_lab.sentences import alone
from attention_lab.url_values import quoted, url_text
from attention_lab.words.numbers import format_number, with_minus_signs

from .. import blocks as b
from ..block_page import page_of_facts
from ..blocks import row
from ..markdown import escape_markdown, quote_token
from ..page_choices import Choice, Number, Select, Switch, Words
from ..story.story_view import StoryView
from .changes import change_board

CONTROL, ORDER, HIDDEN, FIRST = "control", "order", "hidden", "first"
SWITCH_WORDS = {"false": "off", "true": "on"}
MOST_SEED, LAST_ROUND = 999, 999
NO_NUMBER = "With these controls the mistake changes no number, so no check can find it."
SOME_NEED = (
    "Some mistakes need several heads, several tokens, weights that read the whole embedding, or"
    " scores divided by √d_k."
)
OTHER_CHANGES = {change.key: change for change in LAYER_CHANGES}
MISTAKE_NAMES = {mistake.key: mistake.name for mistake in MISTAKES}
COMPARED = {control.name: control for control in CONTROLS if control.name in COMPARABLE}
CHANGE = Select(
    "change",
    "What is changed",
    CONTROL,
    {
        CONTROL: "A control",
        ORDER: "The order of the tokens",
        **{key: change.name for key, change in OTHER_CHANGES.items()},
        **{key: f"Mistake: {name}" for key, name in MISTAKE_NAMES.items()},
        HIDDEN: "Spot it: a hidden mistake",
    },
    resets=("shown",),
)
AGAINST = Select(
    "against",
    "Control",
    "mask",
    {name: control.label for name, control in COMPARED.items()},
    resets=("value", "shown"),
)
VALUE = Words("value", "Set to", "", MAX_TEXT_LENGTH)
SHUFFLE = Number("inv_shuffle", "Shuffle number", 0, 0, MOST_SEED)
SEED = Number("inv_seed", "Seed", 0, 0, MOST_SEED)
GUESSED = ("bi_guess", "bi_answer")
GUESS = Select("bi_guess", "Your guess", "?", {"?": "?"} | MISTAKE_NAMES)
ROUND = Number("bi_round", "Round", 1, 1, LAST_ROUND, resets=GUESSED)
ANSWER = Switch("bi_answer", "Show the answer", False)
FIELDS = Select(
    "shown",
    "Numbers shown",
    FIRST,
    {FIRST: "First to change"} | {name: STEPS[name].title for name in STEPS if name != "memory"},
)


@dataclass(frozen=True)
class Change:
    """One change as the page shows it. says: what is changed, and why the output changes or not.

    row: its own choices. notes: what to know. below: what stands below the board. secret: whether
    it is to be guessed.
    """

    two: TwoLayers
    says: str
    row: Sequence[b.Field] = ()
    notes: Sequence[b.Note | b.Row] = ()
    below: Sequence[b.Block] = ()
    secret: bool = False


def _of_control(scenario: Scenario, values: b.Values) -> Change:
    control = COMPARED[values["against"]]
    own, notes = getattr(scenario, control.name), list[b.Note | b.Row]()
    value = control.other_value(own)
    if values["value"]:
        try:
            value = control.read(values["value"])
        except AttentionError as error:
            says = f"{control.label}, “{quoted(values['value'])}”: {error}."
            notes.append(b.Note(escape_markdown(says), "wrong"))
    two = compare_with(scenario, control.name, value)
    changed = replace(scenario, **{control.name: value})
    notes += [b.Note(escape_markdown(note)) for note in change_notes(scenario, changed)]
    says = (
        f"*{control.label}*: **{_in_words(control, value)}** instead of {_in_words(control, own)}."
    )
    if two.first_difference is None and not effects_of(changed).has(control):
        says += f" With these settings *{control.label}* has no effect."
    return Change(two, says, (b.Field(AGAINST, control.name), _value_field(control, value)), notes)


def _in_words(control: Control, value: Any) -> str:
    """A value of a control as its widget shows it."""
    if control.name == "text":
        return f"“{escape_markdown(value)}”"
    return control.said(value)


def _value_field(control: Control, value: Any) -> b.Field:
    """The choice of the other value, in the form of its control."""
    label, kind = VALUE.label, control.kind
    shared: dict[str, Any] = {"help": control.help, "variant": control.name}
    if kind in ("select", "switch"):
        options = {one: one for one in control.compared or control.options} or SWITCH_WORDS
        shown = url_text(value)
        options = {**options, shown: options.get(shown, shown)}
        return b.Field(Select(VALUE.key, label, "", options, **shared), shown)
    if kind in ("text", "lines"):
        return b.Field(Words(VALUE.key, label, "", MAX_TEXT_LENGTH, **shared), value)
    low, high = (type(control.default)(end) for end in control.bounds)
    step = 0.1 if kind == "number" else 1
    return b.Field(Number(VALUE.key, label, control.default, low, high, step, **shared), value)


def _of_order(scenario: Scenario, values: b.Values) -> Change:
    two, known = run_shuffled(scenario, values[SHUFFLE.key]), what_knows_order(scenario)
    says = (
        "Nothing in this layer knows a position: it reads a set, not a sequence. So shuffled tokens"
        " give the same results in the new order, $f(PX) = P\\,f(X)$ (*permutation equivariant*)."
    )
    if resolve(scenario).has_given_inputs:
        says += " The vectors are the rows of X; if they hold positions, these move with them."
    if known:
        says = f"This layer knows the order by {' and '.join(known)}."
    notes: list[b.Note | b.Row] = []
    if len(two.order) == 1:
        notes.append(b.Note("A single token cannot be shuffled: choose a longer sentence."))
    sets = [b.Button("Causal mask", {"mask": "causal"}), b.Button("No mask", {"mask": "none"})]
    if not resolve(scenario).has_given_inputs:
        label = "Without positions" if scenario.positions else "With positions"
        sets.insert(0, b.Button(label, {"positions": not scenario.positions}))
    return Change(two, says, (b.Field(SHUFFLE, values[SHUFFLE.key]),), notes, (b.Row(tuple(sets)),))


def _of_layer(scenario: Scenario, key: str, values: b.Values) -> Change:
    change, seed, trace = OTHER_CHANGES[key], values[SEED.key], trace_of(scenario)
    two = TwoLayers(trace, change.apply(trace, seed))
    seeds = (b.Field(SEED, seed),) if change.is_drawn else ()
    return Change(two, change.description, seeds, below=[b.Formula(change.formula)])


def _of_mistake(scenario: Scenario, mistake: Mistake) -> Change:
    layer = examine_layer(scenario, mistake.key)
    notes: list[b.Note | b.Row] = []
    if layer.two.first_difference is None:
        notes.append(b.Note(f"{NO_NUMBER} It needs: {mistake.needs}."))
        if (
            mistake.key == "mask"
            and scenario.mask != CAUSAL.name
            and layer.two.before.sizes["T"] > 1
        ):
            notes.append(b.Row((b.Button("Choose a causal mask", {"mask": "causal"}),)))
    right, wrong = (b.Code(f"{mistake.array} = {line}") for line in (mistake.right, mistake.wrong))
    lines = b.Beside(([b.caption("Right"), right], [b.caption("Wrong"), wrong]), (1, 1))
    below = [*_checks(layer.results), lines]
    return Change(layer.two, f"{mistake.description} All shapes are right.", (), notes, below)


def _hidden(scenario: Scenario, values: b.Values) -> Change:
    """The game: a hidden mistake, a guess, the answer."""
    number, guess = values[ROUND.key], values[GUESS.key]
    mistake = hidden_mistake(number)
    layer = examine_layer(scenario, mistake.key, masked=True)
    notes: list[b.Note | b.Row] = []
    answer = f"**{mistake.name}**. {mistake.description}"
    if guess == mistake.key:
        notes.append(b.Note(f"Found: {answer}", "right"))
    elif guess in MISTAKE_NAMES:
        text = "Which check would that mistake have failed or passed?"
        notes.append(b.Note(f"It is not “{MISTAKE_NAMES[guess]}”. {text}", "wrong"))
    if values[ANSWER.key] and guess != mistake.key:
        notes.append(b.Note(f"It was: {answer}"))
    if values[ANSWER.key] or guess == mistake.key:
        notes.append(b.Row((b.Button("Next round", {ROUND.key: number % LAST_ROUND + 1}),)))
    if layer.two.first_difference is None:
        notes.append(b.Note(f"{NO_NUMBER} {SOME_NEED}"))
    says = (
        f"This layer has one of {len(MISTAKES)} mistakes. Look at the checks below, at the"
        " difference in each step, at other sentences and sizes; then guess. If the sidebar has no"
        " mask, the layer has a causal one here."
    )
    guessing = (b.Field(GUESS, guess),)
    below = [row(values, ROUND, ANSWER), *_checks(layer.results)]
    return Change(layer.two, says, guessing, notes, below, secret=True)


def _checks(results: Mapping[str, CheckResult]) -> list[b.Block]:
    """The checks that pass and those that fail, side by side."""
    sides: dict[bool, list[str]] = {True: [], False: []}
    for check in MISTAKE_CHECKS:
        result = results[check.key]
        sides[result.passed].append(f"- **{check.name}**. {with_minus_signs(result.sentence)}")
    parts = []
    for passed, title in ((True, "What still looks fine"), (False, "What gives it away")):
        heading = f"**{title}**: {len(sides[passed])} of {len(results)} checks"
        parts.append([b.Text("\n".join([heading, *sides[passed]]))])
    asks = "\n".join(f"- **{check.name}**: {check.question}" for check in MISTAKE_CHECKS)
    return [b.Beside(tuple(parts), (1, 1)), b.Folded("What each check does", [b.Text(asks)])]


def _change(view: StoryView, values: b.Values) -> Change:
    scenario, key = alone(view.scenario, view.sequence), values[CHANGE.key]
    if key == CONTROL:
        return _of_control(scenario, values)
    if key == ORDER:
        return _of_order(scenario, values)
    if key == HIDDEN:
        return _hidden(scenario, values)
    if key in OTHER_CHANGES:
        return _of_layer(scenario, key, values)
    return _of_mistake(scenario, next(one for one in MISTAKES if one.key == key))


def _choices(view: StoryView) -> Sequence[Choice]:
    return CHANGE, AGAINST, VALUE, SHUFFLE, SEED, GUESS, ROUND, ANSWER, FIELDS


def _shown(view: StoryView, values: b.Values, change: Change) -> str:
    """The field on the board."""
    head = view.focus.head
    return _field_shown(values[FIELDS.key], change, change.two.fields(head), head)


def _facts(view: StoryView, values: b.Values) -> ChangesFacts:
    change, focus = _change(view, values), view.focus
    return changes_facts(change.two, _shown(view, values, change), focus.head, focus.query)


def _blocks(view: StoryView, values: b.Values, facts: ChangesFacts) -> Sequence[b.Block]:
    """The choices, whether the output changes and why, and the board. Raises: AttentionError."""
    change = _change(view, values)
    two, focus, shown = change.two, view.focus, _shown(view, values, change)
    offered = two.fields(focus.head)
    options = {FIRST: "First to change"} | {name: STEPS[name].title for name in offered}
    asked = values[FIELDS.key] if values[FIELDS.key] in options else FIRST
    fields = b.Field(Select(FIELDS.key, FIELDS.label, FIRST, options), asked)
    says = change.says if change.secret else f"{_whether(two, facts)} {change.says}"
    return [
        b.Row((b.Field(CHANGE, values[CHANGE.key]), *change.row, fields)),
        b.Text(says),
        *change.notes,
        b.Board(change_board(two, shown, focus, view.notation), "change", fits=True),
        *_largest(two, shown, facts),
        *change.below,
        *([] if change.secret else _course(two, view, facts)),
    ]


def _field_shown(asked: str, change: Change, offered: Sequence[str], head: int) -> str:
    """The field on the board: the one asked for, or the first in which a number of the head
    changes; a hidden mistake shows its output.
    """
    two = change.two
    if asked in offered:
        return asked
    first = [] if change.secret else [name for name in offered if largest_of(two, name, head)]
    return [*first, *(one for one in ("output", "probabilities") if one in offered)][0]


def _whether(two: TwoLayers, facts: ChangesFacts) -> str:
    """Whether the output changes, with the largest difference."""
    place = " in the new order" if two.order else ""
    if facts.widths:
        after, before = facts.widths
        return f"**The output has {after} features** instead of {before}."
    if facts.gap is None:
        rounding = " up to rounding" if facts.outcome == "rounding" else ""
        return f"**The output stays the same**{place}{rounding}."
    return f"**The output changes**{place}, by up to {facts.gap}."


def _largest(two: TwoLayers, field: str, facts: ChangesFacts) -> list[b.Block]:
    """The cell with the largest difference on the board, and a button that moves the focus there;
    or that no number differs.
    """
    moved = facts.largest
    if moved is None:
        other = " Other keys are hidden." if two.differs(field) else ""
        return [b.Text(f"No visible number of the {STEPS[field].title} changes.{other}")]
    places, words = {}, []
    for letter, place in zip(STEPS[field].letters[-2:], (moved.row, moved.column), strict=True):
        name, colour = {"T": ("query", "blue"), "S": ("key", "red")}.get(letter, ("feature", ""))
        places[name] = two.order[place] if two.order and colour else place
        token = f":{colour}[{name} {quote_token(two.tokens, place)}]" if colour else ""
        words.append(token or f"feature {place}")
    numbers = f"{moved.before} → {moved.after}, **{moved.change}**"
    text = f"**Largest difference** ({moved.title}): {', '.join(words)}: {numbers}."
    return [b.Text(text), b.Button("Show it", places)]


def _course(two: TwoLayers, view: StoryView, facts: ChangesFacts) -> list[b.Block]:
    """How far the change reaches: the attention that it moves, and its differences step by step."""
    asking = quote_token(two.tokens, facts.row)
    most = f"; most in head {facts.most_in}: {facts.most}" if facts.most else ""
    words = [
        f"In head {facts.head} the change moves **{facts.moved}** of a query's attention elsewhere,"
        f" on average{most}.",
        f"The changed shares of :blue[{asking}] sum to {facts.row_sum}.",
    ]
    rows = []
    for name in two.before.steps:
        if name == "memory" or name not in two.after.steps:
            continue
        gap = "another size"
        if getattr(two.before, name).shape == getattr(two.after, name).shape:
            gap = format_number(two.gap(name)) if two.differs(name) else "–"
        rows.append((STEPS[name].title, gap))
    return [
        b.Heading("How far it reaches"),
        b.Text(" ".join(words)),
        b.Table(("step", "largest difference"), rows),
        b.caption("–: the same up to rounding. Cells that one of both hides do not count."),
    ]


WHAT_CHANGES = page_of_facts("what-changes", _choices, _facts, _blocks)
