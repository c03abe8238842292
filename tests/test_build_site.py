"""The builder of the static site takes NumPy's wheel only with the sum of Pyodide's list."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from attention_lab.page_list import OLD_URLS
from attention_viz.site import answer
from scripts import build_site
from scripts.build_site import PYODIDE_FILES, BuildError, archive, build

WHEEL = "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"


@pytest.fixture
def distribution(tmp_path: Path) -> Path:
    """A folder as a full Pyodide distribution has it, with a wheel that holds a licence alone."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    for name in PYODIDE_FILES:
        (folder / name).write_bytes(b"part")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr("numpy-2.0.2.dist-info/LICENSE.txt", "BSD")
    (folder / WHEEL).write_bytes(packed.getvalue())
    listed = {"file_name": WHEEL, "sha256": hashlib.sha256(packed.getvalue()).hexdigest()}
    lock = json.dumps({"packages": {"numpy": listed}})
    (folder / "pyodide-lock.json").write_text(lock, encoding="utf-8")
    return folder


def test_a_site_holds_its_parts_and_their_licences(distribution: Path, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    build(folder, distribution, with_model=True)
    about = json.loads((folder / "parts.json").read_text(encoding="utf-8"))
    total, model = about["total"], [*(folder / "model").iterdir()]
    assert about["model"] == sum(file.stat().st_size for file in model)
    assert 1e6 < about["languageModel"] < 1.2e6
    assert {one["file"] for one in about["lessons"]} == {
        f"lessons/{file.name}" for file in (folder / "lessons").iterdir()
    }
    loaded = [*(folder / "pyodide").iterdir(), folder / "engine.zip"]
    assert total == sum(file.stat().st_size for file in loaded)
    licences = {file.name for file in (folder / "licences").iterdir()}
    assert {"MPL-2.0.txt", "NUMPY-LICENSE.txt", "ORIGINS.txt", "ATTENTION_LAB.txt"} <= licences
    first = json.loads((folder / "first" / "overview.json").read_text(encoding="utf-8"))
    assert first["scene"]["arrays"]
    outside = [
        file.name
        for file in folder.glob("*.*")
        if file.suffix in (".html", ".js", ".css") and "://" in file.read_text(encoding="utf-8")
    ]
    assert outside == []
    for path, page in OLD_URLS.items():
        moved = (folder / path / "index.html").read_text(encoding="utf-8")
        assert f'"#{path}"' in moved
        assert json.loads(answer(json.dumps({"path": path, "query": ""})))["path"] == page
    assert f'href="../#{path}"' in moved


@pytest.mark.parametrize("change", ["tampered", "missing", "no list"])
def test_a_wheel_that_is_not_the_listed_one_is_refused(
    distribution: Path, tmp_path: Path, change: str
) -> None:
    if change == "tampered":
        with (distribution / WHEEL).open("ab") as wheel:
            wheel.write(b"!")
    else:
        (distribution / {"missing": WHEEL, "no list": "pyodide-lock.json"}[change]).unlink()
    with pytest.raises(BuildError, match="sum" if change == "tampered" else "distribution"):
        build(tmp_path / "site", distribution)
    assert not (tmp_path / "site").exists()


def test_a_package_of_npm_with_another_sum_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_site, "CACHE", tmp_path)
    file = tmp_path / f"pyodide-{build_site.PYODIDE_VERSION}.tgz"
    file.write_bytes(b"another")
    with pytest.raises(BuildError, match="sum"):
        build(tmp_path / "site")
    assert not file.exists()


RUN = """
import sys
class Refuse:
    def find_spec(self, name, *_):
        if name.split(".")[0] in ("streamlit", "pandas", "plotly", "segno", "attention_ui"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
sys.path.insert(0, sys.argv[1])
from attention_viz.site import answer
for path in ("scores", "training"):
    print(answer(f'{{"path": "{path}", "query": "n_heads=2"}}')[:9], answer.__code__.co_filename)
"""


def test_the_archive_alone_answers(tmp_path: Path) -> None:
    assert archive() == archive()
    with zipfile.ZipFile(io.BytesIO(archive())) as packed:
        packed.extractall(tmp_path)
    command = [sys.executable, "-P", "-c", RUN, str(tmp_path)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.count("{") == 2
    assert "error" not in run.stdout
    assert str(tmp_path) in run.stdout
