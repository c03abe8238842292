"""The mask arguments of PyTorch's functions, for the mask and bias of one trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attention_core.masks import causal_mask

if TYPE_CHECKING:
    from attention_core.trace import Trace


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
    return "torch.where(mask, bias, -torch.inf)", np.broadcast_shapes(
        trace.mask.shape, trace.bias.shape
    )


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
    return trace.mask is not None and np.array_equal(
        trace.mask, causal_mask(*trace.scores.shape[2:])
    )
