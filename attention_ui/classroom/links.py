"""The link by which a class joins: where this machine is found, and a picture of the link."""

from __future__ import annotations

import base64
import re
import socket
from urllib.parse import urlsplit

import streamlit as st

from attention_core.errors import SettingsError
from attention_viz.qr_code import qr_code

from ..browser_files import base_path

LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "")
SVG = "http://www.w3.org/2000/svg"
MAX_LENGTH = 200
# A name or a number, perhaps a port, perhaps a folder.
SERVER = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(/[\w.~/-]*)?", re.ASCII)
# An address of documentation (RFC 5737): no packet is sent, the system only looks which way one
# would go.
ELSEWHERE = ("198.51.100.1", 9)


def network_address() -> str:
    """The address of this machine in its network; localhost where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(ELSEWHERE)
            return str(way.getsockname()[0])
        except OSError:
            return "localhost"


def usual_base() -> str:
    """Where students find the app: as the teacher's browser does, or by this machine's address
    where that one says localhost.
    """
    parts = urlsplit(st.context.url or "")
    if (parts.hostname or "") not in LOCAL:
        return f"{parts.scheme}://{parts.netloc}{base_path()}"
    port = parts.port or st.get_option("server.port")
    return f"{parts.scheme or 'http'}://{network_address()}:{port}{base_path()}"


def checked_base(text: str) -> str:
    """An address that a teacher typed. Raises: SettingsError for one that leads to no page."""
    base = text.strip().rstrip("/")
    base = base if "://" in base else f"http://{base}"
    try:
        is_fine = bool(SERVER.fullmatch(base)) and urlsplit(base).port != 0
    except ValueError:  # of a port beyond 65535, of brackets that hold no address
        is_fine = False
    if not is_fine or len(base) > MAX_LENGTH:
        raise SettingsError(
            f"“{text[:60]}” is no address of a server; write one such as http://192.168.1.20:8501,"
            f" with at most {MAX_LENGTH} characters"
        )
    return base


def student_link(base: str, room: str) -> str:
    """What students open: it holds no secret.

    >>> student_link("http://192.168.1.20:8501", "KXRT")
    'http://192.168.1.20:8501/class?room=KXRT'
    """
    return f"{base}/class?room={room}"


def code_of(link: str) -> str:
    """A link as a QR code: an SVG picture as a URL, since Streamlit lets no drawing through in
    HTML.

    >>> code_of("http://192.168.1.20:8501/class?room=KXRT")[:26]
    'data:image/svg+xml;base64,'
    """
    picture = qr_code(link, "The link to the room").replace("<svg", f'<svg xmlns="{SVG}"', 1)
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"
