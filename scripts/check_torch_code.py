"""Run the PyTorch lines of the app for all combinations of options, and store them.

Run by hand, in an environment of its own, when those lines or the PyTorch version change:

    pip install torch==2.13.0 numpy==2.4.6
    python -m scripts.check_torch_code

It stops at the first difference from the engine. tests/data/torch_code.json gets the lines of so
many layers that any three options meet in one. `make test` compares them with the lines of the app,
without PyTorch.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import torch

from attention_core import STEPS, Trace
from attention_lab.export.step_code import SETTING_NAMES, array_or_setting, given_names
from attention_lab.rounding import tolerance
from scripts.torch_code_cases import CHOICES, Case, cases, lines_of, trace_of

TORCH_VERSION = "2.13.0"
DATA_FILE = Path(__file__).resolve().parent.parent / "tests" / "data" / "torch_code.json"
# A difference within every tolerance, relative to the number. Computing a tolerance takes time.
MIN_TOLERANCE = 5e-15
# The choices that change the numbers of a step; the same lines need not run twice.
OF_WEIGHTS, OF_RULE, OF_MASKS = slice(0, 3), (0, 1, 2, 5), slice(0, 6)


def tensors(trace: Trace) -> dict[str, Any]:
    """The operands of the lines of a trace, as tensors."""
    arrays = {name: array_or_setting(trace, name) for name in given_names(trace)}
    made = {
        name: thing if name in SETTING_NAMES else torch.tensor(thing)
        for name, thing in arrays.items()
    }
    return {"torch": torch, "F": torch.nn.functional, **trace.sizes, **made}


def compare(trace: Trace, field: str, actual: Any, where: str) -> None:
    """Stop unless a tensor has the shape, the type and the numbers of its field."""
    found, expected = actual.detach().numpy(), getattr(trace, field)
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        raise SystemExit(
            f"{where}: {field} is {found.dtype} {found.shape}, not {expected.dtype}"
            f" {expected.shape}"
        )
    with np.errstate(invalid="ignore"):
        near = np.abs(found - expected) <= MIN_TOLERANCE * np.abs(expected)
        near |= found == expected
    if not near.all():
        limit = tolerance(trace, field)
        np.testing.assert_allclose(found, expected, rtol=0, atol=limit, err_msg=f"{where}: {field}")


@lru_cache(maxsize=1000)
def compiled(lines: str) -> CodeType:
    """Lines, compiled."""
    return compile(lines, "lines", "exec")


class Runner:
    """Runs the lines of one case after another; the same lines on the same numbers run once."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self.results: dict[tuple[Any, ...], Any] = {}
        self.counts: Counter[str] = Counter()

    def run(self, case: Case) -> dict[str, str]:
        """Run every step on the results of the steps before, then the one-call forms; return the
        lines.
        """
        trace, where = trace_of(case, self.dtype), f"{self.dtype}, {', '.join(case)}"
        lines, names = lines_of(trace), tensors(trace)
        self.counts["layers"] += 1
        for field in trace.steps:
            key = (field, lines[field], *_choices_of(field, case))
            if key not in self.results:
                exec(compiled(lines[field]), names)
                compare(trace, field, names[field], where)
                self.results[key] = names[field]
                self.counts["steps"] += 1
            names[field] = self.results[key]
        self._in_one_call(trace, "head_outputs", lines, names, case)
        self._in_one_call(trace, "output", lines, names, case)
        return lines

    def _in_one_call(
        self, trace: Trace, field: str, lines: dict[str, str], names: dict[str, Any], case: Case
    ) -> None:
        text = lines[f"{field} in one call"]
        if text.startswith("#"):
            self.counts[text] += 1
            return
        key = (text, *_choices_of(field, case))
        if key in self.results:
            return
        given = {name: made for name, made in names.items() if name not in _RESULTS}
        exec(compiled(text), given)
        for result in {field, "probabilities"} & set(given):
            compare(trace, result, given[result], f"{self.dtype}, {', '.join(case)}, one call")
        self.results[key] = True
        self.counts[f"{field} in one call"] += 1


BEFORE_RULE = tuple(STEPS)[: tuple(STEPS).index("normed_queries")]
_RESULTS = ("head_outputs", "probabilities", "output")


def _choices_of(field: str, case: Case) -> tuple[str, ...]:
    """The choices of a case that the numbers of a step depend on."""
    if field == "output":
        return case
    if field in ("masked_scores", "probabilities", "head_outputs", "merged"):
        return case[OF_MASKS]
    if field in BEFORE_RULE:
        return case[OF_WEIGHTS]
    return tuple(case[place] for place in OF_RULE)


def main() -> None:
    """Run all combinations in double precision, and those that are stored in single precision."""
    if torch.__version__.split("+")[0] != TORCH_VERSION:
        raise SystemExit(f"this needs torch {TORCH_VERSION}, found {torch.__version__}")
    warnings.simplefilter("error")
    torch.set_num_threads(1)
    runner, lines, weights = Runner("float64"), {}, None
    for case in cases():
        if weights != (weights := case[OF_WEIGHTS]):
            runner.results.clear()
        lines[case] = runner.run(case)
    chosen = meeting(lines)
    single = Runner("float32")
    for case in chosen:
        if single.run(case) != lines[case]:
            raise SystemExit(f"{case} has other lines in single precision")
    DATA_FILE.write_text(packed({case: lines[case] for case in chosen}), encoding="utf-8")
    for what, count in (runner.counts + single.counts).most_common():
        print(f"{count:8d}  {what}")
    print(f"{len(chosen):8d}  layers whose lines are kept")


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
