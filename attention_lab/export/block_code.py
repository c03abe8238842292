"""The block around a layer as NumPy statements."""

from __future__ import annotations

from ..block import Block

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
