"""Golden values of attention and its gradients, computed by PyTorch, as arrays that need only NumPy
to read.

Run by hand, in an environment of its own, when the PyTorch version or a table of cases changes:

    pip install torch==2.13.0 numpy==2.4.6
    python scripts/make_torch_golden.py

The steps are those of torch_layer.py. Outputs and weights are checked against nn.MultiheadAttention
and scaled_dot_product_attention; gradients come from autograd. The cases keep PyTorch's arguments
as they are (True in a mask of nn.MultiheadAttention means "ignore"); the tests translate them.

Writes tests/data/torch_golden and tests/data/gradient_golden: every distinct array once (.npz), and
which array is which (.json).
"""

from collections.abc import Iterator
from typing import Any

import torch
from array_store import need_version, write
from torch import Tensor
from torch.nn import functional
from torch_layer import Tensors, gradients, hidden, inside_heads, layer, numbers, trained

TORCH_VERSION = "2.13.0"
TOLERANCE = {torch.float64: 1e-13, torch.float32: 5e-6}
INF = torch.inf
Case = dict[str, Any]

# Of nn.MultiheadAttention: batch, heads, queries, keys, features of a head, features of keys and of
# values that come from elsewhere.
B, H, T, S, K, D_KEY, D_VALUE = 2, 3, 4, 7, 5, 11, 13
D = H * K
OWN_SIZES, NO_BIAS = {"kdim": D_KEY, "vdim": D_VALUE}, {"bias": False}
BOTH = "no_mask bool_2d_padding"
# The place of a weight or bias is its seed.
PARTS = ("", "in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight")
PARTS += ("out_proj.weight", "in_proj_bias", "out_proj.bias", "bias_k", "bias_v")
# The beginning of the names, the sequences, what differs from the usual module, the masks.
MODULES: list[tuple[str, str, dict[str, Any], str]] = [
    ("self", "self", {}, "no_mask bool_2d bool_3d float_2d float_3d float_hiding padding"),
    ("self", "self", {}, "padding_float bool_2d_padding bool_3d_padding"),
    ("self", "self", {}, "float_2d_padding_float causal empty_bool"),
    ("self_without_bias", "self", NO_BIAS, "no_mask bool_3d float_2d padding empty_padding"),
    ("cross", "cross", {}, "no_mask bool_3d float_2d padding empty_float"),
    ("cross_without_bias", "cross", NO_BIAS, "bool_2d_padding"),
    ("three_inputs", "three", {}, "no_mask float_hiding"),
    ("own_sizes", "three", OWN_SIZES, "no_mask bool_3d float_3d bool_2d_padding causal"),
    ("own_sizes_without_bias", "three", OWN_SIZES | NO_BIAS, "no_mask float_2d_padding_float"),
    ("bias_kv", "self", {"add_bias_kv": True}, BOTH),
    ("zero_attn", "self", {"add_zero_attn": True}, BOTH),
    ("bias_kv_zero_attn", "self", {"add_bias_kv": True, "add_zero_attn": True}, BOTH),
    ("zero_attn_without_bias", "self", {"add_zero_attn": True} | NO_BIAS, BOTH),
    ("sequence_first", "cross", {"batch_first": False}, "no_mask bool_3d_padding"),
    ("unbatched", "unbatched", {}, "no_mask bool_heads"),
    ("one_head", "self", {"num_heads": 1}, "no_mask"),
    ("heads_of_one_feature", "self", {"num_heads": D}, "bool_2d"),
    ("one_token", "one token", {}, "no_mask"),
]
# Of scaled_dot_product_attention: heads, key/value heads, queries, keys; scale; masks.
CALLS: list[tuple[tuple[int, int, int, int], float | None, str]] = [
    ((3, 3, 4, 7), None, "no_mask causal bool_TS bool_keys bool_full"),
    ((3, 3, 4, 7), None, "float_heads float_hiding empty_row"),
    ((3, 3, 7, 4), None, "causal"),
    ((3, 3, 4, 7), 0.37, "no_mask causal float_heads"),
    ((3, 3, 4, 7), 0.0, "no_mask bool_TS"),
    ((3, 3, 4, 7), -0.6, "no_mask causal"),
    ((6, 3, 4, 7), None, "no_mask causal bool_full float_hiding"),
    ((6, 2, 4, 7), 1.0, "no_mask bool_keys"),
    ((6, 1, 4, 7), None, "no_mask empty_row"),
    ((6, 1, 7, 4), None, "causal"),
    ((3, 3, 1, 7), None, "no_mask causal"),
    ((3, 1, 4, 1), None, "no_mask"),
]
# Of layers with gradients: what differs from self-attention of four heads without biases.
LAYERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "biases": {"biases": True},
    "causal": {"biases": True, "causal": True},
    "masked": {"biases": True, "mask": True},
    "empty row": {"mask": True, "empty_row": True},
    "additive bias": {"bias": True, "scale": 0.7},
    "cross": {"cross": True, "biases": True},
    "shared keys": {"cross": True, "groups": 2, "biases": True},
    "one key head": {"groups": 1},
    "soft cap": {"softcap": 1.3, "biases": True},
    "residual": {"residual": True, "biases": True},
    "heads not mixed": {"mixed": False},
    "rotary": {"rotary": (10_000.0, "neighbours", 0), "width": 6, "biases": True},
    "rotary by halves": {"rotary": (50.0, "halves", 9), "width": 4, "groups": 2, "causal": True},
    "head norm": {"norm": 0.01, "biases": True},
    "head norm, rotary, sink": {
        "norm": 0.1,
        "rotary": (10.0, "halves", 3),
        "width": 6,
        "sink": True,
        "mask": True,
        "empty_row": True,
        "cross": True,
        "groups": 2,
    },
    "one head, one token": {"heads": 1, "tokens": 1},
}


def close(actual: Tensor, expected: Tensor, name: str) -> None:
    """Stop unless two tensors agree; NaN must meet NaN."""
    limit = TOLERANCE[expected.dtype]
    torch.testing.assert_close(actual, expected, rtol=limit, atol=limit, equal_nan=True, msg=name)


def sequences(kind: str, options: dict[str, Any]) -> Tensors:
    """query, key and value of a module: all the same, key = value, or three different ones."""
    query, memory = numbers(10, B, T, D), numbers(11, B, S, D)
    if not options.get("batch_first", True):
        query, memory = (each.transpose(0, 1).contiguous() for each in (query, memory))
    others = (numbers(12, B, S, options.get("kdim", D)), numbers(13, B, S, options.get("vdim", D)))
    given = {
        "self": (query, query, query),
        "cross": (query, memory, memory),
        "three": (query, *others),
        "unbatched": [query[0]] * 3,
        "one token": [query[:, :1]] * 3,
    }
    return dict(zip(("query", "key", "value"), given[kind], strict=True))


def module_masks(n_keys: int) -> dict[str, Tensors]:
    """Every kind of mask that nn.MultiheadAttention takes, in PyTorch's sense."""
    sizes, lengths = (T, n_keys), {"padding": [n_keys - 1, 1], "empty_padding": [2, 0]}
    paddings = {n: torch.arange(n_keys) >= torch.tensor(of)[:, None] for n, of in lengths.items()}
    paddings["padding_float"] = numbers(26, B, n_keys)
    masks = {
        "bool_2d": hidden(22, *sizes),
        "bool_3d": hidden(23, B * H, *sizes),
        "bool_heads": hidden(30, H, *sizes),
        "float_2d": numbers(24, *sizes),
        "float_3d": numbers(25, B * H, *sizes),
        "float_hiding": numbers(20, *sizes).masked_fill(hidden(21, *sizes), -INF),
        "causal": torch.ones(sizes, dtype=torch.bool).triu(1),
        "empty_bool": hidden(31, *sizes, empty=2),
        "empty_float": numbers(32, *sizes).masked_fill(hidden(33, *sizes, empty=3), -INF),
    }
    kinds = {name: {"key_padding_mask": mask} for name, mask in paddings.items()}
    kinds |= {name: {"attn_mask": mask} for name, mask in masks.items()}
    kinds["bool_2d_padding"] = {"attn_mask": hidden(27, *sizes)} | kinds["padding"]
    kinds["bool_3d_padding"] = kinds["bool_3d"] | kinds["padding"]
    kinds["float_2d_padding_float"] = kinds["float_2d"] | kinds["padding_float"]
    return kinds | {"no_mask": {}}


def module_cases() -> Iterator[Case]:
    """All calls of nn.MultiheadAttention."""
    for label, kind, changes, masks in MODULES:
        options = {"embed_dim": D, "num_heads": H, "batch_first": True} | changes
        module = torch.nn.MultiheadAttention(**options)
        state = {}
        for name, part in module.named_parameters():
            drawn = numbers(PARTS.index(name), *part.shape)
            state[name] = drawn / part.shape[1] ** 0.5 if name.endswith("weight") else drawn
        arguments, n_keys = sequences(kind, options), S if kind in ("cross", "three") else T
        for name in masks.split():
            yield {
                "name": f"{label}_{name}",
                "options": options,
                "is_causal": name == "causal",
                "empty_rows": "nan" if name.startswith("empty") else "zero",
                "state": state,
                "arguments": arguments | module_masks(n_keys)[name],
            }


def module_steps(case: Case, state: Tensors, arguments: Tensors) -> Tensors:
    """Every intermediate of nn.MultiheadAttention, checked against the module."""
    options, dtype = case["options"], arguments["query"].dtype
    module = torch.nn.MultiheadAttention(**options, dtype=dtype).eval()
    module.load_state_dict(state)
    with torch.inference_mode():
        output, weights = module(
            **arguments, average_attn_weights=False, is_causal=case["is_causal"]
        )

    def batch_first(tensor: Tensor) -> Tensor:
        if tensor.ndim == 2:
            return tensor[None]
        return tensor if options["batch_first"] else tensor.transpose(0, 1)

    given = dict(state)
    given |= {name: batch_first(arguments[name]) for name in ("query", "key", "value")}
    given["inputs"] = given.pop("query")
    parts = [state.get(f"{letter}_proj_weight") for letter in "qkv"]
    parts = state["in_proj_weight"].chunk(3) if "in_proj_weight" in state else parts
    given |= {f"w_{letter}": part.T for letter, part in zip("qkv", parts, strict=True)}
    given["w_o"] = state["out_proj.weight"].T
    if options.get("bias", True):
        parts = (*state["in_proj_bias"].chunk(3), state["out_proj.bias"])
        given |= {f"b_{letter}": part for letter, part in zip("qkvo", parts, strict=True)}
    n_more = sum(bool(options.get(name)) for name in ("add_bias_kv", "add_zero_attn"))
    for name, mask in [*arguments.items()][3:]:
        mask = mask[:, None, None] if name == "key_padding_mask" else mask
        mask = mask.unflatten(0, (-1, options["num_heads"])) if mask.ndim == 3 else mask
        mask = functional.pad(mask, (0, n_more))
        if mask.dtype == torch.bool:
            given["mask"] = ~mask & given.get("mask", torch.tensor(True))
        else:
            given["bias"] = mask + given.get("bias", 0)
    steps = layer(given, options | {"heads": options["num_heads"]}, empty=torch.nan)
    close(steps["output"], batch_first(output), f"{case['name']} output")
    weights = weights if weights.ndim == 4 else weights[None]
    close(steps["probabilities"], weights, f"{case['name']} weights")
    del steps["memory"]
    return steps


def call_masks(n_heads: int, n_queries: int, n_keys: int) -> dict[str, Tensors]:
    """Masks of scaled_dot_product_attention, where True means "may attend"."""
    full = (2, n_heads, n_queries, n_keys)
    masks = {
        "bool_TS": ~hidden(43, *full[2:]),
        "bool_keys": ~hidden(44, 2, 1, 1, n_keys),
        "bool_full": ~hidden(45, *full),
        "float_heads": numbers(46, 1, *full[1:]),
        "float_hiding": numbers(41, *full).masked_fill(hidden(42, *full), -INF),
        "empty_row": ~hidden(40, *full[2:], empty=n_queries // 2),
    }
    return {"no_mask": {}, "causal": {}} | {n: {"attn_mask": mask} for n, mask in masks.items()}


def call_cases() -> Iterator[Case]:
    """All calls of scaled_dot_product_attention."""
    for (n_heads, groups, n_queries, n_keys), scale, masks in CALLS:
        heads = {
            "query": numbers(50, 2, n_heads, n_queries, 11),
            "key": numbers(51, 2, groups, n_keys, 11),
            "value": numbers(52, 2, groups, n_keys, 5),
        }
        for name in masks.split():
            yield {
                "name": f"h{n_heads}_g{groups}_t{n_queries}_s{n_keys}_scale_{scale}_{name}",
                "scale": scale,
                "is_causal": name == "causal",
                "state": {},
                "arguments": heads | call_masks(n_heads, n_queries, n_keys)[name],
            }


def call_steps(case: Case, _: Tensors, arguments: Tensors) -> Tensors:
    """Every intermediate of scaled_dot_product_attention, checked against its output."""
    query, key, value = (arguments[name] for name in ("query", "key", "value"))
    given = {"mask" if m.dtype == torch.bool else "bias": m for m in [*arguments.values()][3:]}
    options = {"scale": case["scale"], "causal": case["is_causal"]}
    steps = inside_heads(query, key, value, given, options)
    output = functional.scaled_dot_product_attention(
        **arguments,
        is_causal=case["is_causal"],
        scale=case["scale"],
        enable_gqa=query.shape[1] != key.shape[1],
    )
    close(steps["head_outputs"], output, case["name"])
    return steps


def layer_case(options: dict[str, Any]) -> Case:
    """Inputs, weights, masks and the gradient that arrives at the output; all gradients."""
    n_tokens, n_heads = options.get("tokens", 3), options.get("heads", 4)
    n_keys, d_model, d_memory, d_v = 5, 7, 11, 3
    d_k, groups = options.get("width", 5), options.get("groups", n_heads)
    given = {"inputs": numbers(1, 2, n_tokens, d_model)}
    if options.get("cross"):
        given["memory"] = numbers(2, 2, n_keys, d_memory)
    else:
        n_keys, d_memory = n_tokens, d_model
    d_out = d_model if options.get("residual") else 13
    shapes = {"q": (d_model, n_heads * d_k), "k": (d_memory, groups * d_k)}
    shapes |= {"v": (d_memory, groups * d_v), "o": (n_heads * d_v, d_out)}
    if not options.get("mixed", True):
        d_out = shapes.pop("o")[0]
    for seed, (letter, shape) in enumerate(shapes.items(), start=3):
        given[f"w_{letter}"] = numbers(seed, *shape)
        if options.get("biases"):
            given[f"b_{letter}"] = numbers(seed + 4, shape[1])
    if options.get("mask"):
        given["mask"] = numbers(11, 2, 1, n_tokens, n_keys) < 0.5
        given["mask"][..., 0] = True
        given["mask"][0, 0, 1] &= not options.get("empty_row")
    more = {"bias": (12, n_heads, n_tokens, n_keys), "sink": (16, n_heads)}
    given |= {name: numbers(*how) for name, how in more.items() if options.get(name)}
    if "norm" in options:
        given |= {"query_gain": numbers(14, d_k), "key_gain": numbers(15, d_k)}
    arriving = numbers(13, 2, n_tokens, d_out)
    leaves = trained({name: part for name, part in given.items() if name != "bias"})
    steps = layer(given | leaves, {"heads": n_heads} | options)
    for tensor in steps.values():
        tensor.retain_grad()
    expected = gradients(leaves | steps, steps["output"], arriving)
    return {"given": given | {"output_gradient": arriving}, "expected": expected}


def loss_cases() -> dict[str, Case]:
    """The three losses of the laboratories on a small output: value and gradient."""
    classes = functional.one_hot(torch.tensor([[[0, 2], [1, 1], [2, 0]]] * 2), 3).double()
    losses = {
        "squared error": functional.mse_loss,
        "cross-entropy": lambda parts, target: functional.cross_entropy(
            parts.flatten(0, 2), target.flatten(0, 2).argmax(-1)
        ),
        "relative error": lambda parts, target: (parts.softmax(-1) - target).norm() / target.norm(),
    }
    cases = {}
    for name, loss_of in losses.items():
        target = numbers(21, 2, 3, 2, 3) if name == "squared error" else classes
        leaves = trained({"output": numbers(20, 2, 3, 6)})
        loss = loss_of(leaves["output"].unflatten(-1, (2, 3)), target)
        expected = {"loss": loss, "gradient": gradients(leaves, loss)["output"]}
        cases[name] = {"given": leaves | {"target": target}, "expected": expected}
    return cases


def adam_run() -> Case:
    """Six steps of torch.optim.Adam on a layer of two heads."""
    shapes = {"w_q": (7, 10), "w_k": (7, 10), "w_v": (7, 6), "w_o": (6, 13), "b_o": (13,)}
    start = {name: 0.4 * numbers(30 + i, *shape) for i, (name, shape) in enumerate(shapes.items())}
    leaves = trained(start)
    optimiser = torch.optim.Adam(leaves.values(), lr=0.03)
    inputs, targets = numbers(40, 6, 2, 3, 7), numbers(41, 6, 2, 3, 13)
    for x, target in zip(inputs, targets, strict=True):
        optimiser.zero_grad()
        output = layer(leaves | {"inputs": x}, {"heads": 2})["output"]
        gradients(leaves, functional.mse_loss(output, target))
        optimiser.step()
    given = start | {"inputs": inputs, "targets": targets}
    return {"given": given, "expected": leaves}


def stack_run() -> Case:
    """Two layers of attention without W_O and x + tanh(x W + b), a classifier of the last token,
    cross-entropy.
    """
    shapes = {f"w_{letter}": (2, 4, 16, 4) for letter in "qkv"}
    shapes |= {"w_r": (2, 16, 16), "b_r": (2, 16), "w_c": (16, 10)}
    start = {name: 0.3 * numbers(50 + i, *shape) for i, (name, shape) in enumerate(shapes.items())}
    leaves, x = trained(start), numbers(60, 2, 3, 16)
    given = start | {"inputs": x, "target": functional.one_hot(torch.tensor([3, 8]), 10).double()}
    for number in range(2):
        heads = (x[:, None] @ leaves[f"w_{letter}"][number] for letter in "qkv")
        mixed = inside_heads(*heads, {}, {"scale": 0.25})["head_outputs"]
        merged = mixed.transpose(1, 2).flatten(2)
        x = merged + torch.tanh(merged @ leaves["w_r"][number] + leaves["b_r"][number])
    loss = functional.cross_entropy(x[:, -1] @ leaves["w_c"], given["target"].argmax(-1))
    return {"given": given, "expected": gradients(leaves, loss)}


def main() -> None:
    """Build, check, freeze and write."""
    need_version(torch, TORCH_VERSION)
    torch.set_num_threads(1)
    modules, calls = list(module_cases()), list(call_cases())
    for cases, steps in ((modules, module_steps), (calls, call_steps)):
        for case in cases:
            for dtype in (torch.float64, torch.float32):
                given = (
                    {n: t.to(dtype) if t.is_floating_point() else t for n, t in case[group].items()}
                    for group in ("state", "arguments")
                )
                case[str(dtype).removeprefix("torch.")] = steps(case, *given)
    record = {"MultiheadAttention": modules, "scaled_dot_product_attention": calls}
    write("torch_golden", {"torch": TORCH_VERSION} | record)
    record = {
        "torch": TORCH_VERSION,
        "layers": {n: {"options": o} | layer_case(o) for n, o in LAYERS.items()},
        "losses": loss_cases(),
        "adam": adam_run(),
        "stack": stack_run(),
    }
    write("gradient_golden", record)


if __name__ == "__main__":
    main()
