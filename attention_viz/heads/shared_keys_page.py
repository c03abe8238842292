"""The page *Shared keys and values*: what changes when heads share them (GQA, MQA, MLA), and what
it saves.
"""

from collections.abc import Mapping, Sequence

from attention_core import Trace
from attention_core.projection_checks import divisors
from attention_lab.heads.counts import LayerSize, layer_size
from attention_lab.heads.facts import (
    SHARING_KINDS,
    SharedFacts,
    own_kind,
    shared_facts,
    shared_traces,
)
from attention_lab.heads.latent import largest_rank
from attention_lab.heads.shared_keys import CACHE, MULTIPLICATIONS, PARAMETERS
from attention_lab.user_data.matrix_names import MAX_MATRIX_WIDTH

from .. import blocks as b
from ..block_page import page_of_facts
from ..page_choices import Choice, Number, Select, by_name
from ..story.notes import answer_line
from ..story.story_view import StoryView
from .compare import shared_keys_board, strongest_colour
from .count_figures import SIZE_TITLES, count_curves

COUNTS_OF_KIND = {"parameters": PARAMETERS, "cache": CACHE, "multiplications": MULTIPLICATIONS}
COUNT_DESCRIPTIONS = {
    "parameters": "Numbers in the weight matrices, without biases.",
    "cache": (
        "Numbers that a text generator keeps for n tokens, so that the next token can attend to"
        " them (KV cache)."
    ),
    "multiplications": "For one sequence of n tokens, masked cells included.",
}
LATENT = Number(
    "latent",
    "Latent width R of MLA",
    8,
    low=1,
    high=MAX_MATRIX_WIDTH,
    help="How many numbers MLA keeps of each token, for the keys and values of all heads.",
)
KIND = Select("kind", "Kind of sharing", SHARING_KINDS[0], by_name(SHARING_KINDS))
COUNT = Select("shared_count", "Count", "cache", by_name(COUNTS_OF_KIND), look="buttons")
LETTER = Select("shared_letter", "Growing size", "n", SIZE_TITLES, look="buttons")


def _groups(n_groups: int) -> Select:
    """The number of key/value heads of GQA; at first half of the heads, or the largest number below
    that divides them.
    """
    options = divisors(n_groups)
    usual = max(one for one in options if one <= max(1, n_groups // 2))
    return Select(
        "groups",
        "Key/value heads of GQA",
        str(usual),
        by_name([str(one) for one in options]),
        look="buttons",
        help="The number must divide the number of heads, so that all groups have the same size.",
    )


def _choices(view: StoryView) -> Sequence[Choice]:
    return _groups(view.trace.projections.groups), LATENT, KIND, COUNT, LETTER


def _traces(view: StoryView, values: b.Values) -> dict[str, Trace]:
    rank: int = min(values[LATENT.key], largest_rank(view.trace))
    return shared_traces(view.trace, int(values["groups"]), rank)


def _sizes(traces: Mapping[str, Trace]) -> dict[str, LayerSize]:
    """The sizes of all kinds but MLA, by what the page calls them."""
    first, *others = list(traces.items())[:-1]
    named = {own_kind(first[1]): first[1]} | dict(others)
    return {name: layer_size(one) for name, one in named.items()}


def _facts(view: StoryView, values: b.Values) -> SharedFacts:
    traces, counts = _traces(view, values), COUNTS_OF_KIND[values[COUNT.key]]
    rank = min(values[LATENT.key], largest_rank(view.trace))
    sizes = tuple(_sizes(traces).values())
    return shared_facts(traces, rank, strongest_colour(view.trace), sizes, counts)


def _blocks(view: StoryView, values: b.Values, facts: SharedFacts) -> Sequence[b.Block]:
    """The four kinds side by side, MLA, and what sharing saves. Raises: AttentionError."""
    traces, strongest = _traces(view, values), strongest_colour(view.trace)
    cell, names = view.focus.cell("query", "key"), {SHARING_KINDS[0]: facts.kinds[0].name}
    board = shared_keys_board(
        traces, cell, strongest, values[KIND.key], view.notation, facts.rank, names
    )
    places = {"head": "{0}", "query": "{1}", "key": "{2}"}
    clicks = {kind: {KIND.key: kind} | places for kind in board["arrays"]}
    return [
        *answer_line(view, _answer(facts)),
        b.row(values, _groups(view.trace.projections.groups), LATENT),
        b.Board(board, "shared keys", fits=True, sets=clicks),
        _changes(facts),
        *_about_kinds(view, facts),
        b.Heading("MLA: all keys and values from one vector"),
        *_latents(facts),
        b.Heading("What it saves"),
        *_savings(view, values, _sizes(traces), facts),
    ]


def _answer(facts: SharedFacts) -> str:
    if facts.shared == "alone":
        return (
            "This layer has one head, so there is nothing to share. With a short latent vector"
            f" (MLA) the output moves by **{facts.moved[0]}** of its length."
        )
    shared = "When heads share keys and values"
    if facts.shared == "already":
        shared = (
            f"The {facts.heads} heads of this layer have **{facts.groups}** sets of keys and"
            " values. When the sets are shared further"
        )
    gqa, mqa, mla = facts.moved
    return (
        f"The same heads four times. {shared}, the output moves by **{gqa}** (GQA), **{mqa}** (MQA)"
        f" or **{mla}** (MLA) of its length."
    )


def _about_kinds(view: StoryView, facts: SharedFacts) -> list[b.Block]:
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
            "On the board, “K/V” names the key/value head that a head"
            " reads. With one key/value head for each head, GQA is MHA; with"
            f" 1, it is MQA. Strongest colour: {facts.strongest} and above. Heads that"
            " share keys can still differ, because each has its own queries. These weights were"
            " not trained to share so; Ainslie et al. train a model further after the change."
        ),
    ]


def _changes(facts: SharedFacts) -> b.Table:
    rows = [
        [f"**{one.name}**", str(one.sets or "–"), *map(str, (one.kept, one.attention, one.output))]
        for one in facts.kinds
    ]
    head = ["", "key/value heads G", "kept of a token"]
    return b.Table([*head, "change of the attention", "change of the output"], rows)


def _latents(facts: SharedFacts) -> list[b.Block]:
    """What MLA keeps of each token, and which matrix it need not make."""
    absorbed = (
        "**No key has to be made.** $q \\cdot (c\\,W_{UK}) = (q\\,W_{UK}^\\top) \\cdot c$: the"
        " matrix is absorbed into the query, and the latents take the place of the keys."
    )
    blocks: list[b.Block] = [
        b.Text(
            f"Of each token MLA keeps the latent $c = x\\,W_D$ with R = {facts.rank} numbers, and"
            " makes keys $c\\,W_{UK}$ and values $c\\,W_{UV}$ of all heads from it. Here the three"
            " matrices are the best of this width for the layer’s own; with R ="
            f" {facts.largest} nothing is lost."
        )
    ]
    if facts.is_normed:
        absorbed = (
            "**QK-norm stands between.** Without it the matrix $W_{UK}$ could be absorbed into the"
            " query, and no key would have to be made. But each key is divided by a number of its"
            " own, which only the key itself tells. As if the keys were not normed, a score here"
            f" would be wrong by up to {facts.absorbed}."
        )
    else:
        absorbed += f" Largest difference between both scores, before any turn: {facts.absorbed}."
    blocks.append(b.Text(absorbed))
    if facts.turned is not None:
        blocks.append(
            b.Text(
                "**Rotary positions stand between.** Keys are turned after they are made, so that"
                " between $W_Q$ and $W_{UK}$ stands a rotation that differs for every distance: no"
                " one matrix can be absorbed. As if there were no rotation, a score here would be"
                f" wrong by up to {facts.turned}. So DeepSeek-V2 keeps the turned part apart: a few"
                " more features of each query, and one more key that all heads share."
            )
        )
    source = "DeepSeek-AI 2024 (DeepSeek-V2), section 2.1; there the matrices are trained."
    return [*blocks, b.caption(source)]


def _savings(
    view: StoryView, values: b.Values, sizes: Mapping[str, LayerSize], facts: SharedFacts
) -> list[b.Block]:
    """The chosen count of every kind, and its course as a size grows."""
    which, letter, size = values[COUNT.key], values[LETTER.key], next(iter(sizes.values()))
    *counted, total = facts.savings
    rows = [[one.name, f"${one.formula}$", *map(str, one.numbers)] for one in counted]
    totals = [f"**{one}**" for one in total.numbers]
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
        b.Chart(count_curves(sizes, letter, COUNTS_OF_KIND[which], which), "shared counts"),
        b.caption(
            "Both axes are logarithmic; the rings are this layer. As C or h grows, d_k = d_v = C/h."
        ),
    ]
    return [b.Beside((words, picture), (1, 1))]


SHARED_KEYS = page_of_facts("shared-keys", _choices, _facts, _blocks)
