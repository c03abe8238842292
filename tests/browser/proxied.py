"""Several processes of the app behind nginx, with the configuration that is shipped in deploy/."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import streamlit

from attention_lab.home import ASSETS, HOME
from tests.browser.conftest import answers, started

DEPLOY = HOME / "deploy"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
WHOLE = """daemon off; error_log stderr; pid {folder}/nginx.pid; user root;
events {{ worker_connections 4096; }}
http {{
  include /etc/nginx/mime.types;
  log_format process " $request_uri $upstream_addr";
  access_log {folder}/access.log process;
  include {folder}/site.conf;
}}
"""


@dataclass(frozen=True)
class Proxied:
    """The URL of nginx, its folder, and the processes of the app by their ports."""

    url: str
    folder: Path
    processes: dict[int, subprocess.Popen[bytes]]


@contextmanager
def proxied(folder: Path, ports: list[int], port: int) -> Iterator[Proxied]:
    """Processes of the app at ports behind an nginx, all in a folder of their own."""
    assert NGINX
    write_site(folder, ports, port)
    processes = {one: started(folder, one) for one in ports}
    server = subprocess.Popen([NGINX, "-c", str(folder / "nginx.conf"), "-p", str(folder)])
    try:
        for one, process in processes.items():
            assert answers(process, f"http://localhost:{one}")
        assert answers(server, f"http://localhost:{port}")
        yield Proxied(f"http://localhost:{port}", folder, processes)
    finally:
        for process in (server, *processes.values()):
            process.terminate()
            process.wait(timeout=30)


def write_site(folder: Path, ports: list[int], port: int) -> None:
    """The shipped files with this machine's ports and folders."""
    inside, files = folder / "attention-lab", folder / "files"
    inside.mkdir()
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for old, new in {
        "/etc/nginx/attention-lab": str(inside),
        "/srv/attention-lab": str(files),
        "listen 8080 ": f"listen 127.0.0.1:{port} ",
    }.items():
        assert old in site
        site = site.replace(old, new)
    (folder / "site.conf").write_text(site, encoding="utf-8")
    (folder / "nginx.conf").write_text(WHOLE.format(folder=folder), encoding="utf-8")
    for name in ("headers.conf", "proxies.conf"):
        shutil.copy(DEPLOY / name, inside)
    line = next(line for line in _lines("processes.conf") if "app-1:8501" in line)
    servers = [line.replace("app-1:8501", f"127.0.0.1:{one}") for one in ports]
    (inside / "processes.conf").write_text("\n".join(servers), encoding="utf-8")
    files.mkdir()
    (files / "assets").symlink_to(ASSETS)
    (files / "static").symlink_to(Path(streamlit.__file__).parent / "static" / "static")


def _lines(name: str) -> list[str]:
    return (DEPLOY / name).read_text(encoding="utf-8").splitlines()


def reached(lab: Proxied) -> set[str]:
    """The processes, by their ports, that visitors talk to."""
    lines = (lab.folder / "access.log").read_text(encoding="ascii").splitlines()
    return {line.rsplit(":", 1)[1] for line in lines if " /scores" in line}
