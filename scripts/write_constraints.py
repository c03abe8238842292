"""Write constraints.txt: the version of every package that requirements.txt needs indirectly.

Run it in an environment in which the tests pass, after a change of requirements.txt. Nothing is
downloaded: the versions are those installed.
"""

from __future__ import annotations

from importlib.metadata import requires, version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
FIRST_LINE = (
    "# What requirements.txt brings along, as tested; written by scripts/write_constraints.py."
)


def required() -> list[Requirement]:
    """The packages of requirements.txt."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip() and line[0] not in "#-"]


def brought_along() -> dict[str, str]:
    """The indirectly needed packages with their installed versions."""
    waiting, seen = required(), set[str]()
    own = {canonicalize_name(package.name) for package in waiting}
    while waiting:
        package = waiting.pop()
        name = canonicalize_name(package.name)
        if not _counts(package) or (key := name + str(sorted(package.extras))) in seen:
            continue
        seen.add(key)
        for line in requires(name) or ():
            needed = Requirement(line)
            if any(_counts(needed, extra) for extra in ("", *package.extras)):
                needed.marker = None
                waiting.append(needed)
    names = {key.split("[")[0] for key in seen}
    return {name: version(name) for name in sorted(names - own)}


def _counts(package: Requirement, extra: str = "") -> bool:
    """Whether a package is needed on this system, for this extra."""
    return package.marker is None or package.marker.evaluate({"extra": extra})


def text() -> str:
    """The file as it should be on this system."""
    return "\n".join([FIRST_LINE, *(f"{name}=={v}" for name, v in brought_along().items())]) + "\n"


if __name__ == "__main__":
    (ROOT / "constraints.txt").write_text(text(), encoding="utf-8")
