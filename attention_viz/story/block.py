"""The step after the layer: one token on its way through a block, a row of numbers for each step of
it, and what the steps are for, in words.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.rules import RUNNING, Position, Rule, axis, read
from attention_lab.block import BLOCK_CONTROLS, Block, BlockFacts, block_of
from attention_lab.block_weights import BY_HAND, BY_MODEL, BY_SEED
from attention_lab.notation.notation import OURS, Notation
from attention_lab.weight_kinds import MODELS
from attention_lab.words.numbers import format_number

from ..matrices import Matrix, Side, matrix_board
from ..payload import JSON
from ..step_scene import Choice, Note, StepParts
from .misplaced import short_quote
from .notes import language_notes
from .story_view import StoryView

SHOWN = 8  # features that are shown at a time, so that all have numbers
# The columns of the picture: attention, then the feed-forward part.
PRE_NORM_COLUMNS = (
    ("inputs", "first_norm", "attention", "first_sum", "second_norm"),
    ("hidden", "up", "activated", "gated", "feed_forward", "second_sum"),
)
POST_NORM_COLUMNS = (
    ("inputs", "attention", "first_sum", "first_norm"),
    ("hidden", "up", "activated", "gated", "feed_forward", "second_sum", "second_norm"),
)
HIDDEN = ("hidden", "up", "activated", "gated")  # rows of hidden features
USUAL = 0.98  # of the numbers have no more than the strongest colour
ACTIVATION_NAMES = {"relu": "ReLU", "tanh": "tanh", "silu": "SiLU"}
ACTIVATION_NAMES |= dict.fromkeys(("gelu", "gelu_tanh"), "GELU")


def block_parts(view: StoryView) -> StepParts:
    """What the step adds to what all steps have. Raises: AttentionError."""
    block, query = block_of(view.scenario, view.block, view.sequence), view.focus.query
    width = block.output.shape[1]
    names = view.stage.names.outputs if view.stage.names else ()
    board = block_board(block, query, min(view.focus.feature, width - 1), names, view.notation)
    token = short_quote(block.trace.labels("T"), query)
    says = f"Each token goes on alone: this is {token}."
    chosen = asdict(view.block)
    choices = [
        Choice(name, one.label, one.options, chosen[name], named=name == "skip")
        for name, one in BLOCK_CONTROLS.items()
        if name == "skip" or block.weights.made != BY_MODEL
    ]
    if model := MODELS.get(view.scenario.weights):
        layer = view.scenario.layer
        near = range(max(0, layer - 1), min(layer + 2, model.n_layers))
        choices.insert(0, Choice("layer", "Layer", [*map(str, near)], str(layer), named=True))
    notes = (*map(Note, block_notes(block)), *language_notes(view))
    return StepParts("", board, says, block_formula(block), choices=choices, notes=notes)


def columns_of(block: Block) -> tuple[tuple[str, ...], ...]:
    """The names of the rows of each column of the picture, in the order of the computation."""
    columns = PRE_NORM_COLUMNS if block.is_pre_norm else POST_NORM_COLUMNS
    left_out = () if block.weights.feed_forward.w_up is not None else ("up", "gated")
    return tuple(tuple(name for name in names if name not in left_out) for names in columns)


def shown_hidden(block: Block, token: int, feature: int) -> Array:
    """The hidden features that are shown: those that add most to a feature of a token, to either
    side, in their own order. Shapes: (at most 8,).
    """
    added_F = np.abs(_last_hidden(block)[token] * block.weights.feed_forward.w_out[:, feature])
    features: Array = np.sort(np.argsort(-added_F, kind="stable")[:SHOWN])
    return features


def _last_hidden(block: Block) -> Array:
    """The hidden features that the second matrix reads. Shapes: (T, F)."""
    return block.fed.activated if block.fed.gated is None else block.fed.gated


def block_board(
    block: Block, token: int, feature: int, names: tuple[str, ...] = (), notation: Notation = OURS
) -> JSON:
    """One token in a block, row by row. names: of the features, if they have names."""
    chosen = shown_hidden(block, token, feature)
    arrays, titles, rules = _arrays(block, chosen), _titles(block), _rules(block, token, chosen)
    tokens = Side("token position", block.trace.labels("T"), "T")
    features = Side("model feature", names or None, "D", most=SHOWN)
    of_hidden = block.weights.hidden_names or tuple(map(str, range(len(block.fed.hidden.T))))
    hidden = Side("hidden feature", tuple(of_hidden[one] for one in chosen))
    limits = [_limit(arrays, token, are_hidden) for are_hidden in (False, True)]
    drawn = [
        Matrix(
            name,
            arrays[name],
            tokens,
            hidden if name in HIDDEN else features,
            (column, row),
            titles[name],
            badge=str(arrays[name].shape[1]),
            role=_role(block, name),
            limit=limits[name in HIDDEN],
            rule=rules.get(name),
            only_row=token,
        )
        for column, in_column in enumerate(columns_of(block))
        for row, name in enumerate(in_column)
    ]
    behind = _behind(block, token, chosen, features, hidden)
    last = drawn[-1].name
    description = (
        "One token on its way through a block: attention, sum, norm, hidden features, feed-forward"
        " output, sum."
    )
    board = matrix_board([*drawn, *behind], (last, token, feature), description, notation)
    labelled = {columns_of(block)[0][0], "hidden", "feed_forward"}  # others stand below these
    for panel in board["panels"]:
        panel["role"] = "result" if panel["array"] == last else "operand"
        panel |= {"bare": True} if panel["array"] not in labelled else {}
    return board


def _limit(arrays: Mapping[str, Array], token: int, are_hidden: bool) -> float:
    """The number with the strongest colour, the same for all rows that can be compared. Of many
    numbers the few largest do not count: some features of a trained model are far beyond the rest.
    """
    rows = [array[token] for name, array in arrays.items() if (name in HIDDEN) == are_hidden]
    sizes = np.abs(np.concatenate(rows))
    limit = sizes.max() if len(rows[0]) <= SHOWN else np.quantile(sizes, USUAL)
    return float(limit) or 1.0


def _arrays(block: Block, chosen: Array) -> dict[str, Array]:
    """The numbers of each row of the picture; of the hidden features those that are shown."""
    fed = block.fed
    hidden = {"hidden": fed.hidden, "up": fed.up, "activated": fed.activated, "gated": fed.gated}
    return {
        "inputs": block.inputs,
        "attention": block.attention,
        "first_sum": block.first_sum,
        "first_norm": block.first_norm,
        **{name: array[:, chosen] for name, array in hidden.items() if array is not None},
        "feed_forward": fed.output,
        "second_sum": block.second_sum,
        "second_norm": block.second_norm,
    }


def _titles(block: Block) -> Mapping[str, str]:
    norm = "LayerNorm" if block.weights.centred else "RMSNorm"
    activation = ACTIVATION_NAMES[block.weights.feed_forward.activation]
    sums = ("x + attention" if block.adds else "attention, without x", "the sum")
    if not block.adds_again:
        sums = (sums[0], "feed-forward, nothing added")
    first, second = ("x", sums[0]) if block.is_pre_norm else sums
    titles = {
        "inputs": "x",
        "attention": "attention",
        "first_sum": sums[0],
        "first_norm": f"{norm} of {first}",
        "hidden": "hidden features",
        "up": "hidden features, second matrix",
        "activated": f"after {activation}",
        "gated": "product of both",
        "feed_forward": "feed-forward",
        "second_sum": sums[1],
        "second_norm": f"{norm} of {second}",
    }
    last = columns_of(block)[1][-1]
    return titles | {last: f"y: {titles[last]}"}


def _role(block: Block, name: str) -> str:
    last = columns_of(block)[1][-1]
    return "output" if name == last else "text"


def _rules(block: Block, token: int, chosen: Array) -> dict[str, Rule]:
    """How each row of the picture is computed from others, and from what is not drawn."""
    trace, fed = block.trace, block.weights.feed_forward
    widths = {"inputs": block.inputs.shape[1], "sums": block.first_sum.shape[1]}
    fed_by = "second_norm" if block.is_pre_norm else "first_norm"
    before = "first_sum" if block.is_pre_norm else "first_norm"
    bias = (read("b_o", Position(), 1),) if trace.projections.b_o is not None else ()
    rules = {
        "attention": Rule("sum", (read("heads", RUNNING, 1),), trace.sizes["H"], bias),
        "first_sum": _sum("attention", "inputs" if block.adds else ""),
        "first_norm": _norm(block, "first", "inputs" if block.is_pre_norm else "first_sum"),
        "second_norm": _norm(block, "second", "first_sum" if block.is_pre_norm else "second_sum"),
        "hidden": _product(fed_by, "w_in", widths["sums"], "b_in" * (fed.b_in is not None)),
        "activated": Rule(fed.activation, (read("hidden", 0, 1),)),
        "second_sum": _sum("feed_forward", before if block.adds_again else ""),
    }
    last = "activated"
    if fed.w_up is not None:
        rules["up"] = _product(fed_by, "w_up", widths["sums"], "")
        rules["gated"] = Rule("product", (read("activated", 0, 1), read("up", 0, 1)))
        last = "gated"
    more = "b_out" * (fed.b_out is not None)
    back = _product(last, "w_out", len(chosen), more)
    if len(chosen) < len(fed.w_out):
        others = read("other hidden features", Position(), 1)
        back = Rule("sum", back.reads, back.length, (*back.adds, others))
    rules["feed_forward"] = back
    if block.is_pre_norm and not _is_normed(block):
        del rules["first_norm"]  # the user's own numbers stand there
    return rules


def _is_normed(block: Block) -> bool:
    """Whether the heads read the norm of what goes into the block, and no number was edited."""
    normed = block.weights.norms[0].of(block.inputs)
    return np.array_equal(normed, block.first_norm)


def _sum(part: str, added: str) -> Rule:
    adds = (read(added, 0, 1),) if added else ()
    return Rule("sum", (read(part, 0, 1),), adds=adds)


def _product(source: str, weights: str, length: int, bias: str) -> Rule:
    adds = (read(bias, Position(), 1),) if bias else ()
    return Rule("sum", (read(source, 0, RUNNING), read(weights, RUNNING, 1)), length, adds)


def _norm(block: Block, place: str, source: str) -> Rule:
    norm = block.weights.norms[place == "second"]
    learnt = ("gain", "offset") if block.weights.centred else ("gain",)
    return Rule(
        "norm",
        (read(source, 0, RUNNING),),
        len(norm.gain),
        tuple(read(f"{place} {one}", Position(), 1) for one in learnt),
        axis(1),
        epsilon=norm.epsilon,
        centred=block.weights.centred,
    )


def _behind(block: Block, token: int, chosen: Array, features: Side, hidden: Side) -> list[Matrix]:
    """What is read and not drawn: what each head adds, gains and offsets, and the matrices."""
    fed, one_row = block.weights.feed_forward, Side("vector")
    n_heads = block.trace.sizes["H"]
    heads = Side("head", tuple(f"head {head}" for head in range(n_heads)))
    operands = [_given("heads", block.heads[:, token], heads, features, "head")]
    rows: dict[str, tuple[Any, Side]] = {"b_o": (block.trace.projections.b_o, features)}
    for place, norm in zip(("first", "second"), block.weights.norms, strict=True):
        rows[f"{place} gain"] = (norm.gain, features)
        rows[f"{place} offset"] = (norm.offset, features)
    b_in = None if fed.b_in is None else fed.b_in[chosen]
    rows |= {"b_in": (b_in, hidden), "b_out": (fed.b_out, features)}
    if len(chosen) < len(fed.w_out):
        shown_D = _last_hidden(block)[token, chosen] @ fed.w_out[chosen]
        bias = 0.0 if fed.b_out is None else fed.b_out
        rows["other hidden features"] = (block.fed.output[token] - shown_D - bias, features)
    titles = {"b_o": "bias", "b_in": "bias", "b_out": "bias"}
    operands += [
        _given(name, array[np.newaxis], one_row, side, titles.get(name, name.split(" ", 1)[-1]))
        for name, (array, side) in rows.items()
        if array is not None
    ]
    operands += [
        _given("w_in", fed.w_in[:, chosen], features, hidden, "weight"),
        _given("w_out", fed.w_out[chosen], hidden, features, "weight"),
    ]
    if fed.w_up is not None:
        operands.append(_given("w_up", fed.w_up[:, chosen], features, hidden, "weight"))
    return operands


def _given(name: str, numbers: Array, rows: Side, columns: Side, title: str) -> Matrix:
    return Matrix(name, numbers, rows, columns, None, title)


def block_formula(block: Block) -> str:
    """The block in one line, as LaTeX."""
    norm = r"\mathrm{" + ("LN" if block.weights.centred else "RMS") + "}"
    first, second = r"x + " * block.adds, r"x_1 + " * block.adds_again
    heads, fed = r"\mathrm{MHA}", r"\mathrm{FF}"
    if block.is_pre_norm:
        parts = (rf"{first}{heads}({norm}(x))", rf"{second}{fed}({norm}(x_1))")
    else:
        parts = (rf"{norm}({first}{heads}(x))", rf"{norm}({second}{fed}(x_1))")
    return rf"x_1 = {parts[0]}, \; y = {parts[1]}"


def block_notes(block: Block) -> tuple[str, ...]:
    """What to know about the weights and the order of a block."""
    weights, notes = block.weights, []
    n_hidden = block.fed.hidden.shape[1]
    if weights.made != BY_MODEL:
        how = {BY_HAND: "made by hand, too", BY_SEED: "drawn from the seed"}[weights.made]
        notes.append(f"The feed-forward part is {how}.")
    else:
        kind = "LayerNorm, GELU" if weights.centred else "RMSNorm, SwiGLU"
        notes.append(f"The model decides: {weights.order}, {kind}.")
    if n_hidden > SHOWN:
        notes.append(f"Hidden features: {n_hidden:,}; shown are the {SHOWN} that add most.")
    if weights.made != BY_MODEL and block.is_pre_norm:
        notes.append("The heads read the normed x here.")
    if block.adds_again and not block.adds:
        notes.append(
            f"Features: {block.inputs.shape[1]} in x, {block.attention.shape[1]} after attention,"
            " so x cannot be added."
        )
    return tuple(notes)


IN_JULIA = (
    "In GeometricMachineLearning.jl",
    "*StandardTransformerIntegrator* (0.4.8) has L = 2 such blocks, unless you choose another"
    " number: *MultiHeadAttention*, whose defaults are `Stiefel=false` and `add_connection=true`,"
    " then a *ResNetLayer*, $x + \\tanh(Wx + b)$: a residual connection around one square matrix."
    " It has no LayerNorm. In *Transformer*, which stacks the same two, `add_connection` is false"
    " by default.",
)


def _norm_sentence(block: Block, facts: BlockFacts, token: str) -> tuple[str, str]:
    spread = format_number(facts.spread)
    if not block.weights.centred:
        return (
            "RMSNorm",
            f"The numbers of each token are divided by their root mean square, here {spread} for"
            f" {token}, and multiplied by a gain for each feature.",
        )
    return (
        "LayerNorm",
        f"For each token alone: its {facts.n_features} numbers lose their mean"
        f" ({format_number(facts.mean)} for {token}) and are divided by their standard deviation"
        f" ({spread}); a gain and an offset for each feature follow. So what is read next has about"
        " one size for every token, however many blocks there are.",
    )


def _kept_sentence(block: Block, facts: BlockFacts, token: str) -> str:
    if facts.kept is None or facts.kept_other is None:
        return ""
    kept, other = format_number(facts.kept), format_number(facts.kept_other)
    with_x, without = (kept, other) if block.adds_again else (other, kept)
    return (
        f" Cosine of what goes in and what comes out for {token}: {with_x} with them, {without}"
        " without."
    )


def block_sentences(block: Block, facts: BlockFacts, token: str) -> tuple[tuple[str, str], ...]:
    """What the parts of a block are for, each with a name and with the numbers of a token, as
    Markdown. token: in quotation marks.
    """
    fed = block.weights.feed_forward
    name = ACTIVATION_NAMES[fed.activation]
    gate = " A second product of the same numbers multiplies the result (SwiGLU)." * (
        fed.w_up is not None
    )
    n_attention, n_fed = block.n_weights
    return (
        (
            "Residual connections",
            "What a part finds is added to what was there and does not replace it."
            f"{_kept_sentence(block, facts, token)} Other names: skip connection, add_connection.",
        ),
        _norm_sentence(block, facts, token),
        (
            "Feed-forward",
            f"Attention brings numbers of other tokens; this part works on what has arrived. It"
            f" takes each token alone, from {block.output.shape[1]} numbers to {facts.n_hidden:,}"
            f" hidden features and back, with the same matrices for all tokens. Hidden features of"
            f" {token} above 0 after {name}: {facts.n_active:,} of {facts.n_hidden:,}.{gate}",
        ),
        (
            "How many numbers",
            f"Attention holds {n_attention:,} weights and biases, the feed-forward part {n_fed:,}.",
        ),
        (
            "Before or after",
            "Post-norm, as in the paper of 2017 and in BERT, norms each sum. Pre-norm, as in GPT-2"
            " and Llama, norms what a part reads, so the sums themselves are never divided, and"
            " deep stacks learn more easily.",
        ),
        IN_JULIA,
    )
