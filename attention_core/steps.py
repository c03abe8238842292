"""The arrays of one attention call in the order of computation, each with what it declares about
itself.

A new step is a field here, its formula in `formulas`, its rule in `rules`, and its line in
`attention.run_layer`; inside the heads, in `plain_heads` and `fast_heads`.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Any, dataclass_transform

from .checks import Array

AXES = {
    "B": "batch",
    "H": "head",
    "G": "key/value head",
    "T": "query position",
    "S": "key position",
    "D": "model feature",
    "M": "memory feature",
    "O": "output feature",
    "K": "query/key feature",
    "V": "value feature",
    "P": "member of a pair",
}
# The axes of weights, biases and settings, and of the two parts of the inputs.
GIVEN_AXES = {
    "w_q": "D H·K",
    "w_k": "M G·K",
    "w_v": "M G·V",
    "w_o": "H·V O",
    "b_q": "H·K",
    "b_k": "G·K",
    "b_v": "G·V",
    "b_o": "O",
    "scale": "",
    "bias": "B H T S",
    "query_gain": "K",
    "key_gain": "K",
    "query_rotation": "T P K",
    "key_rotation": "S P K",
    "sink": "H",
    "words": "T D",
    "positions": "T D",
}


@dataclass(frozen=True)
class Step:
    """What one field of the `Trace` is. Everything shown about it is read from here.

    axes: one letter of `AXES` per array axis; "H·K" is an axis that holds H blocks of K. symbol:
    LaTeX. formula: LaTeX, with the parts that depend on notation and options in angle brackets:
    `attention_lab.notation` writes it. sentence: what it is, for a student, with the words of a
    `Layout` in braces. numpy: the statements that compute it from what it needs; what stands in
    braces depends on the options of a layer (`wording`). kind: feature, logit or probability; it
    chooses the colour scale. needs: the fields it is computed from. role: query, key, value, output
    or text; it chooses the colour of the frame. name: of the field. option: the option of `attend`
    without which there is no such step. replaces: the field in whose place later steps read it.
    """

    axes: str
    symbol: str
    formula: str
    sentence: str
    numpy: str
    kind: str = "feature"
    needs: str = ""
    role: str = "text"
    name: str = ""
    option: str = ""
    replaces: str = ""

    @property
    def letters(self) -> tuple[str, ...]:
        """The axes one by one."""
        return tuple(self.axes.split())

    @property
    def title(self) -> str:
        """The field's name in words."""
        return self.name.replace("_", " ")

    @property
    def per_head(self) -> bool:
        """Whether the field holds one matrix per head."""
        return len(self.letters) == 4


def declared(**step: str) -> Any:
    """A field that declares itself as this `Step`."""
    return field(metadata={"step": Step(**step)})


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(declared, field))
def arrays(cls: type) -> type:
    """A frozen record of arrays, each of them `declared`."""
    return dataclass(frozen=True, eq=False)(cls)


def _split(role: str, fused: str, axes: str) -> Step:
    """The heads of the queries, the keys or the values."""
    _, heads, tokens, width = axes.replace("G", "{G}").split()
    return Step(
        axes=axes,
        role=role,
        symbol=f"{role[0].upper()}_h",
        needs=fused,
        formula=f"<{role}_heads> = <{fused}[d_{width.lower()}]>",
        sentence="Each head takes its own block of {column}s: reshape, then swap.",
        numpy=f"{role}_heads = {fused}.reshape(B, {tokens}, {heads}, {width}).swapaxes(1, 2)",
    )


def _normed(role: str, made: str, axes: str) -> Step:
    """QK-norm of the queries or the keys."""
    source, letter = f"{role}_heads", role[0].upper()
    return Step(
        axes=axes,
        role=role,
        symbol=rf"\hat {letter}_h",
        needs=source,
        formula=rf"<{made}[i]> = \frac{{<{source}[i]>}}{{\mathrm{{rms}}(<{source}[i]>)}}"
        rf" \odot <{role}_gain>",
        sentence="Every vector is divided by its root mean square, so that all have one length; a"
        " gain then multiplies each feature.",
        numpy=f"mean_square = np.square({source}).mean(axis=-1, keepdims=True)\n"
        f"{made} = {source} / np.sqrt(mean_square + {{epsilon}}) * {role}_gain",
        option="head_norm",
        replaces=source,
    )


def _turned(role: str, made: str, axes: str) -> Step:
    """Rotary positions of the queries or the keys."""
    letter, (_, heads, tokens, _) = role[0].upper(), axes.split()
    return Step(
        axes=axes,
        role=role,
        symbol=rf"\tilde {letter}_h",
        needs=f"{role}_heads",
        formula=f"<{made}[i]> = <{made} from R>",
        sentence="The features form pairs; each turns by an angle that grows with the position.",
        numpy=f"angles = np.arange({{start}}{tokens})[:, np.newaxis] / {{base}} **"
        " (np.arange(0, K, 2) / K)\n"
        f"first, second = {{pairs_of_{role}}}\n"
        "pairs = [\n"
        "    first * np.cos(angles) - second * np.sin(angles),\n"
        "    first * np.sin(angles) + second * np.cos(angles),\n"
        "]\n"
        f"{made} = {{join_pairs}}.reshape(B, {heads.replace('G', '{G}')}, {tokens}, K)",
        option="rotary",
        replaces=f"{role}_heads",
    )


@arrays
class BeforeHeads:
    """One field per step, which declares itself."""

    inputs: Array = declared(
        axes="B T D",
        symbol="X",
        formula="<inputs>",
        sentence="One {row} of numbers per token: all that the layer knows about it.",
        numpy="inputs = x",
    )
    memory: Array = declared(
        axes="B S M",
        symbol="M",
        needs="inputs",
        formula="<memory><self-attention>",
        sentence="What keys and values are made from: the same sequence in self-attention,"
        " another one in cross-attention.",
        numpy="memory = {memory}",
    )
    queries: Array = declared(
        axes="B T H·K",
        role="query",
        symbol="Q",
        needs="inputs",
        formula="<queries> = <inputs @ w_q><b_q>",
        sentence="A token asks a question per head: its whole vector times the query weights.",
        numpy="queries = inputs @ w_q{b_q}",
    )
    keys: Array = declared(
        axes="B S G·K",
        role="key",
        symbol="K",
        needs="memory",
        formula="<keys> = <memory @ w_k><b_k>",
        sentence="Every token offers one label per head to be found by: its whole vector"
        " times the key weights.",
        numpy="keys = memory @ w_k{b_k}",
    )
    values: Array = declared(
        axes="B S G·V",
        role="value",
        symbol="V",
        needs="memory",
        formula="<values> = <memory @ w_v><b_v>",
        sentence="Every token prepares what it passes on when it is attended to: its whole"
        " vector times the value weights.",
        numpy="values = memory @ w_v{b_v}",
    )
    query_heads: Array = field(metadata={"step": _split("query", "queries", "B H T K")})
    key_heads: Array = field(metadata={"step": _split("key", "keys", "B G S K")})
    value_heads: Array = field(metadata={"step": _split("value", "values", "B G S V")})
    normed_queries: Array | None = field(
        default=None, kw_only=True, metadata={"step": _normed("query", "normed_queries", "B H T K")}
    )
    normed_keys: Array | None = field(
        default=None, kw_only=True, metadata={"step": _normed("key", "normed_keys", "B G S K")}
    )
    turned_queries: Array | None = field(
        default=None, kw_only=True, metadata={"step": _turned("query", "turned_queries", "B H T K")}
    )
    turned_keys: Array | None = field(
        default=None, kw_only=True, metadata={"step": _turned("key", "turned_keys", "B G S K")}
    )


@arrays
class HeadTrace:
    """What happened inside the heads.

    Shapes: the three score arrays and the probabilities (B, H, T, S), head_outputs (B, H, T, V).
    """

    scores: Array = declared(
        axes="B H T S",
        kind="logit",
        symbol="S_h",
        needs="query_heads key_heads",
        formula="<scores> = <query_heads @ key_heads.T><sharing>",
        sentence="Each cell compares one query with one key: the dot product of their vectors.",
        numpy="scores = {compared_queries} @ {compared_keys}.swapaxes(-1, -2)",
    )
    scaled_scores: Array = declared(
        axes="B H T S",
        kind="logit",
        symbol=r"\tilde S_h",
        needs="scores",
        formula="<scaled_scores> = <scaled scores>",
        sentence="Every score is multiplied by the scale, usually one over the root of the head"
        " width.",
        numpy="scaled_scores = scores * scale{softcap}",
    )
    masked_scores: Array = declared(
        axes="B H T S",
        kind="logit",
        symbol=r"\hat S_h",
        needs="scaled_scores",
        formula="<masked_scores[i,j]> = <scaled_scores[i,j]><bias>"
        r"\ \text{if allowed, else}\ {-\infty}",
        sentence="The score of a key that the query may not see becomes minus infinity; the"
        " others stay as they are.",
        numpy="masked_scores = {if_allowed}scaled_scores{bias}{else_hidden}",
    )
    probabilities: Array = declared(
        axes="B H T S",
        kind="probability",
        symbol="A_h",
        needs="masked_scores",
        formula="<probabilities[i,j]> = "
        r"\frac{e^{<masked_scores[i,j]>}}{\sum_{<k>} e^{<masked_scores[i,k]>}<sink>}",
        sentence="Each {row} becomes shares that sum to 1: how much its query reads from every"
        " key.",
        numpy="row_max = masked_scores.max(axis=-1, keepdims=True){no_maximum}\n"
        "exponentials = np.exp(masked_scores - row_max)\n"
        "row_sum = exponentials.sum(axis=-1, keepdims=True){sink}\n"
        "probabilities = exponentials / {row_sum}",
    )
    head_outputs: Array = declared(
        axes="B H T V",
        symbol="O_h",
        needs="probabilities value_heads",
        formula="<head_outputs> = <probabilities @ value_heads><sharing>",
        sentence="Each token receives the average of the value vectors, weighted by its {row} of"
        " probabilities.",
        numpy="head_outputs = probabilities @ {value_heads}",
    )


@arrays
class Intermediates(HeadTrace, BeforeHeads):
    """The fields of `BeforeHeads`, those of `HeadTrace`, and what the heads make together."""

    merged: Array = declared(
        axes="B T H·V",
        symbol="O",
        needs="head_outputs",
        formula="<merged> = <joined heads>",
        sentence="The heads are laid {side_by_side} again, token by token: swap, then reshape.",
        numpy="merged = head_outputs.swapaxes(1, 2).reshape(B, T, H * V)",
    )
    output: Array = declared(
        axes="B T O",
        role="output",
        symbol="Y",
        needs="merged inputs",
        formula="<output> = <merged @ w_o><b_o><residual>",
        sentence="The output projection mixes what the heads found into one vector per token.",
        numpy="output = merged{w_o}{b_o}{inputs}",
    )


STEPS: dict[str, Step] = {
    one.name: replace(one.metadata["step"], name=one.name) for one in fields(Intermediates)
}
USUAL_STEPS = {name: step for name, step in STEPS.items() if not step.option}
OPTIONAL = tuple({step.option: None for step in STEPS.values() if step.option})
