"""Lint, types, words and tests on every system: `python scripts/check.py lint`, or `test` with
arguments for pytest.

The Makefile calls it. Without make, any Python from 3.11 on starts it: it first makes the
environment in .venv and installs what the tests need.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv" / ("Scripts" if os.name == "nt" else "bin")
PYTHON = FOLDER / ("python.exe" if os.name == "nt" else "python")
# Where sentences stand. The checks that are off in .proselintrc.json: straight quotes of code,
# lines of tables and CSV that begin alike, "color" of CSS, "sans-serif" of CSS, names with "-ly",
# ranges of numbers.
PROSE = ("*.md", "pages/*.py", "attention_*/*.py", "assets/data/*.csv", "assets/data/*.json")
FILES_AT_ONCE = 200  # a command of Windows has 32,767 characters at most
# The processes share one app and one Chromium: scripts/shared.py.
PARALLEL = ("--numprocesses", "auto", "--maxprocesses", "4", "--dist", "worksteal")


def main() -> int:
    """Run what the command line names; gives the exit code, which is 0 if all is well."""
    task, *arguments = sys.argv[1:] or ["test"]
    if task not in ("lint", "test"):
        print(__doc__)
        return 2
    if Path(sys.executable).parent.absolute() != FOLDER:
        _make_environment()
        return subprocess.call([PYTHON, __file__, task, *arguments], cwd=ROOT)
    return _lint() or (_test(arguments) if task == "test" else 0)


def _make_environment() -> None:
    if not PYTHON.exists():
        venv.create(ROOT / ".venv", with_pip=True)
    install = ["-m", "pip", "install", "--quiet", "-r", "requirements-dev.lock"]
    subprocess.run([PYTHON, *install], cwd=ROOT, check=True)


def _lint() -> int:
    """Types, beside style and words, which take about as long."""
    types = subprocess.Popen([PYTHON, "-m", "mypy"], cwd=ROOT)
    listed = subprocess.run(
        ["git", "ls-files", *PROSE], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    prose = [FOLDER / "proselint", "--config", ".proselintrc.json", "check"]
    commands = [
        [PYTHON, "-m", "ruff", "check", "."],
        [PYTHON, "-m", "ruff", "format", "--check", "."],
        [FOLDER / "codespell", "."],
        *(
            [*prose, *listed[start : start + FILES_AT_ONCE]]
            for start in range(0, len(listed), FILES_AT_ONCE)
        ),
    ]
    return max([*(subprocess.call(one, cwd=ROOT) for one in commands), types.wait()])


def _test(arguments: list[str]) -> int:
    chromium = subprocess.run(
        [PYTHON, "scripts/find_chromium.py"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    if chromium.returncode and "not browser" not in arguments:
        return chromium.returncode
    about = os.environ | {"CHROMIUM": chromium.stdout.strip()}
    # Else each process compiles all modules again: 15 s of the processor in each.
    about.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.call([PYTHON, "-m", "pytest", *PARALLEL, *arguments], cwd=ROOT, env=about)


if __name__ == "__main__":
    sys.exit(main())
