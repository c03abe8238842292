"""Make the API reference: the names at the roots of the packages, from their docstrings.

`make docs` runs it for build/docs; open index.html there.
"""

import sys
from pathlib import Path

import numpy as np
import pdoc

import attention_core
import attention_lab
import attention_viz
from attention_lab.trained.model_run import LanguageModelRun

PACKAGES = (attention_core, attention_lab, attention_viz)


class ArrayLike:
    """Stands for NumPy's type, which would be written out in twelve lines."""

    __module__ = "numpy.typing"


class LiveBoard:
    """Stands for the widget, which needs anywidget."""

    __module__ = "attention_viz.widget"


def prepare() -> None:
    """Make names short, and known where pdoc looks for them."""
    for name in attention_lab.__all__:  # pdoc does not ask for what is loaded late
        setattr(attention_lab, name, getattr(attention_lab, name))
    attention_core.steps.Trace = attention_core.Trace  # which a step can only name
    attention_viz.notebook.LiveBoard = LiveBoard
    attention_viz.notebook.LanguageModelRun = LanguageModelRun
    for name, module in list(sys.modules.items()):
        if name.startswith("attention_"):
            for short, kind in (("ArrayLike", ArrayLike), ("Array", np.ndarray)):
                if hasattr(module, short):
                    setattr(module, short, kind)


def write(folder: Path) -> None:
    """Write one page for each package, and a first page."""
    prepare()
    footer = f"Version {attention_core.__version__}"
    pdoc.render.configure(show_source=False, footer_text=footer)
    pdoc.pdoc(*(package.__name__ for package in PACKAGES), output_directory=folder)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
