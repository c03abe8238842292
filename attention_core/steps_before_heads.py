"""The steps up to the heads: inputs and memory, queries, keys and values, each cut into heads."""

from dataclasses import dataclass
from typing import Annotated

from . import gradients, magnitudes, rules
from .checks import Array
from .steps import Gradient, Step

SIDE_BY_SIDE = "Joining undoes cutting: the heads' gradients stand side by side."
ALL_TOKENS = "A bias is added to every token, so its gradient is the sum over all of them."


@dataclass(frozen=True, eq=False)
class BeforeHeads:
    """One field per step, annotated with its `Step`."""

    inputs: Annotated[
        Array,
        Step(
            axes="B T D",
            kind="feature",
            symbol="X",
            formula="<inputs>",
            sentence="One row of numbers per token: all that the layer knows about it.",
            numpy="inputs = x",
            torch="inputs = x",
            rule=rules.given("inputs", 3),
            magnitude=magnitudes.given("inputs"),
            backward=gradients.inputs,
        ),
    ]
    memory: Annotated[
        Array,
        Step(
            axes="B S M",
            kind="feature",
            symbol="M",
            needs="inputs",
            formula="<memory><self-attention>",
            sentence="What keys and values are made from: the same sequence in self-attention,"
            " another one in cross-attention.",
            numpy="memory = {memory}",
            torch="memory = {memory}",
            rule=rules.given("memory", 3),
            magnitude=magnitudes.given("memory"),
            backward=gradients.memory,
        ),
    ]
    queries: Annotated[
        Array,
        Step(
            axes="B T H·K",
            kind="feature",
            role="query",
            symbol="Q",
            needs="inputs",
            formula="<queries> = <inputs @ w_q><b_q>",
            sentence="A token asks a question per head: its whole vector times the query weights.",
            numpy="queries = inputs @ w_q{b_q}",
            torch="queries = F.linear(inputs, w_q.T{b_q})",
            rule=rules.projected("inputs", "w_q", "b_q"),
            magnitude=magnitudes.projected("inputs", "w_q", "b_q"),
            backward=gradients.projected("inputs", "w_q", "b_q"),
            gradients={
                "inputs": Gradient(
                    r"\nabla_{Q}\,W_Q^{\top}\;[{} + \nabla_{M}]\;[{} + \nabla_{Y}]",
                    "An input collects the gradients that come back through its query, in"
                    " self-attention also through its key and value, and through the residual.",
                ),
                "w_q": Gradient(
                    r"X^{\top}\,\nabla_{Q}",
                    "The inputs times the gradients of their queries, summed over all tokens.",
                ),
                "b_q": Gradient(r"\mathbf 1^{\top}\,\nabla_{Q}", ALL_TOKENS),
            },
        ),
    ]
    keys: Annotated[
        Array,
        Step(
            axes="B S G·K",
            kind="feature",
            role="key",
            symbol="K",
            needs="memory",
            formula="<keys> = <memory @ w_k><b_k>",
            sentence="Every token offers one label per head to be found by: its whole vector"
            " times the key weights.",
            numpy="keys = memory @ w_k{b_k}",
            torch="keys = F.linear(memory, w_k.T{b_k})",
            rule=rules.projected("memory", "w_k", "b_k"),
            magnitude=magnitudes.projected("memory", "w_k", "b_k"),
            backward=gradients.projected("memory", "w_k", "b_k"),
            gradients={
                "memory": Gradient(
                    r"\nabla_{K}\,W_K^{\top} + \nabla_{V}\,W_V^{\top}",
                    "A token of the memory is used twice, as key and as value, so two gradients are"
                    " added.",
                ),
                "w_k": Gradient(
                    r"M^{\top}\,\nabla_{K}",
                    "The memory times the gradients of its keys, summed over all tokens.",
                ),
                "b_k": Gradient(
                    r"\mathbf 1^{\top}\,\nabla_{K}",
                    "A bias on the keys shifts a whole row of scores, which the softmax cannot see:"
                    " 0, unless a soft cap bends the scores.",
                ),
            },
        ),
    ]
    values: Annotated[
        Array,
        Step(
            axes="B S G·V",
            kind="feature",
            role="value",
            symbol="V",
            needs="memory",
            formula="<values> = <memory @ w_v><b_v>",
            sentence="Every token prepares what it passes on when it is attended to: its whole"
            " vector times the value weights.",
            numpy="values = memory @ w_v{b_v}",
            torch="values = F.linear(memory, w_v.T{b_v})",
            rule=rules.projected("memory", "w_v", "b_v"),
            magnitude=magnitudes.projected("memory", "w_v", "b_v"),
            backward=gradients.projected("memory", "w_v", "b_v"),
            gradients={
                "w_v": Gradient(
                    r"M^{\top}\,\nabla_{V}",
                    "The memory times the gradients of its values, summed over all tokens.",
                ),
                "b_v": Gradient(r"\mathbf 1^{\top}\,\nabla_{V}", ALL_TOKENS),
            },
        ),
    ]
    query_heads: Annotated[
        Array,
        Step(
            axes="B H T K",
            kind="feature",
            role="query",
            symbol="Q_h",
            needs="queries",
            formula="<query_heads> = <queries[d_k]>",
            sentence="Each head takes its own block of columns: reshape, then swap.",
            numpy="query_heads = queries.reshape(B, T, H, K).swapaxes(1, 2)",
            torch="query_heads = queries.unflatten(-1, (H, K)).transpose(1, 2)",
            rule=rules.split("queries", "K"),
            magnitude=magnitudes.split("queries", "H"),
            backward=gradients.split("queries"),
            gradients={
                "queries": Gradient(
                    r"[\,\nabla_{Q_0} \mid \nabla_{Q_1} \mid \cdots\,]", SIDE_BY_SIDE
                )
            },
        ),
    ]
    key_heads: Annotated[
        Array,
        Step(
            axes="B G S K",
            kind="feature",
            role="key",
            symbol="K_h",
            needs="keys",
            formula="<key_heads> = <keys[d_k]>",
            sentence="Each head takes its own block of columns: reshape, then swap.",
            numpy="key_heads = keys.reshape(B, S, {G}, K).swapaxes(1, 2)",
            torch="key_heads = keys.unflatten(-1, ({G}, K)).transpose(1, 2)",
            rule=rules.split("keys", "K"),
            magnitude=magnitudes.split("keys", "G"),
            backward=gradients.split("keys"),
            gradients={
                "keys": Gradient(r"[\,\nabla_{K_0} \mid \nabla_{K_1} \mid \cdots\,]", SIDE_BY_SIDE)
            },
        ),
    ]
    value_heads: Annotated[
        Array,
        Step(
            axes="B G S V",
            kind="feature",
            role="value",
            symbol="V_h",
            needs="values",
            formula="<value_heads> = <values[d_v]>",
            sentence="Each head takes its own block of columns: reshape, then swap.",
            numpy="value_heads = values.reshape(B, S, {G}, V).swapaxes(1, 2)",
            torch="value_heads = values.unflatten(-1, ({G}, V)).transpose(1, 2)",
            rule=rules.split("values", "V"),
            magnitude=magnitudes.split("values", "G"),
            backward=gradients.split("values"),
            gradients={
                "values": Gradient(
                    r"[\,\nabla_{V_0} \mid \nabla_{V_1} \mid \cdots\,]", SIDE_BY_SIDE
                )
            },
        ),
    ]
