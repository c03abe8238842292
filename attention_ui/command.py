"""The command `attention-lab`: starts the app that is installed."""

import os
import subprocess
import sys
from importlib.util import find_spec

from attention_lab.home import HOME, weights_folder

MISSING = (
    "The app needs more than the engine: install it with its extra [app], as the README says.\n"
)


def main() -> int:
    """Start the app with the arguments of the command line, which are those of `streamlit run`."""
    if find_spec("streamlit") is None or not weights_folder().is_dir():
        sys.stderr.write(MISSING)
        return 1
    command = [sys.executable, "-m", "streamlit", "run", str(HOME / "app.py"), *sys.argv[1:]]
    if os.name == "nt":  # where a process cannot become another one
        return subprocess.call(command)
    os.execv(sys.executable, command)
