"""Run the PyTorch lines of the app for many layers, and store them.

Run by hand, in an environment of its own, when those lines or the PyTorch version change:

    pip install torch==2.13.0 numpy==2.4.6
    python -m scripts.check_torch_code

Of all combinations of weights, memory, mask, bias and rule, so many layers run that any three
options meet in one and that every text of a line runs, in double and in single precision. It stops
at the first difference from the engine. tests/data/torch_code.json gets their lines; `make test`
compares them with the lines of the app, without PyTorch.
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from attention_core import STEPS, HeadNorm, Projections, Rotary, Trace, attend
from attention_lab.export import torch_code
from attention_lab.export.step_code import SETTING_NAMES, array_or_setting, given_names
from attention_lab.rounding import tolerance
from scripts.array_store import DATA, need_version

TORCH_VERSION = "2.13.0"
DATA_FILE = DATA / "torch_code.json"
B, T, S, H, D, M = 2, 3, 5, 6, 12, 11
RNG = np.random.default_rng(4)
SOME = RNG.random((B, H, T, S)) < 0.6
SOME[..., 0] = True
EMPTY = SOME & (np.arange(T) != 1)[:, np.newaxis]
NUMBERS = RNG.normal(size=(B, H, T, S))
X, ELSEWHERE = RNG.normal(size=(B, S, D)), RNG.normal(size=(B, S, D))
WEIGHTS: dict[str, dict[str, Any]] = {
    "usual": {},
    "shared heads": {"n_kv_heads": 2},
    "free widths": {"d_k": 8, "d_v": 3},
    "free widths, shared heads": {"d_k": 8, "d_v": 3, "n_kv_heads": 1},
}
CHANGES: dict[str, dict[str, Any]] = {
    "no biases": {},
    "all biases": {"bias": True},
    "b_o only": {"b_o": np.arange(D) / 8},
    "b_q and b_v only": {"bias": True, "b_k": None, "b_o": None},
    "no w_o": {"w_o": None},
    "no w_o, all biases": {"bias": True, "w_o": None, "b_o": None},
}
MEMORIES = {"itself": D, "as wide": D, "of its own width": M}
MASKS: dict[str, dict[str, Any]] = {
    "no mask": {},
    "causal": {"causal": True},
    "one value": {"mask": True},
    "one column": {"mask": np.ones((T, 1), dtype=bool)},
    "keys": {"mask": SOME[0, 0, 0]},
    "queries and keys": {"mask": SOME[0, 0]},
    "heads": {"mask": SOME[0]},
    "padding": {"mask": SOME[:, :1, :1]},
    "padding, causal": {"mask": SOME[:, :1, :1], "causal": True},
    "all axes": {"mask": SOME},
    "empty row": {"mask": EMPTY},
    "empty row as nan": {"mask": EMPTY, "empty_rows": "nan"},
    "empty sequence": {"mask": (np.arange(B) > 0)[:, None, None, None] & SOME[:, :1, :1]},
}
BIASES: dict[str, dict[str, Any]] = {
    "no bias": {},
    "one number": {"bias": 0.5},
    "bias of keys": {"bias": NUMBERS[0, 0, 0]},
    "bias of queries and keys": {"bias": NUMBERS[0, 0]},
    "bias of all axes": {"bias": NUMBERS},
    "bias that hides": {"bias": np.where(SOME[0], NUMBERS[0], -np.inf)},
    "bias that hides all": {"bias": np.where(EMPTY, NUMBERS, -np.inf)},
}
RULES: dict[str, dict[str, Any]] = {
    "usual scale": {},
    "scale 0.3": {"scale": 0.3},
    "scale 0": {"scale": 0.0},
    "scale -0.7": {"scale": -0.7},
    "soft cap": {"softcap": 0.8},
    "scale -1.1, soft cap": {"scale": -1.1, "softcap": 2.0},
    "rotary": {"rotary": Rotary()},
    "head norm, rotary by halves, sink": {
        "head_norm": HeadNorm(2.0, 0.5),
        "rotary": Rotary(100.0, "halves", start=7),
        "sink": np.linspace(-2, 3, H),
    },
}
RESIDUAL = {"plain": False, "residual": True}
CHOICES = (WEIGHTS, CHANGES, MEMORIES, MASKS, BIASES, RULES, RESIDUAL)

FORMS: dict[str, Callable[[Trace], str]] = {
    field: partial(torch_code.statements, field=field) for field in STEPS
} | {
    "head_outputs in one call": torch_code.heads_in_one_call,
    "output in one call": torch_code.layer_in_one_call,
}


class Case(NamedTuple):
    """One choice of each kind, by their names."""

    weights: str
    change: str
    memory: str
    mask: str
    bias: str
    rule: str
    residual: str


def cases() -> Iterator[Case]:
    """Every combination that makes a layer: inputs are added only to an output as wide."""
    for names in product(*CHOICES):
        case = Case(*names)
        if case.residual == "plain" or projections(*case[:3]).d_out == D:
            yield case


@lru_cache
def projections(weights: str, change: str, memory: str, dtype: str = "float64") -> Projections:
    """The weights of a case."""
    changed = dict(CHANGES[change])
    drawn = {"bias": changed.pop("bias", False), "d_memory": MEMORIES[memory], "seed": 5}
    return replace(Projections.random(D, H, **drawn, **WEIGHTS[weights]), **changed).astype(dtype)


def trace_of(case: Case, dtype: str = "float64") -> Trace:
    """The layer of a case. Choices that change only numbers do not change its lines."""
    itself = case.memory == "itself"
    memory = None if itself else ELSEWHERE[..., : MEMORIES[case.memory]].astype(dtype)
    options = {**MASKS[case.mask], **BIASES[case.bias], **RULES[case.rule]}
    if itself:
        options |= {name: _square(options[name]) for name in ("mask", "bias") if name in options}
    x = X[:, : S if itself else T].astype(dtype)
    weights = projections(*case[:3], dtype)
    return attend(x, weights, memory=memory, residual=RESIDUAL[case.residual], **options)


def _square(given: Any) -> Any:
    """A mask or bias for self-attention: its T rows, and the first ones again up to S."""
    array = np.asarray(given)
    return array[..., np.arange(S) % T, :] if array.ndim > 1 and array.shape[-2] == T else array


def lines_of(trace: Trace) -> dict[str, str]:
    """All PyTorch lines of a layer."""
    forms = {name: form for name, form in FORMS.items() if name in trace.steps or name not in STEPS}
    return {name: sys.intern(form(trace)) for name, form in forms.items()}


def run(case: Case, dtype: str) -> dict[str, str]:
    """Run every step on the results of the steps before, then the one-call forms; the lines. Stops
    where a result differs from its field.
    """
    import torch

    trace = trace_of(case, dtype)
    lines = lines_of(trace)
    given = {"torch": torch, "F": torch.nn.functional, **trace.sizes}
    for name in given_names(trace):
        thing = array_or_setting(trace, name)
        given[name] = thing if name in SETTING_NAMES else torch.tensor(thing)
    made = dict(given)
    for field in trace.steps:
        exec(lines[field], made)
        compare(trace, field, made[field], case)
    for field in ("head_outputs", "output"):
        results = (field, "probabilities")
        names = {name: thing for name, thing in made.items() if name not in ("output", *results)}
        exec(lines[f"{field} in one call"], names)
        for result in names.keys() & set(results):
            compare(trace, result, names[result], case)
    return lines


def compare(trace: Trace, field: str, actual: Any, case: Case) -> None:
    """Stop unless a tensor has the shape, the type and the numbers of its field."""
    found, expected = actual.detach().numpy(), getattr(trace, field)
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        raise SystemExit(f"{case}: {field} is {found.dtype} {found.shape}")
    limit = tolerance(trace, field)
    np.testing.assert_allclose(found, expected, rtol=0, atol=limit, err_msg=f"{case}: {field}")


def main() -> None:
    """Choose the layers, run them in both precisions, store their lines."""
    import torch

    need_version(torch, TORCH_VERSION)
    warnings.simplefilter("error")
    torch.set_num_threads(1)
    lines = {case: lines_of(trace_of(case)) for case in cases()}
    chosen = meeting(lines)
    for case in chosen:
        if not run(case, "float64") == run(case, "float32") == lines[case]:
            raise SystemExit(f"{case} has other lines in single precision")
    DATA_FILE.write_text(packed({case: lines[case] for case in chosen}), encoding="utf-8")
    print(f"{len(chosen)} layers of {len(lines)}")


def meeting(lines: dict[Case, dict[str, str]]) -> list[Case]:
    """So many cases that any three choices that can meet do, with every text of a line."""
    unmet = {facts for case in lines for facts in _facts(case, lines[case])}
    chosen = []
    for least in (40, 25, 15, 9, 5, 3, 2, 1):
        for case in lines:
            new = unmet & set(_facts(case, lines[case]))
            if len(new) >= least:
                chosen.append(case)
                unmet -= new
    return sorted(chosen, key=list(lines).index)


def _facts(case: Case, lines: dict[str, str]) -> Iterator[Any]:
    yield from combinations(enumerate(case), 3)
    yield from lines.items()


def packed(lines: dict[Case, dict[str, str]]) -> str:
    """The texts of every form, each once; for every case the numbers of its choices and texts."""
    choices = [list(choice) for choice in CHOICES]
    forms = dict.fromkeys(form for of in lines.values() for form in of)
    texts = {form: sorted({of.get(form, "") for of in lines.values()}) for form in forms}
    rows = [
        " ".join(str(names.index(name)) for names, name in zip(choices, case, strict=True))
        + " | "
        + " ".join(str(found.index(of.get(form, ""))) for form, found in texts.items())
        for case, of in lines.items()
    ]
    kept = {"torch": TORCH_VERSION, "choices": choices, "texts": texts, "cases": rows}
    return json.dumps(kept, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    main()
