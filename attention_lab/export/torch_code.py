"""The PyTorch statements of every step, as a reader would write them, for the options of one trace.

They use the names of the NumPy statements for tensors of the same shapes.
`scripts/check_torch_code.py` runs them, in an environment that has PyTorch, and compares each with
its field of the `Trace`.

Before them: the mask arguments of PyTorch's functions, for the mask and bias of one trace.
"""

import math

import numpy as np

from attention_core.masks import causal_mask
from attention_core.projections import BIASES
from attention_core.record import Record
from attention_core.trace import Trace
from attention_core.wording import (
    NUMPY_PARTS,
    Parts,
    by_pairs,
    fill_template,
    has_shared_heads,
    needed,
    where_given,
    zeros_empty_rows,
)


def has_rule(trace: Trace) -> bool:
    """Whether a mask or a bias decides who may attend to whom."""
    return trace.mask is not None or trace.bias is not None


def _rule(trace: Trace) -> tuple[str, tuple[int, ...]]:
    """Mask, bias or both as one tensor, True or a finite number meaning "may attend"; and its
    shape.
    """
    if trace.mask is None or trace.bias is None:
        name = "mask" if trace.bias is None else "bias"
        return name, getattr(trace, name).shape
    shape = np.broadcast_shapes(trace.mask.shape, trace.bias.shape)
    return "torch.where(mask, bias, -torch.inf)", shape


def heads_mask(trace: Trace) -> str:
    """The mask argument of F.scaled_dot_product_attention, which wants two axes at least."""
    text, shape = _rule(trace)
    # With scale 0 or less PyTorch 2.13 gives NaN for is_causal=True, and what we expect for the
    # mask.
    if text == "mask" and _is_causal(trace) and trace.scale > 0:
        return "is_causal=True"
    return f"attn_mask={text}" + (".expand(B, H, T, S)" if len(shape) < 2 else "")


def layer_mask(trace: Trace) -> str:
    """The mask argument of nn.MultiheadAttention, in which True means "may not attend"."""
    text, shape = _rule(trace)
    n_batch, _, n_queries, n_keys = trace.scores.shape
    if text == "mask" and shape == (n_batch, 1, 1, n_keys):
        return "key_padding_mask=~mask[:, 0, 0]"
    widened = "" if shape == (n_queries, n_keys) else ".expand(B, H, T, S).flatten(0, 1)"
    return f"attn_mask={'~mask' if text == 'mask' else text}{widened}"


def _is_causal(trace: Trace) -> bool:
    """Whether the mask is the causal one; a single column of True equals that of one key, and
    hides nothing.
    """
    causal = causal_mask(*trace.scores.shape[2:])
    return trace.mask is not None and np.array_equal(trace.mask, causal)


_NORMED = "{made} = F.rms_norm({source}, (K,), {role}_gain, eps={{epsilon}})"
_TURNED = (
    "positions = torch.arange({{start}}{tokens}, dtype=torch.float64)[:, None]\n"
    "angles = positions / {{base}} ** (torch.arange(0, K, 2, dtype=torch.float64) / K)\n"
    "cos, sin = torch.cos(angles).to(x.dtype), torch.sin(angles).to(x.dtype)\n"
    "first, second = {{pairs_of_{role}}}\n"
    "pairs = [first * cos - second * sin, first * sin + second * cos]\n"
    "{made} = {{join_pairs}}"
)
# The statements of each step; what stands in braces depends on the options of a layer.
TORCH_LINES = {
    "inputs": "inputs = x",
    "memory": "memory = {memory}",
    "queries": "queries = F.linear(inputs, w_q.T{b_q})",
    "keys": "keys = F.linear(memory, w_k.T{b_k})",
    "values": "values = F.linear(memory, w_v.T{b_v})",
    "query_heads": "query_heads = queries.unflatten(-1, (H, K)).transpose(1, 2)",
    "key_heads": "key_heads = keys.unflatten(-1, ({G}, K)).transpose(1, 2)",
    "value_heads": "value_heads = values.unflatten(-1, ({G}, V)).transpose(1, 2)",
    "normed_queries": _NORMED.format(made="normed_queries", source="query_heads", role="query"),
    "normed_keys": _NORMED.format(made="normed_keys", source="key_heads", role="key"),
    "turned_queries": _TURNED.format(made="turned_queries", tokens="T", role="query"),
    "turned_keys": _TURNED.format(made="turned_keys", tokens="S", role="key"),
    "scores": "scores = {compared_queries} @ {compared_keys}.transpose(-2, -1)",
    "scaled_scores": "scaled_scores = scores * scale{softcap}",
    "masked_scores": "masked_scores = {if_allowed}scaled_scores{bias}{else_hidden}",
    "probabilities": "probabilities = {softmax}{no_keys}",
    "head_outputs": "head_outputs = probabilities @ {value_heads}",
    "merged": "merged = head_outputs.transpose(1, 2).flatten(2)",
    "output": "output = {mixed}{inputs}",
}


def statements(trace: Trace, field: str) -> str:
    """The PyTorch statements that compute a field from those before it."""
    return fill_template(TORCH_LINES[field], trace, TORCH_PARTS)


def _softmax(layer: Record) -> str:
    if layer.sink is None:
        return "torch.softmax(masked_scores, dim=-1)"
    return (
        "torch.softmax(\n"
        "    torch.cat([masked_scores, sink[:, None, None].expand(B, H, T, 1)], dim=-1), dim=-1\n"
        ")[..., :-1]"
    )


def _no_keys(layer: Record) -> str:
    if not zeros_empty_rows(layer):
        return ""
    return "\nprobabilities = probabilities.nan_to_num(nan=0.0)  # a row with nothing to attend to"


def _mixed(layer: Record) -> str:
    p = layer.projections
    if p.w_o is None:
        return "merged" if p.b_o is None else "merged + b_o"
    return "F.linear(merged, w_o.T)" if p.b_o is None else "F.linear(merged, w_o.T, b_o)"


_REPEATED = "{}.repeat_interleave(H // G, dim=1)"
_PAIRS = ("{}.chunk(2, dim=-1)", "{}.unflatten(-1, (-1, 2)).unbind(-1)")
# What the statements have in common with those of NumPy is taken from there.
TORCH_PARTS: Parts = {
    **NUMPY_PARTS,
    **{bias: where_given(bias, f", {bias}") for bias in BIASES},
    "value_heads": needed("head_outputs", 1, shared=_REPEATED),
    "compared_keys": needed("scores", 1, shared=_REPEATED),
    "pairs_of_query": by_pairs(*_PAIRS, "turned_queries"),
    "pairs_of_key": by_pairs(*_PAIRS, "turned_keys"),
    "join_pairs": by_pairs("torch.cat(pairs, dim=-1)", "torch.stack(pairs, dim=-1).flatten(-2)"),
    "softmax": _softmax,
    "softcap": where_given(
        "softcap", "\nscaled_scores = softcap * torch.tanh(scaled_scores / softcap)"
    ),
    "if_allowed": where_given("mask", "torch.where(mask, "),
    "else_hidden": where_given("mask", ", -torch.inf)"),
    "no_keys": _no_keys,
    "mixed": _mixed,
}


def heads_in_one_call(trace: Trace) -> str:
    """`head_outputs` from the heads by one call of PyTorch, or a comment that says why there is
    none.
    """
    function = "F.scaled_dot_product_attention"
    if trace.softcap is not None:
        return f"# {function} has no soft cap."
    if trace.sink is not None:
        return f"# {function} has no sink."
    if trace.empty_rows_as == "nan" and trace.empty_rows.any():
        return f"# {function} gives zeros, not NaN, where there is nothing to attend to."
    options = [heads_mask(trace)] if has_rule(trace) else []
    options += ["scale=scale"] if not _usual_scale(trace) else []
    options += ["enable_gqa=True"] if has_shared_heads(trace) else []
    given = (*trace.needs("scores"), "value_heads", *options)
    return _call(f"head_outputs = {function}", *given)


def layer_in_one_call(trace: Trace) -> str:
    """`output` from the inputs by PyTorch's module with our weights, or a comment that says why
    there is none.
    """
    if reason := obstacle(trace):
        return f"# torch.nn.MultiheadAttention cannot be used here: {reason}."
    options, notes = [layer_mask(trace)] if has_rule(trace) else [], []
    names = "output, probabilities"
    if zeros_empty_rows(trace):
        # Asked for its weights, the module gives NaN to a query with nothing to attend to (checked
        # with PyTorch 2.13); otherwise zeros, but NaN in the fast path of a module in eval().
        names, options = "output, _", [*options, "need_weights=False"]
        notes.append(FAST_PATH)
    else:
        options.append("average_attn_weights=False")
    lines = [_module(trace), _call(f"{names} = layer", "inputs", "memory", "memory", *options)]
    if "~mask" in lines[-1]:
        notes.insert(0, "# In the masks of this module True means: may not attend.")
    lines[1:1] = notes
    return "\n".join([*lines, "output = output + inputs"] if trace.residual else lines)


def _module(trace: Trace) -> str:
    """PyTorch's module with our weights in it."""
    biased, own_width = trace.projections.b_q is not None, trace.sizes["M"] != trace.sizes["D"]
    options = (["kdim=M", "vdim=M"] if own_width else []) + (["bias=False"] if not biased else [])
    weights = ['"in_proj_weight": torch.cat([w_q, w_k, w_v], dim=1).T']
    if own_width:
        weights = [f'"{letter}_proj_weight": w_{letter}.T' for letter in "qkv"]
    weights.append('"out_proj.weight": w_o.T')
    weights += (
        ['"in_proj_bias": torch.cat([b_q, b_k, b_v])', '"out_proj.bias": b_o'] if biased else []
    )
    entries = "".join(f"    {weight},\n" for weight in weights)
    options += ["batch_first=True", "dtype=x.dtype"]
    made = _call("layer = torch.nn.MultiheadAttention", "D", "H", *options)
    note = "# It keeps its matrices transposed: (out, in)."
    return f"{made}\n{note}\nlayer.load_state_dict({{\n{entries}}})"


# What the module does with a query that has nothing to attend to depends on its mode.
FAST_PATH = (
    "# A new module is in training mode. In eval(), without gradients, it gives NaN to a query with"
    "\n# nothing to attend to (PyTorch 2.13)."
)


def obstacle(trace: Trace) -> str:
    """What nn.MultiheadAttention cannot do of a layer, or nothing."""
    p = trace.projections
    biases = [getattr(p, name) is not None for name in BIASES]
    met = {
        "its heads do not share keys and values": has_shared_heads(trace),
        "it always has a W_O": p.w_o is None,
        "its heads are D / H wide, d_k and d_v alike": not p.d_k == p.d_v == p.d_model / p.n_heads,
        "its output is as wide as its input": p.d_out != p.d_model,
        "it has all four biases or none": any(biases) != all(biases),
        "its scale is always 1 / sqrt(d_k)": not _usual_scale(trace),
        "it has no soft cap": trace.softcap is not None,
        "it does not normalise queries and keys": trace.head_norm is not None,
        "it has no rotary positions": trace.rotary is not None,
        "it has no sink": trace.sink is not None,
    }
    return next((reason for reason, holds in met.items() if holds), "")


def _usual_scale(trace: Trace) -> bool:
    return trace.scale == 1 / math.sqrt(trace.sizes["K"])


def _call(function: str, *arguments: str) -> str:
    """A call on one line if it fits, else its arguments on a line of their own."""
    line = f"{function}({', '.join(arguments)})"
    return line if len(line) <= 100 else f"{function}(\n    {', '.join(arguments)}\n)"
