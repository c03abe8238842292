r"""The weights w_i and the output y_i of one element, written as the lecture note writes a layer:
element by element, and then with the numbers of one query.

The note drops the softmax and the sum over j; here they stand. It counts elements from 1.
"""

import math
from collections.abc import Callable

from attention_core.checks import Array, score_scale
from attention_core.trace import Trace


def weights_of_element(trace: Trace, head: int, query: int, key: int) -> tuple[str, ...]:
    r"""w_i of a head's query as LaTeX: the formula, and its numbers, those of the key among them.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0], [2.0]], Projections.weightless(1))
    >>> print(*weights_of_element(trace, head=0, query=1, key=0), sep="\n")
    w_{2} = \mathrm{softmax}\big(\tfrac{1}{\sqrt{d}}\,(q_{2} k_{1}^{\top}, q_{2} k_{2}^{\top})\big)
    w_{2} = \mathrm{softmax}(2.000, 4.000) = (0.119, 0.881)
    """
    i, usual = query + 1, score_scale(None, trace.sizes["K"])
    factor = r"\tfrac{1}{\sqrt{d}}" if math.isclose(trace.scale, usual) else r"\lambda"
    scores, shares = (
        getattr(trace, name)[0, head, query] for name in ("masked_scores", "probabilities")
    )
    places = _written_keys(len(scores), key)
    products = _row(places, lambda j: f"q_{{{i}}} k_{{{j + 1}}}^{{\\top}}")
    before = _row(places, lambda j: _number(scores[j]))
    after = _row(places, lambda j: _number(shares[j]))
    softmax = r"\mathrm{softmax}"
    return (
        rf"w_{{{i}}} = {softmax}\big({factor}\,({products})\big)",
        rf"w_{{{i}}} = {softmax}({before}) = ({after})",
    )


def output_of_element(
    trace: Trace, head: int, query: int, key: int, feature: int
) -> tuple[str, ...]:
    r"""y_i of a head's query as LaTeX: the formula, and the numbers of one feature, those of the
    key among them.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0], [2.0]], Projections.weightless(1))
    >>> print(*output_of_element(trace, head=0, query=1, key=0, feature=0), sep="\n")
    y_{2} = \sum_{j=1}^{2} w_{2j}\,\nu_j = \sum_{j=1}^{2} w_{2j}\,(x_j W^{\nu})
    y_{2,1} = w_{2,1} \nu_{1,1} + w_{2,2} \nu_{2,1}
    = 0.119 \cdot 1.000 + 0.881 \cdot 2.000 = 1.881
    """
    i, column = query + 1, feature + 1
    shares: Array = trace.probabilities[0, head, query]
    values: Array = trace.value_heads[0, head * trace.sizes["G"] // trace.sizes["H"], :, feature]
    n, places = len(shares), _written_keys(len(shares), key)
    terms = _row(places, lambda j: rf"w_{{{i},{j + 1}}} \nu_{{{j + 1},{column}}}", " + ")
    numbers = _row(places, lambda j: rf"{_number(shares[j])} \cdot {_factor(values[j])}", " + ")
    total = _number(trace.head_outputs[0, head, query, feature])
    biased = " + b" if trace.projections.b_v is not None else ""
    summed = rf"\sum_{{j=1}}^{{{n}}} w_{{{i}j}}\,"
    return (
        rf"y_{{{i}}} = {summed}\nu_j = {summed}(x_j W^{{\nu}}{biased})",
        rf"y_{{{i},{column}}} = {terms}",
        f"= {numbers} = {total}",
    )


def _written_keys(n: int, key: int) -> list[int]:
    """The keys whose terms are written out: the first two, the one in focus, the last."""
    return sorted({0, min(1, n - 1), min(key, n - 1), n - 1})


def _row(places: list[int], write: Callable[[int], str], between: str = ", ") -> str:
    """What is written for each place, with dots where places are left out."""
    parts: list[str] = []
    for before, place in zip([-1, *places], places, strict=False):
        parts += ([r"\cdots"] if place > before + 1 else []) + [write(place)]
    return between.join(parts)


def _number(value: float) -> str:
    if math.isinf(value):
        return r"-\infty"
    return f"{round(float(value), 3) + 0.0:.3f}"


def _factor(value: float) -> str:
    """A number behind a sign for times: a negative one stands in brackets."""
    return f"({text})" if (text := _number(value)).startswith("-") else text
