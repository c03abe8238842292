"""Routes of our own in Streamlit's server, for what must not wait for a script.

Streamlit takes routes only from an app of its class `st.App`, which is started in another way than
`streamlit run app.py` starts ours (no browser opens, options differ). Its server is a Starlette
application, to which routes can be added while it runs; Streamlit keeps no name for it, so it is
looked for among the objects of the process, once. `tests/ui/test_server_routes.py` fails when
Streamlit's server is no longer one.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from threading import Lock

from starlette.applications import Starlette
from starlette.routing import Route
from streamlit import config
from streamlit.runtime import exists

HEALTH = "_stcore/health"  # a route by which Streamlit's own server is known
_lock = Lock()
_asked: set[str] = set()


def add_routes(routes: Sequence[Route]) -> None:
    """Add routes to the server of this process, before its own, once; without a server do
    nothing.
    """
    with _lock:
        new = [route for route in routes if route.path not in _asked]
        if not new or not exists():
            return
        _asked.update(route.path for route in new)
        for server in servers():
            server.router.routes[:0] = new


def servers() -> list[Starlette]:
    """Streamlit's servers in this process: one, or none where only a script is tested."""
    found = [one for one in gc.get_objects() if type(one) is Starlette]
    return [server for server in found if any(_is_health(route) for route in server.routes)]


def base_path() -> str:
    """What stands before the path of every page, such as /lab; nothing as a rule."""
    path = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def _is_health(route: object) -> bool:
    return str(getattr(route, "path", "")).endswith(HEALTH)
