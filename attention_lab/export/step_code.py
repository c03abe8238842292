"""The code of one step as a reader meets it: what goes in and comes out, the lines, the check.
At the end: the block around a layer as NumPy statements.
"""

from collections.abc import Iterator
from typing import Any

from attention_core.projections import BIASES, MATRICES
from attention_core.trace import Trace

from ..block import Block
from ..rounding import tolerance
from . import torch_code

# What the lines read besides the fields: the arguments of the layer.
SEQUENCE_FIELDS = {"x": "inputs", "other_sequence": "memory"}
SETTING_NAMES = ("scale", "softcap")
MASK_NAMES = ("mask", "bias")
OPTION_ARRAYS = ("query_gain", "key_gain", "sink")
IN_ONE_CALL = {"head_outputs": torch_code.heads_in_one_call, "output": torch_code.layer_in_one_call}


def numpy_lines(trace: Trace, field: str) -> str:
    """The NumPy lines of a step with the shapes of what goes in and comes out, and the check of the
    result.

    `shown` holds the arrays of the trace by name. Raises: SettingsError for an unknown field.

    >>> from attention_core import Projections, attend
    >>> print(numpy_lines(attend([[1.0], [2.0]], Projections.weightless(1)), "scores"))
    # in   query_heads (B, H, T, K) = (1, 1, 2, 1)
    # in   key_heads   (B, H, S, K) = (1, 1, 2, 1)
    # out  scores      (B, H, T, S) = (1, 1, 2, 2)
    scores = query_heads @ key_heads.swapaxes(-1, -2)
    np.testing.assert_allclose(scores, shown["scores"], rtol=0, atol=8e-13)
    """
    code = trace.code(field)
    return "\n".join([*_shapes(trace, field, code), code, comparison_line(trace, field)])


def torch_lines(trace: Trace, field: str) -> str:
    """The PyTorch lines of a step, likewise; and below them the one call that does all of it,
    if any.
    """
    code = torch_code.statements(trace, field)
    lines = [*_shapes(trace, field, code), code]
    if field in IN_ONE_CALL:
        lines += ["", "# in one call", IN_ONE_CALL[field](trace)]
    return "\n".join(lines)


def comparison_line(trace: Trace, field: str) -> str:
    """The line that stops unless a step gave what is shown, up to the rounding of its numbers."""
    limit = f"{tolerance(trace, field):.0g}"
    return f'np.testing.assert_allclose({field}, shown["{field}"], rtol=0, atol={limit})'


def given_names(trace: Trace) -> Iterator[str]:
    """The names of what the lines read besides the fields, and this trace has."""
    yield "x"
    if trace.memory is not trace.inputs:
        yield "other_sequence"
    yield from (name for name in MATRICES + BIASES if getattr(trace.projections, name) is not None)
    options = MASK_NAMES + OPTION_ARRAYS + SETTING_NAMES
    yield from (name for name in options if getattr(trace, name) is not None)


def array_or_setting(trace: Trace, name: str) -> Any:
    """What a name in the lines stands for."""
    if name in MATRICES + BIASES:
        return getattr(trace.projections, name)
    return getattr(trace, SEQUENCE_FIELDS.get(name, name))


def _axes(trace: Trace, name: str) -> tuple[str, ...]:
    """The axis letters of a field or of an array that was given; 1 where a mask or bias is the
    same along an axis.
    """
    if name not in MASK_NAMES:
        return trace.axes(SEQUENCE_FIELDS.get(name, name))
    shape = array_or_setting(trace, name).shape
    letters = trace.axes("scores")[4 - len(shape) :]
    return tuple("1" if size == 1 else letter for size, letter in zip(shape, letters, strict=True))


def _shapes(trace: Trace, field: str, code: str) -> Iterator[str]:
    """Comments: each array or setting that the lines read, then the array that they make."""
    known = {*given_names(trace), *trace.steps} - {field}
    read = [name for name in compile(code, field, "exec").co_names if name in known]
    width = max(len(name) for name in [*read, field])
    for name in [*read, field]:
        direction = "out" if name == field else "in "
        size = array_or_setting(trace, name)
        if name not in SETTING_NAMES:
            size = f"({', '.join(_axes(trace, name))}) = {size.shape}"
        yield f"# {direction}  {name.ljust(width)} {size}"


ACTIVATION_CODE = {
    "relu": "np.maximum(hidden, 0)",
    "tanh": "np.tanh(hidden)",
    "gelu": "hidden * (1 + erf(hidden / np.sqrt(2))) / 2",
    "gelu_tanh": "hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3))) / 2",
    "silu": "hidden / (1 + np.exp(-hidden))",
}


def block_code(block: Block) -> str:
    """The statements that make y from x. attend: the layer of the story, without its own residual
    connection; erf: the error function, such as SciPy's.
    """
    first, second = ("x + ", "x1 + ") if block.adds_again else ("", "")
    if not block.adds:
        first = ""
    heads = "attend(x)"
    if block.is_pre_norm:
        heads = f"attend({_normed(block, 'x', 'first')})"
    sums = f"{first}{heads}"
    lines = [f"x1 = {sums if block.is_pre_norm else _normed(block, sums, 'first')}"]
    fed = block.weights.feed_forward
    read = _normed(block, "x1", "second") if block.is_pre_norm else "x1"
    lines.append(f"z = {read}")
    lines.append("hidden = z @ w_in" + " + b_in" * (fed.b_in is not None))
    lines.append(f"activated = {ACTIVATION_CODE[fed.activation]}")
    if fed.w_up is not None:
        lines.append("activated = activated * (z @ w_up)")
    bias = " + b_out" * (fed.b_out is not None)
    total = f"{second}activated @ w_out{bias}"
    lines.append(f"y = {total if block.is_pre_norm else _normed(block, total, 'second')}")
    return "\n".join([*_norm_function(block), "", "", *lines])


def _normed(block: Block, what: str, place: str) -> str:
    offset = f", {place}_offset" * block.weights.centred
    return f"norm({what}, {place}_gain{offset})"


def _norm_function(block: Block) -> list[str]:
    epsilon = block.weights.norms[0].epsilon
    if block.weights.centred:
        return [
            "def norm(x, gain, offset):",
            "    centred = x - x.mean(axis=-1, keepdims=True)",
            "    variance = np.square(centred).mean(axis=-1, keepdims=True)",
            f"    return centred / np.sqrt(variance + {epsilon}) * gain + offset",
        ]
    return [
        "def norm(x, gain):",
        "    mean_square = np.square(x).mean(axis=-1, keepdims=True)",
        f"    return x / np.sqrt(mean_square + {epsilon}) * gain",
    ]
