"""Let a program plant mistakes in a part of the product, and run the tests that touch the line:

    make mutants ARGS="attention_viz/trained --count 40 --seed 1"

cosmic-ray makes the mistakes in Python; those in JavaScript are in a list below. Each is planted
alone, into a copy of the repository. One that no test fails for is printed with its line: a test is
missing, or the line changes nothing. `docs/planted-bugs.md` has the last figures.
"""

import argparse
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from scripts.planted_bugs import ROOT, copied_repository

PACKAGES = str(ROOT / ".venv" / "mutants")  # where `make mutants` installs them
sys.path.append(PACKAGES)  # at the end: another version of what the product uses is not taken
COVERAGE = f"""import sys
sys.path.append({PACKAGES!r})
from coverage.cmdline import main
sys.exit(main())"""
WORK = ROOT / "build" / "mutants"
TESTED_BY = ("tests/core", "tests/lab", "tests/viz", "tests/ui")
SCRIPTS_TESTED_BY = ("tests/browser/test_javascript.py", "tests/browser/test_story_file.py")
NO_TESTS = (4, 5)  # of pytest's exit codes: a test that is named is not there, or none is
S_AT_MOST = 600  # for the tests of one mistake; one that never ends is seen, too
# What is no arithmetic, comparison, number or order: decorators, kinds of errors, unions of types.
NO_MISTAKES = re.compile("Decorator|Exception|BitOr|BitAnd|BitXor|Shift|Iteration")
EXCHANGED = (
    *((" < ", " <= "), (" > ", " >= "), (" + ", " - "), (" && ", " || "), (" === ", " !== ")),
    *(("Math.max(", "Math.min("), ("true", "false")),
)
JAVASCRIPT = (*EXCHANGED, *((there, here) for here, there in EXCHANGED), (" + 1", ""), (" - 1", ""))


class Mutant(NamedTuple):
    """A mistake: its file, line and kind, and what makes the text of the file with it."""

    file: str
    line: int
    kind: str
    text: Callable[[], str | None]


def python_mutants(file: str) -> Iterator[Mutant]:
    """The mistakes that cosmic-ray makes in a file."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    source = (ROOT / file).read_text(encoding="utf-8")
    nodes = [*ast_nodes(get_ast(source))]
    for name in operator_names():
        kind = get_operator(name)
        if kind.arguments() or NO_MISTAKES.search(name):
            continue
        places = [start for node in nodes for start, _ in kind().mutation_positions(node)]
        for which, (line, _) in enumerate(places):
            text = partial(mutate_code, source, kind(), which)
            yield Mutant(file, line, name.rpartition("/")[2], text)


def script_mutants(file: str) -> Iterator[Mutant]:
    """The mistakes of the list in a file of JavaScript, but for its comments."""
    source = (ROOT / file).read_text(encoding="utf-8")
    for old, new in JAVASCRIPT:
        for found in re.finditer(re.escape(old), source):
            before = source[: found.start()]
            written = before.rpartition("\n")[2].lstrip()
            if not written.startswith(("//", "*", "/*")) and "//" not in written:
                text = partial("".join, (before, new, source[found.end() :]))
                yield Mutant(file, before.count("\n") + 1, f"{old!r} is {new!r}", text)


def chosen(part: str, count: int, seed: int) -> list[Mutant]:
    """A draw of mistakes from a file or a folder, the same for the same seed."""
    listed = subprocess.run(
        ["git", "ls-files", part], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    makers = {".py": python_mutants, ".js": script_mutants}
    files = [file for file in listed if Path(file).suffix in makers]
    found = [one for file in files for one in makers[Path(file).suffix](file)]
    return random.Random(seed).sample(found, min(count, len(found)))


def touched(part: str, tests: Iterable[str]) -> Mapping[str, Mapping[int, list[str]]]:
    """For each file of a part the tests that ran each of its lines. Runs the tests once."""
    from coverage import CoverageData

    WORK.mkdir(parents=True, exist_ok=True)
    settings, data = WORK / "coveragerc", WORK / "coverage"
    measured = ROOT / part / "**" if (ROOT / part).is_dir() else ROOT / part
    settings.write_text(f"[run]\ninclude = {measured}\n")
    data.unlink(missing_ok=True)
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not browser"]
    run = [sys.executable, "-c", COVERAGE, "run", f"--rcfile={settings}", f"--data-file={data}"]
    if subprocess.run([*run, *pytest, "-p", "scripts.mutants", *tests], cwd=ROOT).returncode:
        raise SystemExit("without any mistake a test fails already")
    kept = CoverageData(str(data))
    kept.read()
    return {
        str(Path(file).relative_to(ROOT)): kept.contexts_by_lineno(file)
        for file in kept.measured_files()
    }


def pytest_runtest_logstart(nodeid: str) -> None:
    """As a plugin of pytest: what runs from now on is run by this test, in any thread."""
    from coverage import Coverage

    if measuring := Coverage.current():
        measuring.switch_context(nodeid.partition("[")[0])


def tests_of(mutant: Mutant, lines: Mapping[int, list[str]], every: Iterable[str]) -> list[str]:
    """The tests that touch a line; of one that runs at an import those that touch its file."""
    if mutant.file.endswith(".js"):
        return [*SCRIPTS_TESTED_BY]
    named = {name for name in lines.get(mutant.line, []) if name}
    named = named or {name for found in lines.values() for name in found if name}
    doctests = [mutant.file] if ">>>" in (ROOT / mutant.file).read_text(encoding="utf-8") else []
    return [*doctests, *(sorted(named) or every)]


def is_caught(mutant: Mutant, tests: Iterable[str]) -> bool:
    """Whether a test fails, or none can be run, or they do not end."""
    about = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    with copied_repository() as folder:
        (folder / mutant.file).write_text(str(mutant.text()), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        try:
            done = subprocess.run(
                command, cwd=folder, env=about, capture_output=True, timeout=S_AT_MOST
            )
        except subprocess.TimeoutExpired:
            return True
    if done.returncode in NO_TESTS:
        raise RuntimeError(f"no test was run: {done.stdout.decode()[-2000:]}")
    return done.returncode != 0


def main() -> int:
    """Plant the mistakes one by one, and print what was missed; gives 0, for it is no gate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", help="a file or a folder, such as attention_viz/trained")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="*", default=TESTED_BY, help="to choose from")
    asked = parser.parse_args()
    mutants = chosen(asked.part, asked.count, asked.seed)
    python = any(one.file.endswith(".py") for one in mutants)
    lines = touched(asked.part, asked.tests) if python else {}
    missed = 0
    for mutant in mutants:
        caught = is_caught(mutant, tests_of(mutant, lines.get(mutant.file, {}), asked.tests))
        missed += not caught
        place = f"{mutant.file}:{mutant.line}"
        print("caught" if caught else "MISSED", place, mutant.kind, sep="  ", flush=True)
    print(f"{len(mutants) - missed} of {len(mutants)} caught in {asked.part}, seed {asked.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
