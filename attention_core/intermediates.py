"""The arrays of one attention call in the order of computation, each declared once: a new step is
a field here, its formula in `formulas`, and its line in `attention.run_layer`.
"""

from dataclasses import dataclass
from typing import Annotated

from . import magnitudes, rules
from .checks import Array
from .steps import Step


@dataclass(frozen=True, eq=False)
class Intermediates:
    """One field per step, annotated with its `Step`."""

    inputs: Annotated[
        Array,
        Step(
            axes="B T D",
            kind="feature",
            symbol="X",
            formula="X",
            sentence="One row of numbers per token: all that the layer knows of it.",
            numpy="inputs = x",
            torch="inputs = x",
            rule=rules.given("inputs", 3),
            magnitude=magnitudes.given("inputs"),
        ),
    ]
    memory: Annotated[
        Array,
        Step(
            axes="B S M",
            kind="feature",
            symbol="M",
            needs="inputs",
            formula="M = X",
            sentence="What keys and values are made from: the same sequence in self-attention,"
            " another one in cross-attention.",
            numpy="memory = {memory}",
            torch="memory = {memory}",
            rule=rules.given("memory", 3),
            magnitude=magnitudes.given("memory"),
        ),
    ]
    queries: Annotated[
        Array,
        Step(
            axes="B T H·K",
            kind="feature",
            symbol="Q",
            needs="inputs",
            formula=r"Q = X\,W_Q",
            sentence="A token asks a question per head: its whole vector times the query weights.",
            numpy="queries = inputs @ w_q{b_q}",
            torch="queries = F.linear(inputs, w_q.T{b_q})",
            rule=rules.projected("inputs", "w_q", "b_q"),
            magnitude=magnitudes.projected("inputs", "w_q", "b_q"),
        ),
    ]
    keys: Annotated[
        Array,
        Step(
            axes="B S G·K",
            kind="feature",
            symbol="K",
            needs="memory",
            formula=r"K = M\,W_K",
            sentence="Every token offers one label per head to be found by: its whole vector"
            " times the key weights.",
            numpy="keys = memory @ w_k{b_k}",
            torch="keys = F.linear(memory, w_k.T{b_k})",
            rule=rules.projected("memory", "w_k", "b_k"),
            magnitude=magnitudes.projected("memory", "w_k", "b_k"),
        ),
    ]
    values: Annotated[
        Array,
        Step(
            axes="B S G·V",
            kind="feature",
            symbol="V",
            needs="memory",
            formula=r"V = M\,W_V",
            sentence="Every token prepares what it passes on when it is attended to: its whole"
            " vector times the value weights.",
            numpy="values = memory @ w_v{b_v}",
            torch="values = F.linear(memory, w_v.T{b_v})",
            rule=rules.projected("memory", "w_v", "b_v"),
            magnitude=magnitudes.projected("memory", "w_v", "b_v"),
        ),
    ]
    query_heads: Annotated[
        Array,
        Step(
            axes="B H T K",
            kind="feature",
            symbol="Q_h",
            needs="queries",
            formula=r"Q_h = Q_{:,\,h d_k:(h+1) d_k}",
            sentence="Each head takes its own block of columns: reshape, then swap.",
            numpy="query_heads = queries.reshape(B, T, H, K).swapaxes(1, 2)",
            torch="query_heads = queries.unflatten(-1, (H, K)).transpose(1, 2)",
            rule=rules.split("queries", "K"),
            magnitude=magnitudes.split("queries", "H"),
        ),
    ]
    key_heads: Annotated[
        Array,
        Step(
            axes="B G S K",
            kind="feature",
            symbol="K_h",
            needs="keys",
            formula=r"K_h = K_{:,\,h d_k:(h+1) d_k}",
            sentence="Each head takes its own block of columns: reshape, then swap.",
            numpy="key_heads = keys.reshape(B, S, {G}, K).swapaxes(1, 2)",
            torch="key_heads = keys.unflatten(-1, ({G}, K)).transpose(1, 2)",
            rule=rules.split("keys", "K"),
            magnitude=magnitudes.split("keys", "G"),
        ),
    ]
    value_heads: Annotated[
        Array,
        Step(
            axes="B G S V",
            kind="feature",
            symbol="V_h",
            needs="values",
            formula=r"V_h = V_{:,\,h d_v:(h+1) d_v}",
            sentence="Each head takes its own block of columns: reshape, then swap.",
            numpy="value_heads = values.reshape(B, S, {G}, V).swapaxes(1, 2)",
            torch="value_heads = values.unflatten(-1, ({G}, V)).transpose(1, 2)",
            rule=rules.split("values", "V"),
            magnitude=magnitudes.split("values", "G"),
        ),
    ]
    scores: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="logit",
            symbol="S_h",
            needs="query_heads key_heads",
            formula=r"S_h = Q_h K_h^{\top}",
            sentence="Each cell compares one query with one key: the dot product of their vectors.",
            numpy="scores = query_heads @ {key_heads}.swapaxes(-1, -2)",
            torch="scores = query_heads @ {key_heads}.transpose(-2, -1)",
            rule=rules.scores,
            magnitude=magnitudes.scores,
        ),
    ]
    scaled_scores: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="logit",
            symbol=r"\tilde S_h",
            needs="scores",
            formula=r"\tilde S_h = s \, S_h",
            sentence="Every score is multiplied by the scale, usually one over the root of the head"
            " width, so that wide heads do not put nearly all weight on one key.",
            numpy="scaled_scores = scores * scale{softcap}",
            torch="scaled_scores = scores * scale{softcap}",
            rule=rules.scaled,
            magnitude=magnitudes.scaled,
        ),
    ]
    masked_scores: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="logit",
            symbol=r"\hat S_h",
            needs="scaled_scores",
            formula=r"\hat S_{h,ij} = \tilde S_{h,ij}\ \text{if allowed, else}\ {-\infty}",
            sentence="The score of a key that the query may not see becomes minus infinity; the"
            " others stay as they are.",
            numpy="masked_scores = {masked}",
            torch="masked_scores = {masked}",
            rule=rules.masked,
            magnitude=magnitudes.masked,
        ),
    ]
    probabilities: Annotated[
        Array,
        Step(
            axes="B H T S",
            kind="probability",
            symbol="A_h",
            needs="masked_scores",
            formula=r"A_{h,ij} = \frac{e^{\hat S_{h,ij}}}{\sum_{k} e^{\hat S_{h,ik}}}",
            sentence="Each row becomes shares that sum to 1: how much its query reads from every"
            " key.",
            numpy="row_max = masked_scores.max(axis=-1, keepdims=True){no_maximum}\n"
            "exponentials = np.exp(masked_scores - row_max)\n"
            "row_sum = exponentials.sum(axis=-1, keepdims=True)\n"
            "probabilities = exponentials / {row_sum}",
            torch="probabilities = torch.softmax(masked_scores, dim=-1){no_keys}",
            rule=rules.softmax,
            magnitude=magnitudes.shares,
        ),
    ]
    head_outputs: Annotated[
        Array,
        Step(
            axes="B H T V",
            kind="feature",
            symbol="O_h",
            needs="probabilities value_heads",
            formula="O_h = A_h V_h",
            sentence="Each token receives the average of the value vectors, weighted by its row of"
            " probabilities.",
            numpy="head_outputs = probabilities @ {value_heads}",
            torch="head_outputs = probabilities @ {value_heads}",
            rule=rules.mixed,
            magnitude=magnitudes.mixed,
        ),
    ]
    merged: Annotated[
        Array,
        Step(
            axes="B T H·V",
            kind="feature",
            symbol="O",
            needs="head_outputs",
            formula=r"O = [\,O_0 \mid O_1 \mid \cdots\,]",
            sentence="The heads are laid side by side again, token by token: swap, then reshape.",
            numpy="merged = head_outputs.swapaxes(1, 2).reshape(B, T, H * V)",
            torch="merged = head_outputs.transpose(1, 2).flatten(2)",
            rule=rules.merged,
            magnitude=magnitudes.merged,
        ),
    ]
    output: Annotated[
        Array,
        Step(
            axes="B T O",
            kind="feature",
            symbol="Y",
            needs="merged inputs",
            formula=r"Y = O\,W_O",
            sentence="The output projection mixes what the heads found into one vector per token.",
            numpy="output = merged{w_o}{b_o}{inputs}",
            torch="output = {mixed}{inputs}",
            rule=rules.output,
            magnitude=magnitudes.output,
        ),
    ]
