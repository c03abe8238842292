"""The page *The cache*: the keys and values that a language model keeps, so that each new token
costs one row.
"""

from __future__ import annotations

from collections.abc import Sequence

from attention_lab.trained.cached_step import CachedStep, multiplications, numbers_kept
from attention_lab.trained.language_model import N_HEADS, N_KV_HEADS, N_LAYERS, language_model
from attention_lab.trained.language_text import LIMITS, language_ids

from .. import blocks as b
from ..labels import format_agreement, format_percent
from ..markdown import escape_markdown
from ..matrices import Matrix, Side, difference_matrix, matrix_board
from ..payload import JSON
from ..pieces import bare
from ..story.story_view import StoryView

LAYER = b.Number("ca_layer", "Layer", 4, low=0, high=N_LAYERS - 1)
HEAD = b.Number("ca_head", "Head", 4, low=0, high=N_HEADS - 1)
RESTARTS = b.Switch("ca_restarts", "Mistake: positions from 0", False)
TOP_LEFT = b.Switch("ca_top_left", "Mistake: mask at the top left", False)
MISTAKES = (RESTARTS, TOP_LEFT)
ROUNDING = 1e-12
SHARES, FULL = "shares", "full run"


def _choices(view: StoryView) -> Sequence[b.Choice]:
    n_ids = len(language_ids(view.scenario.text, view.scenario.n_tokens))
    says, most = "Every step to the right computes one more row.", max(2, n_ids)
    so_far = b.Number("ca_tokens", "Tokens so far", n_ids, 1, most, look="scale", help=says)
    first = b.Number("ca_first", "At once", min(8, n_ids), 1, n_ids, help="The first step.")
    return (so_far, first, LAYER, HEAD, *MISTAKES)


def step_of(view: StoryView, values: b.Values) -> CachedStep:
    """The step of the page. Raises: AttentionError."""
    ids = language_ids(view.scenario.text, view.scenario.n_tokens)[: values["ca_tokens"]]
    first = min(values["ca_first"], len(ids))
    return CachedStep(ids, first, values[RESTARTS.key], values[TOP_LEFT.key])


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The step, what it keeps, and what it saves. Raises: AttentionError."""
    step = step_of(view, values)
    board = cache_board(step, values[LAYER.key], values[HEAD.key])
    return [
        b.Text(_what_is_computed(step)),
        b.row(values, *_choices(view)[: -len(MISTAKES)]),
        b.Board(board, "cache", fits=True),
        _agreement(step),
        b.row(values, *MISTAKES),
        b.Text("**What is kept and saved**, in all layers, after these tokens:"),
        _costs(step),
        b.Text(
            "The shares of earlier tokens are not needed again, because the mask hides the new"
            " token from them. Their keys and values are: the new query reads all of them. Query"
            " heads that share a key and value head make the cache smaller; this changes the model,"
            " so it must be trained so."
        ),
        b.Text(LIMITS, small=True),
    ]


def _what_is_computed(step: CachedStep) -> str:
    last = escape_markdown(bare(language_model().pieces(step.ids[-1:])[0]))
    n = len(step.ids)
    if step.n_new > 1 or n == 1:
        return (
            f"The first {n} tokens are computed at once: a triangle of shares. Their keys and"
            " values are kept."
        )
    says = (
        f"“{last}” is new: **one** query, one key, one value, one row. {n - 1} keys and values were"
        f" kept. That saves {format_percent(step.saved)} of the multiplications."
    )
    if step.largest_gap > ROUNDING:
        says += f" But a share is wrong by up to **{format_percent(step.largest_gap)}**."
    return says


def _agreement(step: CachedStep) -> b.Note:
    gap = step.largest_gap
    if gap <= ROUNDING:
        said = format_agreement(gap, ROUNDING)
        return b.Note(
            f"The same as computing everything again, in all layers and heads: {said}.", "right"
        )
    return b.Note(
        "Not the same as computing everything again: a share differs by up to"
        f" {format_percent(gap)}. The shapes are right, and nothing fails.",
        "wrong",
    )


def _costs(step: CachedStep) -> b.Table:
    decoder, n = language_model().decoder, len(step.ids)
    kinds = {
        f"multi-head: {N_HEADS} key/value heads": N_HEADS,
        f"this model: {N_KV_HEADS}": N_KV_HEADS,
        "multi-query: 1": 1,
    }
    rows = []
    for name, groups in kinds.items():
        costs = [multiplications(decoder, n_rows, n, groups) for n_rows in (step.n_new, n)]
        rows.append([name, *(f"{one:,}" for one in (numbers_kept(decoder, n, groups), *costs))])
    return b.Table(["", "numbers kept", "multiplications of this step", "without a cache"], rows)


def cache_board(step: CachedStep, layer: int, head: int) -> JSON:
    """The keys and values of a head, those kept beside the new ones; below them the shares of the
    new tokens, beside the full run.
    """
    labels, n_old = tuple(language_model().pieces(step.ids)), len(step.ids) - step.n_new
    sides = (Side("query position", labels[n_old:]), Side("key position", labels))
    shares = Matrix(
        SHARES,
        step.rows.probabilities[layer, head],
        *sides,
        (0, 1),
        "shares, computed with the cache",
        kind="probability",
        says="This query gives this key",
    )
    full = Matrix(
        FULL,
        step.full_shares(layer, head),
        *sides,
        (2 if n_old else 1, 1),
        "the same rows of the full run",
        kind="probability",
        says="Without a cache the share is",
    )
    gap = difference_matrix(shares, full, (0, 2), rounding=ROUNDING)
    what = "Keys and values that are kept, those of the new tokens, and the shares of these tokens."
    cell = (SHARES, step.n_new - 1, int(shares.numbers[-1].argmax()))
    return matrix_board([*_cached(step, layer, head, labels), shares, full, gap], cell, what)


def _cached(step: CachedStep, layer: int, head: int, labels: tuple[str, ...]) -> list[Matrix]:
    """Keys and values as columns: those that were kept, if there are any, and the new ones."""
    n_old, features = len(labels) - step.n_new, Side("feature")
    matrices = []
    for kind, numbers_SK in zip(("key", "value"), step.kept_for(layer, head), strict=True):
        kept = ("kept", slice(0, n_old), f"{kind}s, kept", "Kept since its own step")
        new = ("new", slice(n_old, None), "new" if n_old else f"{kind}s", "New")
        for column, (name, part, title, since) in enumerate((kept, new) if n_old else (new,)):
            matrices.append(
                Matrix(
                    f"{name} {kind}s",
                    numbers_SK[part].T,
                    features,
                    Side("key position", labels[part]),
                    (2 * (kind == "value") + column, 0),
                    title,
                    role=kind,
                    says=f"{since}: this feature of the {kind}",
                )
            )
    return matrices


CACHE = b.BlockPage("cache", _choices, _blocks)
