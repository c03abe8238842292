"""The launcher settles what kind of app this is before Streamlit starts; the names of Streamlit
that it needs are still what they were.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import bootstrap, cli

from attention_ui import launch

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("from_command_line", [True, False])
def test_streamlit_gets_the_app_and_the_options(
    monkeypatch: pytest.MonkeyPatch, from_command_line: bool
) -> None:
    """Streamlit's own command is called with app.py and the options, and knows by then that the
    folder `pages/` is none of its older kind.
    """
    started: list[tuple[str, object, list[str], bool | None]] = []

    def run(path: str, is_hello: bool, args: list[str], flags: dict[str, object]) -> None:
        port = flags["server_port"]
        started.append((path, port, list(args), PagesManager.uses_pages_directory))

    options = ["--server.port", "8600", "--", "more"]
    monkeypatch.setattr(bootstrap, "run", run)
    monkeypatch.setattr(bootstrap, "load_config_options", lambda flag_options: None)
    monkeypatch.setattr(config, "_main_script_path", None)
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    monkeypatch.setattr(sys, "argv", ["launch", *(options if from_command_line else [])])
    with pytest.raises(SystemExit) as end:
        launch.main(None if from_command_line else options)
    assert end.value.code == 0
    assert started == [(str(ROOT / "app.py"), 8600, ["more"], False)]


def test_streamlit_asks_for_the_folder_only_where_nothing_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Left alone, Streamlit takes the app for its older kind; what the launcher sets it keeps. If
    this fails, look whether the launcher still works, or is still needed.
    """
    for before, after in ((None, True), (False, False)):
        monkeypatch.setattr(PagesManager, "uses_pages_directory", before)
        PagesManager(str(launch.APP))
        assert PagesManager.uses_pages_directory is after


def test_the_command_streamlit_calls_the_same_function() -> None:
    """`streamlit` on the command line is `streamlit.web.cli.main`."""
    (command,) = entry_points(group="console_scripts", name="streamlit")
    assert command.load() is cli.main


def test_the_launcher_loads_no_numpy() -> None:
    """app.py sets how many threads NumPy has, which is too late once it is loaded."""
    code = "import sys, attention_ui.launch; print('numpy' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["False"]


def test_make_run_starts_the_launcher() -> None:
    """`make run` passes its ARGS on to the launcher."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\t$(BIN)/python -m attention_ui.launch $(ARGS)\n" in makefile
