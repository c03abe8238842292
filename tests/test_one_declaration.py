"""What hangs on a step of the layer hangs on its declaration: no other place lists the steps."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from attention_core import STEPS

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("attention_core", "attention_lab", "attention_viz", "attention_ui", "pages")
DECLARATION = "attention_core/steps_before_heads.py"  # and two more files, with few steps each
# Lists with facts of their own about some steps, which may leave out any: whoever adds a step
# reads them (docs/architecture.md).
ALLOWED_LISTS = {
    "attention_lab/notation/elsewhere.py": "what other tools call a step",
    "attention_lab/practice.py": "the steps that a hand can work out",
}
TEXTS = "attention_lab/notation/texts/"  # what a text calls a step
# A list of fewer names is a choice.
MIN_LISTED_STEPS = 7


def names_in(node: ast.AST) -> set[str]:
    """The steps that one literal, call, record or module lists by hand."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        listed = [one.value for one in node.elts if isinstance(one, ast.Constant)]
    elif isinstance(node, ast.Dict):
        listed = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    elif isinstance(node, ast.Call):
        listed = [keyword.arg for keyword in node.keywords]
    elif isinstance(node, ast.ClassDef):
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
        listed = [one.target.id for one in fields if isinstance(one.target, ast.Name)]
    elif isinstance(node, ast.Module):
        listed = [one.name for one in node.body if isinstance(one, ast.FunctionDef)]
    else:
        return set()
    return {name for name in listed if isinstance(name, str)} & set(STEPS)


def lists_of_steps(source: str) -> int:
    """How many lists of steps a module holds."""
    return sum(len(names_in(node)) >= MIN_LISTED_STEPS for node in ast.walk(ast.parse(source)))


def test_the_steps_are_listed_once() -> None:
    found = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if lists_of_steps(path.read_text(encoding="utf-8"))
    }
    assert {name for name in found if not name.startswith(TEXTS)} == {DECLARATION, *ALLOWED_LISTS}


@pytest.mark.parametrize(
    "form",
    [
        "[{quoted}]",
        "({quoted})",
        "{{{pairs}}}",
        "f({keywords})",
        "class C:\n{fields}",
        "{functions}",
    ],
)
def test_every_form_of_a_list_is_seen(form: str) -> None:
    names = list(STEPS)[:MIN_LISTED_STEPS]
    source = form.format(
        quoted=", ".join(f"'{name}'" for name in names),
        pairs=", ".join(f"'{name}': 1" for name in names),
        keywords=", ".join(f"{name}=1" for name in names),
        fields="\n".join(f"    {name}: int" for name in names),
        functions="\n".join(f"def {name}(): ..." for name in names),
    )
    assert lists_of_steps(source) == 1


@pytest.mark.parametrize("name", STEPS)
def test_a_step_has_all_that_hangs_on_it(name: str) -> None:
    step = STEPS[name]
    assert step.formula
    assert step.sentence
    assert f"{name} = " in step.numpy
    assert f"{name} = " in step.torch
    assert callable(step.rule)
    assert callable(step.magnitude)
    assert callable(step.backward)
    assert step.gradients or name in ("inputs", "memory")
