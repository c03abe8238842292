"""A board as one HTML file that needs no server: it holds the same script and the scene, and loads
nothing.
"""

import base64
import hashlib
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path

from attention_lab.home import ASSETS
from attention_lab.words.text import is_right_to_left

from .payload import JSON
from .scene_formats import scene_to_text

BOARD_FOLDER = ASSETS / "board"
JS_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[\w./]+)";\n', re.MULTILINE)
# Script and data are compressed to a third of their size; the page's policy names both scripts by
# their hashes.
UNPACK_JS = """
(async () => {
  for (const part of document.querySelectorAll("script.packed")) {
    const packed = Uint8Array.from(atob(part.textContent), (sign) => sign.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    part.textContent = await new Response(stream).text();
  }
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = document.getElementById("packed").textContent;
  document.body.append(script);
})();
"""
FRAME_CSS = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 1.5rem auto; max-width: 70rem; padding: 0 1rem; }
body > p { overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; }
code { white-space: pre-wrap; }
"""


def handout(scene: JSON, title: str, says: str, code: str, made_of: str) -> str:
    """A whole page: title, one sentence, the board, the code that computes it, and the choices
    behind it.

    scene: in the colours of "both" modes. The page's policy allows its own script and styles, and
    no network.
    """
    shown = f"<h1>{escape(title)}</h1>\n<p>{quotations_html(says)}</p>\n"
    heading = "" if "stage" in scene else shown  # which shows them itself
    numpy = f"<p>In NumPy: <code>{escape(code)}</code></p>\n" if code else ""
    body = f"""{heading}<main id="board"></main>
{numpy}<p><small>{quotations_html(made_of)}</small></p>"""
    return packed_page(title, FRAME_CSS, body, "handout.js", {"scene": scene_to_text(scene)})


def packed_page(title: str, style: str, body: str, entry: str, data: Mapping[str, str]) -> str:
    """A page with the board's script and style, and texts that the script reads by their ids.

    entry: the module with which the script begins. body: HTML.
    """
    script = joined_script(entry)
    style = (BOARD_FOLDER / "board.css").read_text(encoding="utf-8") + style
    parts = dict(data) | {"packed": script}
    packed = "\n".join(
        f'<script type="text/plain" class="packed" id="{name}">{_packed(text)}</script>'
        for name, text in parts.items()
    )
    body = f"{body}\n{packed}\n<script>{UNPACK_JS}</script>"
    return html_page(title, style, body, (UNPACK_JS, script))


def quotations_html(words: str) -> str:
    """Words as HTML. A quotation that is written from right to left is isolated, so that the
    numbers after it keep their order.

    >>> quotations_html("“we” (1), “שלום” (2)")
    '“we” (1), “<bdi>שלום</bdi>” (2)'
    """
    return re.sub("(?<=“)[^”]*(?=”)", _apart, escape(words))


def _apart(mark: re.Match[str]) -> str:
    return f"<bdi>{mark[0]}</bdi>" if is_right_to_left(mark[0]) else mark[0]


def html_page(title: str, style: str, body: str, scripts: Sequence[str] = ()) -> str:
    """A page that needs no server. Its policy allows these scripts, this style, and no network.
    body: HTML.
    """
    allowed = f"script-src {' '.join(map(_digest, scripts))}; " if scripts else ""
    policy = (
        f"default-src 'none'; {allowed}style-src {_digest(style)}; base-uri 'none'; form-action"
        " 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


# Printed sheets: black on white in both themes.
SHEET_STYLE = """
:root { color-scheme: light; font-family: system-ui, sans-serif; }
body { margin: 1.5rem auto; max-width: 46rem; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; }
li { margin-bottom: 1rem; break-inside: avoid; }
"""


def sheet_page(title: str, style: str, body: str) -> str:
    """A page to print. style: rules of this sheet besides the common ones; body: HTML."""
    return html_page(title, SHEET_STYLE + style, body)


@lru_cache(maxsize=4)
def joined_script(*entries: str) -> str:
    """Modules, by their paths from the board's folder, as one script, each after those that it
    imports, without imports, comments and indents.
    """
    order: list[Path] = []
    for entry in entries:
        _visit(BOARD_FOLDER / entry, order)
    return "\n".join(_inlined(file.read_text(encoding="utf-8")) for file in order)


def _visit(file: Path, order: list[Path]) -> None:
    for needed in JS_IMPORT.findall(file.read_text(encoding="utf-8")):
        other = (file.parent / needed).resolve()
        if other not in order:
            _visit(other, order)
    order.append(file)


def _inlined(module: str) -> str:
    told = re.sub(r"^ */\*\*\n(?: *\*.*\n)+", "", JS_IMPORT.sub("", module), flags=re.MULTILINE)
    bare = re.sub(r"^\s*(//.*|/\*\*.*\*/)?\n", "", told, flags=re.MULTILINE)
    return re.sub(r"^ *(export (?=function|const|class))?", "", bare, flags=re.MULTILINE)


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
