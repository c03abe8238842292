"""The choices of one head that the pages of the diagonal share, its examples, the chosen pair."""

from dataclasses import asdict, replace

from attention_core import Trace
from attention_core.checks import Array
from attention_lab.diagonal.measures import pair_violations, worst_pair
from attention_lab.diagonal.settings import (
    DIAGONAL_PRESETS,
    DIAGONAL_WEIGHTS,
    POSITIONS,
    TOKEN_SOURCES,
    DiagonalSettings,
)
from attention_lab.diagonal.token_matrices import MAX_FEATURES, MAX_TOKENS, format_tokens
from attention_lab.url_values import MAX_SEED
from attention_lab.words.text import tokenize_at_most

from .. import blocks as b
from ..markdown import escape_markdown
from ..page_choices import Choice, Number, Places, Select, Switch, Words, by_name
from ..story.story_view import StoryView

KEY_WIDTHS = ("as C", *(str(width) for width in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)))
PAIR = Places("lab_cell", "Pair", (), size=MAX_TOKENS, most=2, separator="-")
# What a click on a cell of its matrix sets.
PAIR_SETS = {name: {PAIR.key: "{0}-{1}"} for name in ("scores", "probabilities")}
USUAL = DiagonalSettings()


def scale(
    key: str, label: str, default: float, low: float, high: float, step: float = 1, about: str = ""
) -> Number:
    """A number on a scale."""
    return Number(key, label, default, low=low, high=high, step=step, look="scale", help=about)


def seed(key: str) -> Number:
    """The seed of a page's own random numbers."""
    return Number(key, "Seed", 0, low=0, high=MAX_SEED)


TOKENS: dict[str, Choice] = {
    "tokens": Select("lab_tokens", "Tokens X", TOKEN_SOURCES[0], by_name(TOKEN_SOURCES)),
    "numbers": Words("lab_numbers", "Tokens, such as 3,3; 10,0", USUAL.numbers, most=2000),
    "n_tokens": scale("lab_n_tokens", "How many, N", USUAL.n_tokens, 1, MAX_TOKENS),
    "d_model": scale("lab_d_model", "Features C", USUAL.d_model, 1, MAX_FEATURES),
    "spread": scale(
        "lab_spread",
        "Spread of the lengths",
        USUAL.spread,
        0.0,
        2.0,
        0.1,
        "Above 0, random factors make the vectors of the tokens longer or shorter.",
    ),
    "positions": Select("lab_positions", "Positions", USUAL.positions, by_name(POSITIONS)),
    "seed": seed("lab_seed"),
    "layer_norm": Switch("lab_layer_norm", "LayerNorm", USUAL.layer_norm),
}
LAYER: dict[str, Choice] = {
    "weights": Select("lab_weights", "Weights", USUAL.weights, by_name(DIAGONAL_WEIGHTS)),
    "angle": scale("lab_angle", "Angle from W_Q to W_K, degrees", 0, 0, 180, 5),
    "d_k": Select("lab_d_k", "d_k", KEY_WIDTHS[0], by_name(KEY_WIDTHS)),
    "temperature": scale("lab_temperature", "Temperature", USUAL.temperature, 0.1, 5.0, 0.1),
    "scaled": Switch("lab_scaled", "Scaled by 1/√d_k", USUAL.scaled),
    "causal": Switch("lab_causal", "Causal mask", USUAL.causal),
}
CHOICES: tuple[Choice, ...] = (*TOKENS.values(), *LAYER.values(), PAIR)


def settings_of(view: StoryView, values: b.Values, with_layer: bool = True) -> DiagonalSettings:
    """The settings of the head; without its layer the tokens alone, without weights."""
    names = [*TOKENS, *(LAYER if with_layer else ())]
    held = {name: values[f"lab_{name}"] for name in names}
    if with_layer:
        held["d_k"] = KEY_WIDTHS.index(held["d_k"]) and int(held["d_k"])
    return DiagonalSettings(text=view.scenario.text, **held)


def typed_numbers(settings: DiagonalSettings, values: b.Values) -> list[b.Block]:
    """The field of typed tokens, where they are shown: it stands in sight of what they change."""
    return [b.row(values, TOKENS["numbers"])] if settings.tokens == "numbers" else []


def token_rows(settings: DiagonalSettings, values: b.Values) -> list[b.Block]:
    """The choices of the tokens that have an effect, without `typed_numbers`."""
    kind = settings.tokens
    names = ["tokens", *(["d_model"] if kind != "numbers" else [])]
    names += ["n_tokens"] if kind == "drawn" else []
    more = ["spread", "positions", "layer_norm"]
    more += ["seed"] if kind == "drawn" or settings.spread else []
    return [b.row(values, *(TOKENS[one] for one in part)) for part in (names, more)]


def cut_notes(text: str, is_read: bool = True) -> list[b.Block]:
    """Which words of a sentence are left out. is_read: whether the page reads it. Raises:
    TextError.
    """
    notes = tokenize_at_most(text, MAX_TOKENS).notes if is_read else ()
    return [b.Text(escape_markdown(note), small=True) for note in notes]


def head_choices(settings: DiagonalSettings, values: b.Values) -> b.Folded:
    """All choices of the head, open once one is made."""
    weights = settings.weights
    names = ["weights", *(["angle"] if weights == "angle" else [])]
    names += ["d_k"] if weights != "weightless" else []
    parts = (names, ["temperature", "scaled", "causal"])
    rows = [b.row(values, *(LAYER[one] for one in part)) for part in parts]
    if weights != "weightless" and settings.tokens != "drawn" and not settings.spread:
        rows.append(b.row(values, TOKENS["seed"]))
    is_usual = replace(settings, text=USUAL.text) == USUAL
    inside = [*token_rows(settings, values), *rows]
    return b.Folded("Other tokens, other weights", inside, opened=not is_usual)


def sets_of(settings: DiagonalSettings) -> dict[str, object]:
    """What a button sets so that these settings are shown."""
    held = asdict(settings)
    held["d_k"] = str(held["d_k"] or KEY_WIDTHS[0])
    sets = {f"lab_{name}": value for name, value in held.items() if name != "text"}
    return sets | {PAIR.key: ()}


def sets_of_tokens(x_TD: Array) -> dict[str, object]:
    """What shows a token matrix as typed numbers, with no change to them; the layer stays."""
    typed = sets_of(DiagonalSettings(tokens="numbers", numbers=format_tokens(x_TD)))
    return {key: typed[key] for key in (*(one.key for one in TOKENS.values()), PAIR.key)}


def examples(settings: DiagonalSettings) -> list[b.Block]:
    """A button for each example, and what to look at where the settings are those of one."""
    buttons = tuple(
        b.Button(one.title, sets_of(one.settings), one.hint) for one in DIAGONAL_PRESETS
    )
    mine = sets_of(settings)
    hints = [one.hint for one in DIAGONAL_PRESETS if sets_of(one.settings) == mine]
    return [b.Row(buttons), *(b.Text(hint, small=True) for hint in hints)]


def pair_of(
    trace: Trace, values: b.Values, unless_broken: tuple[int, int] | None = None
) -> tuple[int, int]:
    """The chosen pair of tokens; without one, the pair that breaks the pair bound most or comes
    nearest to it.

    unless_broken: the pair in its place where no pair breaks the bound.
    """
    n_tokens, held = trace.sizes["T"], values[PAIR.key]
    if len(held) == 2 and max(held) < n_tokens:
        return held[0], held[1]
    if unless_broken and not pair_violations(trace.probabilities[0, 0]).any():
        return unless_broken
    return worst_pair(trace.probabilities[0, 0])
