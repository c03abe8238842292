"""Starts the app as `streamlit run app.py` does, but with no false "Page not found" box.

    python -m attention_ui.launch [options of streamlit run]

A folder `pages/` stands beside app.py, so Streamlit takes the app for one of its older kind until
app.py has called `st.navigation` once. The first visitor of a fresh server who comes by the
address of a page is told that there is none. Streamlit looks for the folder only where
`PagesManager.uses_pages_directory` is still None; here it is set before the server starts.

Two names of Streamlit are not public, and `tests/ui/test_launch.py` fails when they change:
`streamlit.runtime.pages_manager.PagesManager.uses_pages_directory`, and
`streamlit.web.cli.main`, which the command `streamlit` calls, too. Nothing here may load NumPy:
app.py sets before that how many threads it has.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli

APP = Path(__file__).resolve().parent.parent / "app.py"


def main(argv: Sequence[str] | None = None) -> None:
    """Run the app with these options of `streamlit run`, by default those of the command line;
    ends the process as Streamlit does.
    """
    options = sys.argv[1:] if argv is None else argv
    PagesManager.uses_pages_directory = False
    cli.main(["run", str(APP), *options], prog_name="streamlit")


if __name__ == "__main__":
    main()
