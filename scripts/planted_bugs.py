"""The bugs that `plant_bugs.py` puts into a copy of the engine: what is wrong, where, and which
text becomes which.

Most are mistakes that attention code is known for.
A text to replace must occur exactly once in its file; an edit that no longer fits stops the run.
"""

from __future__ import annotations

from typing import NamedTuple


class Bug(NamedTuple):
    """One mistake; edits are pairs of (text in the file, text instead)."""

    what: str
    file: str
    edits: tuple[tuple[str, str], ...]


def bug(what: str, file: str, *texts: str) -> Bug:
    """A bug from alternating old and new texts."""
    return Bug(what, file, tuple(zip(texts[::2], texts[1::2], strict=True)))


BUGS = (
    # projections
    bug(
        "keys made from the queries' sequence",
        "attention.py",
        "project(memory, p.w_k",
        "project(inputs, p.w_k",
    ),
    bug(
        "values made from the queries' sequence",
        "attention.py",
        "project(memory, p.w_v",
        "project(inputs, p.w_v",
    ),
    bug("values made with W_K", "attention.py", "project(memory, p.w_v", "project(memory, p.w_k"),
    bug("query bias forgotten", "attention.py", "p.w_q, p.b_q)", "p.w_q, None)"),
    bug("key bias forgotten", "attention.py", "p.w_k, p.b_k)", "p.w_k, None)"),
    bug("value bias forgotten", "attention.py", "p.w_v, p.b_v)", "p.w_v, None)"),
    bug(
        "output bias forgotten",
        "formulas.py",
        "in (b_o_O, connection_BTO):",
        "in (connection_BTO,):",
    ),
    # split and merge
    bug(
        "split without the swap",
        "formulas.py",
        "reshape(n_batch, n_tokens, n_heads, n_features // n_heads).swapaxes(1, 2)",
        "reshape(n_batch, n_heads, n_tokens, n_features // n_heads)",
    ),
    bug(
        "split into every n-th feature instead of blocks",
        "formulas.py",
        "reshape(n_batch, n_tokens, n_heads, n_features // n_heads).swapaxes(1, 2)",
        "reshape(n_batch, n_tokens, n_features // n_heads, n_heads).transpose(0, 3, 1, 2)",
    ),
    bug(
        "merge without the swap (merge_heads)",
        "formulas.py",
        "heads_BHTV.swapaxes(1, 2).reshape(",
        "heads_BHTV.reshape(",
    ),
    bug(
        "merge without the swap (layer)",
        "attention.py",
        "out=split_heads(merged, p.n_heads)",
        "out=merged.reshape(inputs.shape[0], p.n_heads, inputs.shape[1], p.d_v)",
    ),
    bug(
        "heads merged in reverse order",
        "attention.py",
        "split_heads(merged, p.n_heads)",
        "split_heads(merged, p.n_heads)[:, ::-1]",
    ),
    # scores and scale
    bug(
        "queries and keys exchanged",
        "attention.py",
        "        query_heads, key_heads, value_heads, options",
        "        *((key_heads, query_heads) if key_heads.shape == query_heads.shape else"
        " (query_heads, key_heads)), value_heads, options",
    ),
    bug("1/sqrt(d_model) for 1/sqrt(d_k)", "attention.py", "p.d_k,", "p.d_model,"),
    bug("1/sqrt(d_v) for 1/sqrt(d_k)", "attention.py", "p.d_k,", "p.d_v,"),
    bug("scale forgotten", "checks.py", "1.0 / math.sqrt(d_k)", "1.0"),
    bug("1/d_k for 1/sqrt(d_k)", "checks.py", "1.0 / math.sqrt(d_k)", "1.0 / d_k"),
    bug("scores multiplied by sqrt(d_k)", "checks.py", "1.0 / math.sqrt(d_k)", "math.sqrt(d_k)"),
    bug("scale 0 taken for none", "checks.py", "if scale is None:", "if not scale:"),
    bug(
        "a given scale multiplied with the default one",
        "checks.py",
        "return float(scale)",
        "return float(scale) / math.sqrt(d_k)",
    ),
    bug(
        "scaled twice",
        "fast_heads.py",
        "np.multiply(scores, options.scale, out=out)",
        "np.multiply(scores, options.scale * options.scale, out=out)",
    ),
    bug(
        "raw scores overwritten by the scaled ones",
        "fast_heads.py",
        "options, out=scaled[block])",
        "options, out=scores[block])\n        scaled[block] = scores[block]",
    ),
    bug(
        "soft cap before the scale",
        "fast_heads.py",
        "np.multiply(scores, options.scale, out=out)",
        "np.copyto(out, scores)",
        "np.multiply(np.tanh(out, out=out), options.softcap, out=out)",
        "np.multiply(np.tanh(out, out=out), options.softcap, out=out)\n"
        "    np.multiply(out, options.scale, out=out)",
    ),
    bug(
        "soft cap after mask and bias",
        "fast_heads.py",
        "_scale(scores[block], options, out=",
        "_scale(scores[block], options._replace(softcap=None), out=",
        "        _softmax(masked[block],",
        "        if options.softcap is not None:\n"
        "            _scale(masked[block], options._replace(scale=1.0), out=masked[block])\n"
        "        _softmax(masked[block],",
    ),
    bug(
        "soft cap without the division",
        "fast_heads.py",
        "np.divide(out, options.softcap, out=out)",
        "pass",
    ),
    # masks
    bug(
        "causal mask aligned at the bottom right",
        "option_checks.py",
        "causal_mask(*shape[2:])",
        "np.tri(shape[2], shape[3], shape[3] - shape[2], dtype=bool)",
    ),
    bug(
        "causal mask hides the token itself",
        "option_checks.py",
        "causal_mask(*shape[2:])",
        "np.tri(shape[2], shape[3], -1, dtype=bool)",
    ),
    bug(
        "causal mask shows the future",
        "option_checks.py",
        "causal_mask(*shape[2:])",
        "~np.tri(shape[2], shape[3], -1, dtype=bool)",
    ),
    bug("causal ignored when there is a mask", "option_checks.py", "allowed & past", "allowed"),
    bug("mask ignored in a causal layer", "option_checks.py", "allowed & past", "past"),
    bug(
        "mask sense inverted",
        "fast_heads.py",
        "np.where(options.allowed,",
        "np.where(~options.allowed,",
    ),
    bug(
        "mask applied after the softmax",
        "fast_heads.py",
        "addend = _mask_addend(options,",
        "addend = _mask_addend(options._replace(allowed=None),",
        "    _multiply(probabilities,",
        "    probabilities *= True if options.allowed is None else options.allowed\n"
        "    _multiply(probabilities,",
    ),
    bug("-1e9 for -inf", "fast_heads.py", "dtype(-np.inf)", "dtype(-1e9)"),
    bug(
        "bias added before the scale",
        "fast_heads.py",
        "        return options.bias\n",
        "        return options.bias if options.bias is None else options.bias * options.scale\n",
    ),
    bug(
        "bias ignored when there is a mask",
        "fast_heads.py",
        "hidden if options.bias is None else options.bias + hidden",
        "hidden",
    ),
    bug(
        "mask ignored when there is a bias",
        "fast_heads.py",
        "hidden if options.bias is None else options.bias + hidden",
        "hidden if options.bias is None else options.bias",
    ),
    bug(
        "window too narrow by one on the left",
        "masks.py",
        "key_S >= query_T1 -",
        "key_S > query_T1 -",
    ),
    bug(
        "window too wide by one on the right",
        "masks.py",
        'whole_number("right", right, 0)',
        '1 + whole_number("right", right, 0)',
    ),
    bug(
        "window cut to the number of queries on the right",
        "masks.py",
        'whole_number("right", right, 0), n_keys)',
        'whole_number("right", right, 0), n_queries)',
    ),
    bug(
        "padding off by one",
        "masks.py",
        " < lengths_B[:, np.newaxis]",
        " <= lengths_B[:, np.newaxis]",
    ),
    bug(
        "padding hides queries instead of keys",
        "masks.py",
        "allowed_BS[:, np.newaxis, np.newaxis, :]",
        "allowed_BS[:, np.newaxis, :, np.newaxis]",
    ),
    # softmax
    bug(
        "softmax over the queries",
        "fast_heads.py",
        "_softmax(masked[block], out=probabilities[block],",
        "_softmax(masked[block].swapaxes(-1, -2), out=probabilities[block].swapaxes(-1, -2),",
    ),
    bug(
        "softmax over the heads",
        "fast_heads.py",
        "_softmax(masked[block], out=probabilities[block],",
        "_softmax(masked[block].swapaxes(1, -1), out=probabilities[block].swapaxes(1, -1),",
    ),
    bug(
        "row sums of small exponentials not divided by",
        "fast_heads.py",
        "limits.tiny, out=total",
        "limits.eps, out=total",
    ),
    bug("maximum not subtracted", "fast_heads.py", "if not bounded:", "if False:"),
    bug(
        "maximum left out where it is needed",
        "fast_heads.py",
        "SAFE_EXPONENT = 64.0",
        "SAFE_EXPONENT = 640.0",
    ),
    bug(
        "maximum left out although there is a bias",
        "fast_heads.py",
        "options.bias is None and ",
        "",
    ),
    bug(
        "one row left out between two portions",
        "fast_heads.py",
        "slice(t, t + rows)",
        "slice(t, t + rows - 1)",
    ),
    bug(
        "one maximum for all rows",
        "fast_heads.py",
        "scores_XS.max(axis=-1, keepdims=True,",
        "scores_XS.max(keepdims=True,",
    ),
    bug(
        "small number added to the row sum",
        "fast_heads.py",
        "np.maximum(total, limits.tiny, out=total)",
        "total + 1e-9",
    ),
    bug(
        "empty rows become NaN",
        "fast_heads.py",
        "np.maximum(total, limits.tiny, out=total)",
        "total",
    ),
    bug(
        "empty rows become uniform",
        "fast_heads.py",
        "np.maximum(scores_XS.max(axis=-1, keepdims=True, initial=-np.inf), limits.min)",
        "scores_XS.max(axis=-1, keepdims=True)",
        "np.subtract(scores_XS, maximum, out=out)",
        "np.where(np.isneginf(maximum), 0, np.subtract(scores_XS, maximum))",
        "if not bounded:",
        "if True:",
    ),
    bug(
        'empty_rows="nan" ignored',
        "attention.py",
        "    heads.probabilities[empty_BHT] = np.nan\n",
        "",
        "    heads.head_outputs[empty_BHT] = np.nan\n",
        "",
    ),
    # shared heads, output
    bug(
        "shared heads dealt out in turn instead of in blocks",
        "formulas.py",
        "reshape(n_batch, n_groups, n_heads // n_groups, n_tokens, width)",
        "reshape(n_batch, n_heads // n_groups, n_groups, n_tokens, width).swapaxes(1, 2)",
    ),
    bug(
        "W_O transposed where it is square",
        "formulas.py",
        "project(merged_BTF, w_o_FO)",
        "project(merged_BTF, w_o_FO.T if w_o_FO.shape[0] == w_o_FO.shape[1] else w_o_FO)",
    ),
    bug(
        "rows of W_O in the wrong order",
        "attention.py",
        "mix_heads(merged, p.w_o, p.b_o, connection)\n    checks",
        "mix_heads(merged, None if p.w_o is None else p.w_o.reshape(p.n_heads, p.d_v,"
        " -1).swapaxes(0, 1).reshape(p.w_o.shape), p.b_o, connection)\n    checks",
    ),
    bug(
        "memory and inputs exchanged where their shapes agree",
        "attention.py",
        "        inputs=inputs,\n        memory=memory,\n",
        "        **(dict(inputs=memory, memory=inputs) if inputs.shape == memory.shape\n"
        "           else dict(inputs=inputs, memory=memory)),\n",
    ),
    bug(
        "residual adds the memory",
        "attention.py",
        "_connection(inputs, p, residual)",
        "_connection(source, p, residual)",
    ),
    bug(
        "residual added twice",
        "attention.py",
        "_connection(inputs, p, residual)",
        "_connection(2 * inputs, p, residual)",
    ),
    # numbers and arrays
    bug("float32 becomes float64", "checks.py", "return np.float32 if", "return np.float64 if"),
    bug(
        "integers become float32",
        "checks.py",
        "array = array.astype(np.float64)",
        "array = array.astype(np.float32)",
    ),
    bug(
        "scores kept in float32",
        "fast_heads.py",
        "*shape), query_BHTK.dtype)",
        "*shape), np.float32)",
    ),
    bug(
        "the caller's x is not copied",
        "attention.py",
        "np.array(x_BTD, dtype",
        "np.asarray(x_BTD, dtype",
    ),
    bug(
        "the caller's memory is not copied",
        "attention.py",
        "np.array(memory_BSM, dtype",
        "np.asarray(memory_BSM, dtype",
    ),
    bug(
        "the caller's weights are not copied",
        "projections.py",
        "np.array(array, dtype",
        "np.asarray(array, dtype",
    ),
    bug(
        "NaN is let in",
        "checks.py",
        "return math.isfinite(np.vdot(flat, flat)) or",
        "return True or",
    ),
    # ways to make weights
    bug(
        "every head gets the first head's matrix",
        "projections.py",
        "np.hstack(matrices)",
        "np.hstack([matrices[0]] * len(matrices))",
    ),
    bug("tied weights not tied", "projections.py", "w_k=free.w_q", "w_k=free.w_k"),
    bug("d_v ignored", "projections.py", "d_v or d_model // n_heads", "d_k or d_model // n_heads"),
    bug(
        "one random stream for all matrices",
        "initialisation.py",
        "number(seed), stream]",
        "number(seed), 0]",
    ),
    bug(
        "Xavier limit without the width of the output",
        "initialisation.py",
        "6.0 / (n_in + n_out)",
        "6.0 / n_in",
    ),
    # what is shown
    bug(
        "shown code tiles shared heads",
        "numpy_code.py",
        "np.repeat({heads}, H // G, axis=1)",
        "np.tile({heads}, (1, H // G, 1, 1))",
    ),
    bug(
        "shown code forgets the connection",
        "numpy_code.py",
        "' + inputs' if layer.residual",
        "'' if layer.residual",
    ),
    bug(
        "the record can be written to", "trace.py", "array.setflags(False)", "array.setflags(True)"
    ),
)
