"""Put one bug at a time into a copy of the engine, and note which of its tests catch the bug. Run
by hand:

    python scripts/plant_bugs.py            # all bugs; writes docs/planted-bugs.md
    python scripts/plant_bugs.py softmax    # only bugs that have this in their name; writes nothing

The exit code is 1 if all of them miss a bug.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from planted_bugs import BUGS, Bug

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "docs" / "planted-bugs.md"
COPIED = ("attention_core", "tests/core", "tests/data", "pyproject.toml")
# The tests of the engine itself. Tests of what is built on it would fail too, but would say less
# about where the bug is.
TEST_FILES = [
    f"test_{name}.py"
    for name in (
        "bias_properties",
        "edge_cases",
        "errors",
        "fast_heads",
        "large_numbers",
        "layer_properties",
        "mask_properties",
        "numpy_code",
        "onnx_cases",
        "properties",
        "reference_loops",
        "torch_golden",
        "trace",
        "weight_errors",
        "weight_properties",
        "worked_examples",
    )
]
MAX_RUN_SECONDS = 1200

# One counterexample is enough; finding the smallest one takes most of the time.
SETTINGS = """
from hypothesis import Phase, settings

settings.register_profile("first", derandomize=True, deadline=None, phases=[Phase.generate])
settings.load_profile("first")
"""

REPORT_HEAD = """# Planted bugs

Each bug was put alone into a copy of `attention_core`; the tests of the engine that then failed are
marked. A green suite means something only because a wrong engine turns it red. Made by
`python scripts/plant_bugs.py`; the edits are in `scripts/planted_bugs.toml`.

"""


@contextmanager
def copy_of_engine() -> Iterator[Path]:
    """A folder with the engine and its tests, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        for name in COPIED:
            source, target = ROOT / name, Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        (Path(folder) / "tests" / "conftest.py").write_text(SETTINGS, encoding="utf-8")
        yield Path(folder)


def plant(bug: Bug, folder: Path) -> None:
    """Make the edits of a bug; each text must occur exactly once."""
    file = folder / "attention_core" / bug.file
    text = file.read_text(encoding="utf-8")
    for old, new in bug.edits:
        if text.count(old) != 1:
            raise SystemExit(
                f"{bug.what}: {bug.file} must hold this once, not {text.count(old)} times: {old!r}"
            )
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in the folder, on one thread and without bytecode."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=MAX_RUN_SECONDS,
        check=False,
    )


def failing_files(folder: Path) -> list[str]:
    """The test files with a failure. The engine must still import: a bug that stops it tests
    nothing.
    """
    if run(folder, "-c", "import attention_core").returncode:
        raise SystemExit(f"the engine in {folder} does not import")
    pytest = (
        "-m",
        "pytest",
        "-q",
        "-rfE",
        "--tb=no",
        "--continue-on-collection-errors",
        "-p",
        "no:cacheprovider",
    )
    done = run(folder, *pytest, *(f"tests/core/{name}" for name in TEST_FILES))
    if done.returncode not in (0, 1):
        raise SystemExit(f"pytest did not finish: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return sorted(
        set(re.findall(r"^(?:FAILED|ERROR) tests/core/(test_\w+\.py)", done.stdout, re.MULTILINE))
    )


def caught_by(bug: Bug | None) -> list[str]:
    """The test files that fail with a bug, or in the engine as it is."""
    with copy_of_engine() as folder:
        if bug:
            plant(bug, folder)
        return failing_files(folder)


def report(results: dict[Bug, list[str]]) -> str:
    """One row per bug, one column per test file that catches any."""
    columns = [file for file in TEST_FILES if any(file in files for files in results.values())]
    names = [file.removeprefix("test_").removesuffix(".py").replace("_", " ") for file in columns]
    lines = [
        f"{sum(map(bool, results.values()))} of {len(results)} caught.",
        "",
        f"| bug | in | {' | '.join(names)} |",
        "|---|---|" + ":-:|" * len(names),
    ]
    for bug, files in results.items():
        marks = " | ".join("×" if file in files else " " for file in columns)
        lines.append(f"| {bug.what} | {bug.file} | {marks} |")
    totals = (str(sum(file in files for files in results.values())) for file in columns)
    return REPORT_HEAD + "\n".join([*lines, f"| **caught** | | {' | '.join(totals)} |"]) + "\n"


def main() -> int:
    """Plant the wanted bugs, one on each processor at a time, and print which were missed."""
    wanted = [bug for bug in BUGS if all(word in bug.what for word in sys.argv[1:])]
    if failing := caught_by(None):
        raise SystemExit(f"without any bug these fail already: {', '.join(failing)}")
    results: dict[Bug, list[str]] = {}
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for bug, files in zip(wanted, pool.map(caught_by, wanted), strict=True):
            results[bug] = files
            print(f"{'caught' if files else 'MISSED'}  {bug.what}: {', '.join(files)}", flush=True)
    missed = [bug.what for bug, files in results.items() if not files]
    print(f"{len(results) - len(missed)} of {len(results)} caught")
    if len(wanted) == len(BUGS):
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(report(results), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
