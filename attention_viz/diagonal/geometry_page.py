"""The page *Geometry*: tokens as arrows in the plane, the keys that beat a token, and where outputs
lie.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from attention_core import SettingsError, Trace
from attention_core.checks import Array
from attention_lab.diagonal.facts import GeometryFacts, geometry_facts
from attention_lab.diagonal.geometry import LENGTH_FACTORS
from attention_lab.diagonal.settings import (
    DIAGONAL_PRESETS,
    DiagonalSettings,
    settings_of_numbers,
    trace_of_settings,
)
from attention_lab.diagonal.token_matrices import MAX_TOKENS, format_tokens, parse_tokens

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown
from ..page_choices import Number, Select, Words, by_name
from ..story.story_view import StoryView
from .choices import cut_notes
from .geometry import plane
from .self_attention_mass import plane_board, token_names

DEFAULT_POINTS = "2,1; 1,3; 3.5,2.5; -2,2; -1,-2; 1.5,-1.5"
MAX_COORDINATE, MAX_POINTS = 25.0, 12
PLANE_PRESETS = ("nearly_all", "equal_norms", "duplicates", "inside")  # those with two features
DRAWN_DESCRIPTIONS = {
    "points": (
        "Tokens as arrows in the plane: vectors with C = 2 features and no weights, so that query,"
        " key and value of a token are the same arrow."
    ),
    "tied": (
        "The words of the sentence in a head with d_k = 2 and tied weights: the queries and the"
        " keys have the same weights."
    ),
    "free": (
        "The words of the sentence in a head with d_k = 2 and free weights: those of the queries"
        " and those of the keys are unrelated."
    ),
}
BEATS = (
    "A key beats it, which means that its score is higher, exactly if it lies in the shaded"
    " half-plane:"
)
# What is said of the keys that beat the chosen token in its own row; False: its query is 0.
BEATING_CONDITIONS: dict[str | bool, str] = {
    "points": (
        f"{BEATS} $x_j \\cdot x_i > |x_i|^2$. Then its projection onto the token’s arrow is longer"
        " than that arrow."
    ),
    "tied": (
        f"{BEATS} $k_j \\cdot q_i > k_i \\cdot q_i$. With tied weights key and query are the same"
        " arrow, so only longer arrows can beat it."
    ),
    "free": (
        f"{BEATS} $k_j \\cdot q_i > k_i \\cdot q_i$. With free weights the token’s own key can lie"
        " anywhere, and nothing favours the token itself."
    ),
    False: (
        "Its query is 0, so its scores for all keys are 0. There is no half-plane, no key beats it,"
        " and it reads all tokens equally."
    ),
}
PICTURE_CAPTIONS = {
    "points": (
        "Dashed: the convex hull of the values, which holds all their weighted averages. Every"
        " output (diamond) is such an average and lies inside."
    ),
    "tied": "Arrows from the origin are keys; blue is the query of the chosen token.",
    "free": (
        "Arrows from the origin are keys; blue is the query of the chosen token, orange its own"
        " key. Point at an arrow to read its word."
    ),
}
TRY = (
    "**Try:** pull a token away from the others: from some length on, its row has its maximum on"
    " the diagonal. Put a token between the others: *a token inside the convex hull of the others"
    " is always beaten*, or tied. Turn a token away from another by more than 90°: their dot"
    " product in the Gram matrix is negative."
)


def read_points(given: str) -> str:
    """Points as text, as the URL holds them. Raises: SettingsError, ShapeError."""
    x_T2 = parse_tokens(given)
    if x_T2.shape[1] != 2 or len(x_T2) > MAX_POINTS or abs(x_T2).max() > MAX_COORDINATE:
        raise SettingsError(
            f"points have shape {x_T2.shape}, with numbers up to {abs(x_T2).max():g}: write at most"
            f" {MAX_POINTS} points such as 2,1; 1,3 with numbers from −{MAX_COORDINATE:g} to"
            f" {MAX_COORDINATE:g}"
        )
    return format_tokens(x_T2)


OF = Select("plane_of", "What is drawn", "points", by_name(DRAWN_DESCRIPTIONS), look="buttons")
POINTS = Words("plane", "Points", DEFAULT_POINTS, most=2000, reads=read_points)
TOKEN = Number(
    "plane_token",
    "Chosen token",
    0,
    low=0,
    high=MAX_TOKENS - 1,
    help="The shaded half-plane belongs to the query of this token.",
)


def _trace_and_token(view: StoryView, values: b.Values) -> tuple[Trace, int]:
    """The layer that is drawn, and the chosen token. Raises: AttentionError."""
    if (kind := values[OF.key]) == "points":
        settings = settings_of_numbers(format_tokens(parse_tokens(values[POINTS.key])))
    else:
        settings = replace(DiagonalSettings(), text=view.scenario.text, weights=kind, d_k=2)
    trace = trace_of_settings(settings)
    return trace, min(values[TOKEN.key], trace.sizes["T"] - 1)


def _facts(view: StoryView, values: b.Values) -> GeometryFacts:
    return geometry_facts(*_trace_and_token(view, values), values[OF.key] == "points")


def _blocks(view: StoryView, values: b.Values, facts: GeometryFacts) -> Sequence[b.Block]:
    """The plane, what it says of a token, and the matrices. Raises: AttentionError."""
    kind, (trace, token) = values[OF.key], _trace_and_token(view, values)
    n_tokens, names = trace.sizes["T"], [escape_markdown(one) for one in token_names(trace)]
    beaten = ", ".join(f"“{names[place]}” ({score})" for place, score in facts.beaten)
    choose = replace(TOKEN, high=n_tokens - 1, look="scale", variant=str(n_tokens))
    told: list[b.Block] = [
        *([b.Row((b.Field(choose, token),))] if n_tokens > 1 else []),
        *(_moves(trace.inputs[0], token) if kind == "points" else []),
        b.Text(BEATING_CONDITIONS[facts.has_direction and kind]),
        b.Text(PICTURE_CAPTIONS[kind], small=True),
    ]
    return [
        b.Text(
            f"**Token “{names[token]}”.** Score for itself: {facts.own}. Higher scores:"
            f" {beaten or 'none'}."
        ),
        b.row(values, OF),
        b.Beside(([b.Chart(plane(trace, token), "plane")], told), (3, 2)),
        b.Text(DRAWN_DESCRIPTIONS[kind], small=True),
        *cut_notes(view.scenario.text, is_read=kind != "points"),
        *(_of_points(values, trace, facts) if kind == "points" else []),
    ]


def _moves(x_T2: Array, token: int) -> list[b.Block]:
    """Buttons that move the token by one, along both axes, and turn it."""
    reach = min(MAX_COORDINATE, ceil(abs(x_T2).max()) + 2.0)
    steps = {"← x": (-1, 0), "x →": (1, 0), "↓ y": (0, -1), "y ↑": (0, 1)}
    moves = {name: np.clip(x_T2[token] + by, -reach, reach).round(1) for name, by in steps.items()}
    moves["longer"] = np.clip(1.25 * x_T2[token], -MAX_COORDINATE, MAX_COORDINATE).round(2)
    buttons = []
    for label, point in moves.items():
        moved = x_T2.copy()
        moved[token] = point
        buttons.append(b.Button(label, {POINTS.key: format_tokens(moved)}))
    return [b.Row(tuple(buttons))]


def _of_points(values: b.Values, trace: Trace, facts: GeometryFacts) -> list[b.Block]:
    """The examples, the points as numbers, and the matrices from which the plane is drawn."""
    board = plane_board(trace, (facts.token, facts.token))
    first = b.Button("Six points", {POINTS.key: DEFAULT_POINTS})
    others = [
        b.Button(one.title, {POINTS.key: one.settings.numbers}, one.hint)
        for one in DIAGONAL_PRESETS
        if one.name in PLANE_PRESETS
    ]
    rows = {
        name: [
            {TOKEN.key: place}
            for place in range(trace.sizes["T"])
            for _ in range(array["shape"][-1])
        ]
        for name, array in board["arrays"].items()
    }
    return [
        b.Row((first, *others)),
        b.row(values, POINTS),
        b.Text(
            "The tokens X, their Gram matrix X Xᵀ, which holds the dot products of all tokens with"
            " each other, and its softmax after division by √2. Click a cell to choose the token of"
            " its row.",
            small=True,
        ),
        b.Board(board, "plane", clicks=rows),
        b.Text(TRY),
        *_longer_pairs(facts),
    ]


def _longer_pairs(facts: GeometryFacts) -> list[b.Block]:
    """What the chosen token reads of those turned away from it, as both become longer."""
    token = facts.token
    if not facts.longer:
        return [b.Text(f"No token is turned away from token {token} by more than 90°.")]
    rows = [
        [str(one.place), str(one.product), *(", ".join(map(str, part)) for part in parts)]
        for one in facts.longer
        for parts in [(one.shares, one.relative)]
    ]
    factors = ", ".join(f"{factor:g}" for factor in LENGTH_FACTORS)
    return [
        b.Text(
            f"**Both longer.** Tokens turned away from token {token} by more than 90°:"
            f" {facts.n_longer}. Let token {token} and one of them be {factors} times as long."
            " Compared with what it reads of itself, it reads the other **less each time**. The"
            " share of the row ends near 0, but it may rise before, where other tokens lose their"
            f" shares first. Tokens whose share rises here: {facts.rising}."
        ),
        b.Table(["token", "dot product", "share of the row", "share / own share"], rows),
    ]


GEOMETRY = page_of_facts("geometry", lambda _: (OF, POINTS, TOKEN), _facts, _blocks)
