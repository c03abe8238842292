"""Plant one bug at a time into a copy of the repository, and run the tests that must catch it:

    python -m scripts.planted_bugs            # all bugs; writes docs/planted-bugs.md
    python -m scripts.planted_bugs softmax    # only bugs that have this in their name

The bugs are in `planted_bugs.toml`. The exit code is 1 if the tests miss one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_suffix(".toml")
REPORT = ROOT / "docs" / "planted-bugs.md"
REPORT_HEAD = """# Planted bugs

A green suite means something only because a wrong product turns it red. Each of these bugs was put
alone into a copy of the repository; the tests in its row then failed. Made by
`python -m scripts.planted_bugs`; the edits are in `scripts/planted_bugs.toml`.

"""
BY_A_PROGRAM = "## Mistakes by a program"  # which is written by hand
# One counterexample is enough; finding the smallest one takes most of the time.
NO_SHRINKING = """

from hypothesis import Phase

settings.register_profile("first", derandomize=True, deadline=None, phases=[Phase.generate])
settings.load_profile("first")
"""
FAILED = 1  # of pytest's exit codes: tests ran, and some failed


class Bug(NamedTuple):
    """One mistake; edits are pairs of (text in the file, text instead)."""

    what: str
    file: str
    tests: str
    edits: list[list[str]]

    def planted(self, text: str) -> str:
        """The text of its file with the bug. Raises: ValueError where a text to replace does not
        stand there once.
        """
        for old, new in self.edits:
            if text.count(old) != 1:
                raise ValueError(f"{self.what}: {self.file} must hold this once: {old!r}")
            text = text.replace(old, new)
        return text


BUGS = tuple(Bug(**bug) for bug in tomllib.loads(LIST.read_text(encoding="utf-8"))["bug"])


@contextmanager
def copied_repository() -> Iterator[Path]:
    """A folder with all files that git knows, removed afterwards."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with tempfile.TemporaryDirectory(prefix="planted-") as name:
        folder = Path(name)
        for file in listed.stdout.splitlines():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, folder / file)
        with (folder / "tests" / "conftest.py").open("a", encoding="utf-8") as settings:
            settings.write(NO_SHRINKING)
        yield folder


def exit_code(folder: Path, tests: str) -> int:
    """That of pytest, on one thread and without bytecode."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", tests]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True).returncode


def is_caught(bug: Bug) -> bool:
    """Whether a test fails with the bug; one that stops the import is no bug."""
    with copied_repository() as folder:
        file = folder / bug.file
        file.write_text(bug.planted(file.read_text(encoding="utf-8")), encoding="utf-8")
        return exit_code(folder, bug.tests) == FAILED


def main() -> int:
    """Plant the wanted bugs, one on each processor at a time, and print which were missed."""
    wanted = [bug for bug in BUGS if all(word in bug.what for word in sys.argv[1:])]
    with copied_repository() as folder:
        for tests in sorted({bug.tests for bug in wanted}):
            if exit_code(folder, tests):
                raise SystemExit(f"without any bug {tests} fails already")
    missed, rows = 0, []
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for bug, caught in zip(wanted, pool.map(is_caught, wanted), strict=True):
            missed += not caught
            rows.append(f"| {bug.what} | `{bug.file}` | {f'`{bug.tests}`' if caught else 'none'} |")
            print("caught" if caught else "MISSED", bug.what, bug.tests, sep="  ", flush=True)
    print(said := f"{len(wanted) - missed} of {len(wanted)} caught")
    if len(wanted) == len(BUGS):
        table = ["| bug | in | caught by |", "|---|---|---|", *rows]
        _, mark, by_a_program = REPORT.read_text(encoding="utf-8").partition(BY_A_PROGRAM)
        found = f"{REPORT_HEAD}{said}.\n\n" + "\n".join(table) + "\n"
        REPORT.write_text(f"{found}\n{mark}{by_a_program}", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
