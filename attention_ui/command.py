"""The command `attention-lab`: starts the app that is installed."""

import os
import subprocess
import sys
from argparse import ArgumentParser
from importlib.util import find_spec

from attention_core.errors import FileError
from attention_lab.files.model_folder import ModelFolder
from attention_lab.home import HOME, weights_folder
from attention_lab.trained.allowed_models import VARIABLE
from attention_lab.trained.model_config import model_config

MISSING = (
    "The app needs more than the engine: install it with its extra [app], as the README says.\n"
)


def main() -> int:
    """Start the app. Every `--model FOLDER` allows a model of your own; the other arguments of the
    command line are those of `streamlit run`.
    """
    if find_spec("streamlit") is None or not weights_folder().is_dir():
        sys.stderr.write(MISSING)
        return 1
    options = ArgumentParser(add_help=False, allow_abbrev=False)
    options.add_argument("--model", action="append", default=[])
    chosen, others = options.parse_known_args()
    try:
        for folder in chosen.model:
            model_config(ModelFolder(folder).config())
    except FileError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    before = filter(None, [os.environ.get(VARIABLE)])
    folders = os.pathsep.join([*before, *map(os.path.abspath, chosen.model)])
    os.environ[VARIABLE] = folders
    command = [sys.executable, "-m", "streamlit", "run", str(HOME / "app.py"), *others]
    if os.name == "nt":  # where a process cannot become another one
        return subprocess.call(command)
    os.execv(sys.executable, command)


if __name__ == "__main__":
    raise SystemExit(main())
