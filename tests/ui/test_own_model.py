"""A server whose operator has allowed models from folders, and the command that names them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attention_lab.trained.allowed_models import VARIABLE
from attention_ui import command
from tests.lab.trained.small_folders import config_of, write_folder
from tests.lab.trained.test_open_model import arrays_of, stories_folder

PAGES = Path(__file__).with_name("own_model_pages.py")


def test_the_pages_of_models_from_folders(tmp_path: Path) -> None:
    folders = [stories_folder(tmp_path / "twin")]
    folders += [
        write_folder(tmp_path / place / "gpt2", config_of("gpt2"), arrays_of("gpt2"))
        for place in ("a", "b")
    ]
    paths = os.pathsep.join(map(str, (*folders, tmp_path / "missing")))
    options = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(PAGES)],
        env=os.environ | {VARIABLE: paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]


def test_the_command_allows_folders_and_refuses_what_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, words: started.append(words))
    monkeypatch.setenv(VARIABLE, "/before")
    folder = write_folder(tmp_path / "gpt2", config_of("gpt2"), arrays_of("gpt2"))
    monkeypatch.chdir(tmp_path)
    port = ["--server.port", "8600"]
    monkeypatch.setattr(sys, "argv", ["attention-lab", "--model", "gpt2", *port])
    command.main()
    assert started[0][-2:] == port
    assert "--model" not in started[0]
    assert os.environ[VARIABLE] == os.pathsep.join(["/before", str(folder)])
    monkeypatch.setattr(sys, "argv", ["attention-lab", "--model", str(tmp_path)])
    assert command.main() == 1
    assert "config.json" in capsys.readouterr().err
    assert len(started) == 1
