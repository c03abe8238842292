"""The page *Shared keys and values*: what changes when heads share them (GQA, MQA, MLA), and what
it saves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from attention_core import Rotary, Trace
from attention_core.projection_checks import divisors
from attention_lab.heads.counts import LayerSize, layer_size, total_count
from attention_lab.heads.latent import absorbed_scores, largest_rank, with_latent
from attention_lab.heads.reruns import relative_change
from attention_lab.heads.shared_keys import CACHE, MULTIPLICATIONS, PARAMETERS, with_shared_keys
from attention_lab.heads.similarity import mean_head_divergence
from attention_lab.user_data.matrix_names import MAX_MATRIX_WIDTH
from attention_lab.words.numbers import format_number, format_percent

from .. import blocks as b
from ..story.notes import whose_weights
from ..story.story_view import StoryView
from .compare import shared_keys_board, strongest_colour
from .count_figures import SIZE_TITLES, count_curves

SHARING_KINDS = ("MHA", "GQA", "MQA", "MLA")
COUNTS_OF_KIND = {"parameters": PARAMETERS, "cache": CACHE, "multiplications": MULTIPLICATIONS}
COUNT_DESCRIPTIONS = {
    "parameters": "Numbers in the weight matrices, without biases.",
    "cache": (
        "Numbers that a text generator keeps for n tokens, so that the next token can attend to"
        " them (KV cache)."
    ),
    "multiplications": "For one sequence of n tokens, masked cells included.",
}
LATENT = b.Number(
    "latent",
    "Latent width R of MLA",
    8,
    low=1,
    high=MAX_MATRIX_WIDTH,
    help="How many numbers MLA keeps of each token, for the keys and values of all heads.",
)
KIND = b.Select("kind", "Kind of sharing", SHARING_KINDS[0], b.by_name(SHARING_KINDS))
COUNT = b.Select("shared_count", "Count", "cache", b.by_name(COUNTS_OF_KIND), look="buttons")
LETTER = b.Select("shared_letter", "Growing size", "n", SIZE_TITLES, look="buttons")


def _groups(n_groups: int) -> b.Select:
    """The number of key/value heads of GQA; at first half of the heads, or the largest number below
    that divides them.
    """
    options = divisors(n_groups)
    usual = max(one for one in options if one <= max(1, n_groups // 2))
    return b.Select(
        "groups",
        "Key/value heads of GQA",
        str(usual),
        b.by_name([str(one) for one in options]),
        look="buttons",
        help="The number must divide the number of heads, so that all groups have the same size.",
    )


def _choices(view: StoryView) -> Sequence[b.Choice]:
    return _groups(view.trace.projections.groups), LATENT, KIND, COUNT, LETTER


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The four kinds side by side, MLA, and what sharing saves. Raises: AttentionError."""
    trace, p = view.trace, view.trace.projections
    rank = min(values[LATENT.key], largest_rank(trace))
    counts_of_sets = dict(zip(SHARING_KINDS, (p.groups, int(values["groups"]), 1), strict=False))
    traces = {kind: with_shared_keys(trace, count) for kind, count in counts_of_sets.items()}
    traces["MLA"] = with_latent(trace, rank)
    strongest, cell = strongest_colour(trace), view.focus.cell("query", "key")
    names = {SHARING_KINDS[0]: _own_kind(trace)}
    board = shared_keys_board(traces, cell, strongest, values[KIND.key], view.notation, rank, names)
    places = {"head": "{0}", "query": "{1}", "key": "{2}"}
    clicks = {kind: {KIND.key: kind} | places for kind in board["arrays"]}
    size = layer_size(trace)
    sizes = {
        names.get(kind, kind): replace(size, n_kv_heads=count)
        for kind, count in counts_of_sets.items()
    }
    return [
        b.Text(_answer(trace, traces)),
        *whose_weights(view),
        b.row(values, _groups(p.groups), LATENT),
        b.Board(board, "shared keys", sets=clicks),
        _changes(trace, traces, counts_of_sets, rank),
        *_about_kinds(view, strongest),
        b.Heading("MLA: all keys and values from one vector"),
        *_latents(trace, rank),
        b.Heading("What it saves"),
        *_savings(view, values, sizes),
    ]


def _own_kind(trace: Trace) -> str:
    """What the layer is called: its heads may share keys and values already."""
    n_heads, groups = trace.sizes["H"], trace.projections.groups
    if groups == n_heads:
        return SHARING_KINDS[0]
    return f"this layer ({'MQA' if groups == 1 else 'GQA'})"


def _answer(trace: Trace, traces: Mapping[str, Trace]) -> str:
    moved = {
        kind: format_percent(relative_change(trace.output, one.output))
        for kind, one in traces.items()
    }
    n_heads, groups = trace.sizes["H"], trace.projections.groups
    shared = "When heads share keys and values"
    if n_heads == 1:
        return (
            "This layer has one head, so there is nothing to share. With a short latent vector"
            f" (MLA) the output moves by **{moved['MLA']}** of its length."
        )
    if groups < n_heads:
        shared = (
            f"The {n_heads} heads of this layer have **{groups}** sets of keys and values. When"
            " the sets are shared further"
        )
    return (
        f"The same heads four times. {shared}, the output moves by"
        f" **{moved['GQA']}** (GQA), **{moved['MQA']}** (MQA) or **{moved['MLA']}** (MLA) of its"
        " length."
    )


def _about_kinds(view: StoryView, strongest: float) -> list[b.Block]:
    """What the four kinds are, what is compared, and what the board shows."""
    weights = view.trace.projections
    kept = [name for name in ("w_q", "w_o") if getattr(weights, name) is not None]
    return [
        b.Text(
            "**MHA** gives each head its own keys and values, **GQA** gives one set to each group"
            " of heads, **MQA** one set to all heads. **MLA** makes all of them from one short"
            " vector of each token."
        ),
        b.caption(
            "Compared with this layer. Change of the attention: the mean"
            " [Jensen–Shannon divergence](glossary?glossary_words=Jensen) of the heads, as a part"
            " of the largest one, ln 2. Change of the output: relative to its length. Equal in all:"
            f" the sentence, {', '.join(map(view.written, kept))}. A shared key/value head is the"
            " mean of the heads that it replaces (Ainslie et al. 2023)."
        ),
        b.caption(
            "On the board, the same head of each kind stands in one column; “K/V” names the"
            " key/value head that it reads. With one key/value head for each head, GQA is MHA; with"
            f" 1, it is MQA. Strongest colour: {format_number(strongest, 2)} and above. Heads that"
            " share keys can still differ, because each has its own queries. These weights were"
            " not trained to share so; Ainslie et al. train a model further after the change."
        ),
    ]


def _changes(
    trace: Trace, traces: Mapping[str, Trace], counts_of_sets: Mapping[str, int], rank: int
) -> b.Table:
    rows = []
    for kind, one in traces.items():
        sets = counts_of_sets.get(kind)
        kept_numbers = rank if sets is None else sets * (trace.sizes["K"] + trace.sizes["V"])
        name = _own_kind(trace) if kind == SHARING_KINDS[0] else kind
        changes = mean_head_divergence(trace, one), relative_change(trace.output, one.output)
        counts = str(sets or "–"), str(kept_numbers)
        rows.append([f"**{name}**", *counts, *map(format_percent, changes)])
    head = ["", "key/value heads G", "kept of a token"]
    return b.Table([*head, "change of the attention", "change of the output"], rows)


def _latents(trace: Trace, rank: int) -> list[b.Block]:
    """What MLA keeps of each token, and which matrix it need not make."""
    blocks: list[b.Block] = [
        b.Text(
            f"Of each token MLA keeps the latent $c = x\\,W_D$ with R = {rank} numbers, and makes"
            " keys $c\\,W_{UK}$ and values $c\\,W_{UV}$ of all heads from it. Here the three"
            " matrices are the best of this width for the layer’s own; with R ="
            f" {largest_rank(trace)} nothing is lost."
        ),
        b.Text(
            "**No key has to be made.** $q \\cdot (c\\,W_{UK}) = (q\\,W_{UK}^\\top) \\cdot c$: the"
            " matrix is absorbed into the query, and the latents take the place of the keys."
            " Largest difference between both scores here:"
            f" {format_number(absorbed_scores(trace, rank).difference, 2)}."
        ),
    ]
    if trace.sizes["K"] % 2 == 0 and trace.sizes["T"] > 1:
        turned = absorbed_scores(trace, rank, Rotary())
        blocks.append(
            b.Text(
                "**Rotary positions stand between.** Keys are turned after they are made, so that"
                " between $W_Q$ and $W_{UK}$ stands a rotation that differs for every distance: no"
                " one matrix can be absorbed. As if there were no rotation, a score here would be"
                f" wrong by up to {format_number(turned.difference, 2)}. So DeepSeek-V2 keeps the"
                " turned part apart: a few more features of each query, and one more key that all"
                " heads share."
            )
        )
    source = "DeepSeek-AI 2024 (DeepSeek-V2), section 2.1; there the matrices are trained."
    return [*blocks, b.caption(source)]


def _savings(view: StoryView, values: b.Values, sizes: Mapping[str, LayerSize]) -> list[b.Block]:
    """The chosen count of every kind, and its course as a size grows."""
    which, letter, size = values[COUNT.key], values[LETTER.key], next(iter(sizes.values()))
    counts = COUNTS_OF_KIND[which]
    rows = [[c.name, f"${c.formula}$", *(f"{c.of(s):,}" for s in sizes.values())] for c in counts]
    totals = [f"**{total_count(counts, one):,}**" for one in sizes.values()]
    words: list[b.Block] = [
        b.row(values, COUNT),
        b.Table(["", "formula", *sizes], [*rows, ["**total**", "", *totals]]),
        b.caption(
            f"{COUNT_DESCRIPTIONS[which]} {view.own_letters}Sizes: tokens n = {size.n_tokens},"
            f" features C = {size.d_model}, heads h = {size.n_heads}, d_k = {size.d_k}, d_v ="
            f" {size.d_v}."
        ),
    ]
    p = view.trace.projections
    if which != "cache" and not (p.w_o is not None and view.trace.sizes["O"] == size.d_model):
        assumed = f"The count assumes the usual {view.written('w_o')} with h · d_v × C numbers."
        words.append(b.caption(f"{assumed} This layer has another one, or none."))
    picture: list[b.Block] = [
        b.row(values, LETTER),
        b.Chart(count_curves(sizes, letter, counts, which), "shared counts"),
        b.caption(
            "Both axes are logarithmic; the rings are this layer. As C or h grows, d_k = d_v = C/h."
        ),
    ]
    return [b.Beside((words, picture), (1, 1))]


SHARED_KEYS = b.BlockPage("shared-keys", _choices, _blocks)
