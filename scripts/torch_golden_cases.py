"""The cases of make_torch_golden.py: settings and random arguments, every axis of a case a
different length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

Case = dict[str, Any]
# batch, heads, queries, keys, features of a head, features of keys and values that come from
# elsewhere
B, H, T, S, K, D_KEY, D_VALUE = 2, 3, 4, 7, 5, 11, 13
D = H * K
INF = torch.inf


def numbers(seed: int, *shape: int) -> Tensor:
    """Normally distributed float64 numbers."""
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def hidden(seed: int, *shape: int, share: float = 0.4) -> Tensor:
    """True = ignore, in PyTorch's module; the first key always stays visible."""
    mask = torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) < share
    mask[..., 0] = False
    return mask


def state(options: dict[str, Any]) -> dict[str, Tensor]:
    """Weights and biases for nn.MultiheadAttention, under PyTorch's names."""
    width = options["embed_dim"]
    d_key, d_value = options.get("kdim", width), options.get("vdim", width)
    if d_key == d_value == width:
        weights = {"in_proj_weight": numbers(1, 3 * width, width) / width**0.5}
    else:
        weights = {
            "q_proj_weight": numbers(2, width, width) / width**0.5,
            "k_proj_weight": numbers(3, width, d_key) / d_key**0.5,
            "v_proj_weight": numbers(4, width, d_value) / d_value**0.5,
        }
    weights["out_proj.weight"] = numbers(5, width, width) / width**0.5
    if options.get("bias", True):
        weights |= {"in_proj_bias": numbers(6, 3 * width), "out_proj.bias": numbers(7, width)}
    if options.get("add_bias_kv"):
        weights |= {"bias_k": numbers(8, 1, 1, width), "bias_v": numbers(9, 1, 1, width)}
    return weights


def tokens(kind: str, options: dict[str, Any]) -> dict[str, Tensor]:
    """query, key and value: all the same, key = value, or three different ones."""
    query = numbers(10, B, T, D)
    if kind == "self":
        return {"query": query, "key": query, "value": query}
    if kind == "cross":
        memory = numbers(11, B, S, D)
        return {"query": query, "key": memory, "value": memory}
    return {
        "query": query,
        "key": numbers(12, B, S, options.get("kdim", D)),
        "value": numbers(13, B, S, options.get("vdim", D)),
    }


def masks(n_keys: int) -> dict[str, dict[str, Tensor]]:
    """Every kind of mask that nn.MultiheadAttention takes, in PyTorch's sense."""
    sizes = (T, n_keys)
    mixed = numbers(20, *sizes).masked_fill(hidden(21, *sizes), -INF)
    padding = torch.arange(n_keys) >= torch.tensor([n_keys - 1, 1])[:, None]
    return {
        "no_mask": {},
        "bool_2d": {"attn_mask": hidden(22, *sizes)},
        "bool_3d": {"attn_mask": hidden(23, B * H, *sizes)},
        "float_2d": {"attn_mask": numbers(24, *sizes)},
        "float_3d": {"attn_mask": numbers(25, B * H, *sizes)},
        "float_hiding": {"attn_mask": mixed},
        "padding": {"key_padding_mask": padding},
        "padding_float": {"key_padding_mask": numbers(26, B, n_keys)},
        "bool_2d_padding": {"attn_mask": hidden(27, *sizes), "key_padding_mask": padding},
        "bool_3d_padding": {"attn_mask": hidden(23, B * H, *sizes), "key_padding_mask": padding},
        "float_2d_padding_float": {
            "attn_mask": numbers(24, *sizes),
            "key_padding_mask": numbers(26, B, n_keys),
        },
        "causal": {"attn_mask": torch.ones(sizes, dtype=torch.bool).triu(1)},
    }


def mha(
    name: str,
    options: dict[str, Any],
    arguments: dict[str, Tensor],
    empty_rows: str = "zero",
    is_causal: bool = False,
) -> Case:
    """One call of nn.MultiheadAttention."""
    options = {"embed_dim": D, "num_heads": H, "batch_first": True} | options
    return {
        "name": name,
        "options": options,
        "is_causal": is_causal,
        "empty_rows": empty_rows,
        "state": state(options),
        "arguments": arguments,
    }


def mha_grid() -> Iterator[Case]:
    """Bias on and off, own sizes for keys and values, self and cross, against the kinds of
    masks.
    """
    own_sizes = {"kdim": D_KEY, "vdim": D_VALUE}
    few = ("no_mask", "bool_3d", "float_2d", "padding")
    grid: list[tuple[str, str, dict[str, Any], tuple[str, ...]]] = [
        ("self", "self", {}, tuple(masks(T))),
        ("self_without_bias", "self", {"bias": False}, few),
        ("cross", "cross", {}, few),
        ("cross_without_bias", "cross", {"bias": False}, ("bool_2d_padding",)),
        ("three_inputs", "three", {}, ("no_mask", "float_hiding")),
        (
            "own_sizes",
            "three",
            own_sizes,
            ("no_mask", "bool_3d", "float_3d", "bool_2d_padding", "causal"),
        ),
        (
            "own_sizes_without_bias",
            "three",
            own_sizes | {"bias": False},
            ("no_mask", "float_2d_padding_float"),
        ),
    ]
    for label, kind, options, names in grid:
        arguments = tokens(kind, options)
        kinds = masks(arguments["key"].shape[1])
        for name in names:
            yield mha(
                f"{label}_{name}", options, arguments | kinds[name], is_causal=name == "causal"
            )


def mha_appended() -> Iterator[Case]:
    """A learned or a zero key/value appended to the sequence, always visible."""
    for label, options in (
        ("bias_kv", {"add_bias_kv": True}),
        ("zero_attn", {"add_zero_attn": True}),
        ("bias_kv_zero_attn", {"add_bias_kv": True, "add_zero_attn": True}),
        ("zero_attn_without_bias", {"add_zero_attn": True, "bias": False}),
    ):
        for name in ("no_mask", "bool_2d_padding"):
            yield mha(f"{label}_{name}", options, tokens("self", options) | masks(T)[name])


def mha_layouts() -> Iterator[Case]:
    """Sequence first, no batch, one head, as many heads as features, one token."""
    first = {
        name: token.transpose(0, 1).contiguous() for name, token in tokens("cross", {}).items()
    }
    yield mha("sequence_first", {"batch_first": False}, first)
    yield mha(
        "sequence_first_bool_3d_padding",
        {"batch_first": False},
        first | masks(S)["bool_3d_padding"],
    )
    single = {name: token[0] for name, token in tokens("self", {}).items()}
    yield mha("unbatched", {}, single)
    yield mha("unbatched_bool_3d", {}, single | {"attn_mask": hidden(30, H, T, T)})
    yield mha("one_head", {"num_heads": 1}, tokens("self", {}))
    yield mha("heads_of_one_feature", {"num_heads": D}, tokens("self", {}) | masks(T)["bool_2d"])
    yield mha("one_token", {}, {name: token[:, :1] for name, token in tokens("self", {}).items()})


def mha_empty_rows() -> Iterator[Case]:
    """Rows without any visible key, where the module gives NaN."""
    row = hidden(31, T, T)
    row[2] = True
    yield mha("empty_row_bool", {}, tokens("self", {}) | {"attn_mask": row}, "nan")
    floats = numbers(32, T, S).masked_fill(hidden(33, T, S), -INF)
    floats[3] = -INF
    yield mha("empty_row_float", {}, tokens("cross", {}) | {"attn_mask": floats}, "nan")
    all_padding = torch.arange(T) >= torch.tensor([2, 0])[:, None]
    yield mha(
        "empty_sequence_padding",
        {"bias": False},
        tokens("self", {}) | {"key_padding_mask": all_padding},
        "nan",
    )


def mha_cases() -> Iterator[Case]:
    """All calls of nn.MultiheadAttention."""
    for part in (mha_grid, mha_appended, mha_layouts, mha_empty_rows):
        yield from part()


def sdpa_masks(n_heads: int, n_queries: int, n_keys: int) -> dict[str, Tensor | None]:
    """Masks of scaled_dot_product_attention, where True means "may attend"."""
    empty = ~hidden(40, n_queries, n_keys)
    empty[n_queries // 2] = False
    floats = numbers(41, 2, n_heads, n_queries, n_keys).masked_fill(
        hidden(42, 2, n_heads, n_queries, n_keys), -INF
    )
    return {
        "no_mask": None,
        "causal": None,
        "bool_TS": ~hidden(43, n_queries, n_keys),
        "bool_keys": ~hidden(44, 2, 1, 1, n_keys),
        "bool_full": ~hidden(45, 2, n_heads, n_queries, n_keys),
        "float_heads": numbers(46, 1, n_heads, n_queries, n_keys),
        "float_hiding": floats,
        "empty_row": empty,
    }


def sdpa_cases() -> Iterator[Case]:
    """All calls of scaled_dot_product_attention: (heads, key/value heads, queries, keys),
    scale, masks.
    """
    all_masks = tuple(sdpa_masks(1, 4, 7))
    grid: list[tuple[tuple[int, int, int, int], float | None, tuple[str, ...]]] = [
        ((3, 3, 4, 7), None, all_masks),
        ((3, 3, 7, 4), None, ("causal",)),
        ((3, 3, 4, 7), 0.37, ("no_mask", "causal", "float_heads")),
        ((3, 3, 4, 7), 0.0, ("no_mask", "bool_TS")),
        ((3, 3, 4, 7), -0.6, ("no_mask", "causal")),
        ((6, 3, 4, 7), None, ("no_mask", "causal", "bool_full", "float_hiding")),
        ((6, 2, 4, 7), 1.0, ("no_mask", "bool_keys")),
        ((6, 1, 4, 7), None, ("no_mask", "empty_row")),
        ((6, 1, 7, 4), None, ("causal",)),
        ((3, 3, 1, 7), None, ("no_mask", "causal")),
        ((3, 1, 4, 1), None, ("no_mask",)),
    ]
    for (n_heads, n_kv_heads, n_queries, n_keys), scale, names in grid:
        heads = {
            "query": numbers(50, 2, n_heads, n_queries, 11),
            "key": numbers(51, 2, n_kv_heads, n_keys, 11),
            "value": numbers(52, 2, n_kv_heads, n_keys, 5),
        }
        for name in names:
            mask = sdpa_masks(n_heads, n_queries, n_keys)[name]
            yield {
                "name": f"h{n_heads}_g{n_kv_heads}_t{n_queries}_s{n_keys}_scale_{scale}_{name}",
                "scale": scale,
                "is_causal": name == "causal",
                "arguments": heads | ({} if mask is None else {"attn_mask": mask}),
            }
