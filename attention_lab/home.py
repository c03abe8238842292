"""Where the files lie that are not Python: the pages and the assets, in a checkout or installed."""

import csv
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
INSTALLED = PACKAGE / "app"  # pyproject.toml puts the files there in a wheel
HOME = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent
ASSETS = HOME / "assets"
WEIGHTS_PACKAGE = "attention_minilm"  # a distribution of its own, for it is 43 MB


def weights_folder() -> Path:
    """The folder of the trained weights: that of a checkout, else that of the distribution."""
    folder = ASSETS / "minilm"
    if not folder.is_dir() and (spec := find_spec(WEIGHTS_PACKAGE)) is not None and spec.origin:
        return Path(spec.origin).parent
    return folder


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file in `assets/data/`, as dictionaries by the names of its first line."""
    with (ASSETS / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
