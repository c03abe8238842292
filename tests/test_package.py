"""What is installed and what is loaded: the engine with NumPy alone, the app with its weights, one
version.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from attention_core import __version__
from attention_ui import command
from tests.test_configuration import pins

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WEIGHTS = tomllib.loads((ROOT / "weights" / "pyproject.toml").read_text(encoding="utf-8"))
# The modules that need pandas, and the one that needs anywidget.
NEED_MORE = ("figure_table", "tables", "widget")
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]


def test_the_engine_needs_numpy_alone() -> None:
    assert [Requirement(one).name for one in PROJECT["project"]["dependencies"]] == ["numpy"]


def test_the_app_needs_what_requirements_say_and_minilm_is_an_extra() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    weights = f"{WEIGHTS['project']['name']}=={WEIGHTS['project']['version']}"
    own = f"{PROJECT['project']['name']}[notebook]"
    asked = [line for line in pins("requirements.txt") if not line.startswith("numpy=")]
    given = extras["app"] + extras["notebook"]
    assert {*map(Requirement, given)} == {*map(Requirement, [*asked, own])}
    assert extras["minilm"] == [weights]


def test_a_wheel_holds_every_asset_but_the_weights() -> None:
    inside = WHEEL["force-include"]
    assert all((ROOT / source).exists() for source in inside)
    assets = {path.name for path in (ROOT / "assets").iterdir()} - {"minilm"}
    assert {source.removeprefix("assets/") for source in inside if "assets" in source} == assets
    assert set(WHEEL["packages"]) == {
        path.parent.name for path in ROOT.glob("attention_*/py.typed")
    }


def test_the_version_stands_in_the_changelog_and_the_citation() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(\d[^]]*)\]", changes, re.M)[0] == __version__
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_command_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    assert command.main() == 1
    assert "[app]" in capsys.readouterr().err


@pytest.mark.every_situation
def test_an_installed_engine_needs_neither_app_nor_tables(tmp_path: Path) -> None:
    python = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    code = (
        "import sys, attention_core, attention_viz, attention_lab.trained.attention_maps as maps\n"
        "assert not {'streamlit', 'pandas', 'plotly'} & {*sys.modules}\n"
        "page = attention_viz.head_view([[[[0.5, 0.5], [0.0, 1.0]]]]).page\n"
        "assert 'env' in attention_core.__file__ and len(page) > 10_000\n"
    )
    for arguments in (
        [sys.executable, "-m", "venv", str(tmp_path / "env")],
        [str(python), "-m", "pip", "install", "--quiet", str(ROOT)],
        [str(python), "-c", code],
    ):
        subprocess.run(arguments, cwd=tmp_path, check=True)


def printed_by(code: str) -> list[str]:
    """The words that a new Python prints."""
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return run.stdout.split()


def test_the_engine_loads_numpy_alone() -> None:
    code = (
        "import sys, numpy.random, numpy.linalg; before = {m.split('.')[0] for m in sys.modules}\n"
        "import attention_core, pkgutil, importlib\n"
        "for module in pkgutil.iter_modules(attention_core.__path__, 'attention_core.'):\n"
        "    importlib.import_module(module.name)\n"
        "print(*{m.split('.')[0] for m in sys.modules} - before - set(sys.stdlib_module_names))"
    )
    assert printed_by(code) == ["attention_core"]


def test_the_roots_load_nothing_until_a_name_is_asked_for() -> None:
    code = (
        "import sys, numpy, attention_lab\n"
        "print(*sorted(m for m in sys.modules if m.startswith('attention')))\n"
        "assert attention_lab.ablated_output and 'tokenize' in dir(attention_lab)"
    )
    assert printed_by(code) == ["attention_lab"]


def test_pictures_need_neither_pandas_nor_plotly_nor_streamlit() -> None:
    # Tables alone need pandas; a browser that runs the rest has NumPy and no more.
    code = (
        "import sys, pkgutil, importlib\n"
        "sys.modules.update(dict.fromkeys(('pandas', 'plotly', 'streamlit', 'anywidget')))\n"
        "import attention_lab, attention_viz\n"
        "for package in (attention_lab, attention_viz):\n"
        "    for one in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        try: importlib.import_module(one.name)\n"
        "        except ImportError: print(one.name)\n"
        "from attention_lab.page_list import page_row\n"
        "from attention_viz.story.stages import stage_of\n"
        "from attention_viz.story.story_view import StoryView\n"
        "for page in page_row('story').lecture:\n"
        "    assert stage_of(StoryView(), page.url_path)['stage']\n"
    )
    assert printed_by(code) == [f"attention_viz.{name}" for name in NEED_MORE]
