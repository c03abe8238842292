"""What of the site is read without its scripts: of each page a folder with title, question, answer
and picture, which a search engine or a chat shows beside a link.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from attention_lab.page_list import OLD_URLS, PAGES, Page, page_of

from .site_pictures import SIZE, picture

ROOT = Path(__file__).resolve().parents[1]
ABOUT = "Multi-head attention step by step, with every number real and explained."
PICTURE = "picture.png"


def write_folders(folder: Path, url: str) -> None:
    """A folder for the URL path of each page, also of each that a page had before. url: where the
    site will stand, "" if that is not known.
    """
    template = Template((folder / "folder.html").read_text(encoding="utf-8"))
    (folder / "folder.html").unlink()
    for page in PAGES:
        (folder / page.url_path).mkdir()
        told = folder / "first" / f"{page.url_path}.json"
        answer = json.loads(told.read_text(encoding="utf-8"))
        drawn = picture(page.title, page.question, answer, " ".join(sentences(answer)))
        (folder / page.url_path / PICTURE).write_bytes(drawn)
    for path in (*(page.url_path for page in PAGES), *OLD_URLS):
        (folder / path).mkdir(exist_ok=True)
        page = page_of(path)
        shown = template.substitute(
            path=path,
            title=escape(page.title),
            head=head_of(page, url, "../"),
            said=said_of(page, folder, "../"),
        )
        (folder / path / "index.html").write_text(shown, encoding="utf-8")


def head_of(page: Page, url: str, up: str) -> str:
    """What others show of a page: description, canonical URL and picture. up: the way from the page
    to the folder of the site, which serves where its URL is not known.
    """
    base = f"{url.rstrip('/')}/" if url else up
    said = escape(f"{page.question} {ABOUT}")
    width, height = map(str, SIZE)
    properties = {
        "og:type": "website",
        "og:site_name": "Attention Lab",
        "og:title": escape(page.title),
        "og:description": said,
        "og:image": f"{base}{page.url_path}/{PICTURE}",
        "og:image:width": width,
        "og:image:height": height,
        "og:image:alt": escape(f"{page.title}: {page.question}"),
    }
    if url:
        properties["og:url"] = f"{base}{page.url_path}/"
    lines = [
        f'<meta name="description" content="{said}">',
        f'<link rel="canonical" href="{base}{page.url_path}/">',
        '<meta name="twitter:card" content="summary_large_image">',
        *(f'<meta property="{name}" content="{one}">' for name, one in properties.items()),
    ]
    return "\n".join(lines)


def said_of(page: Page, folder: Path, up: str) -> str:
    """Title, question, answer and picture of a page as HTML."""
    told = folder / "first" / f"{page.url_path}.json"
    answers = [*sentences(json.loads(told.read_text(encoding="utf-8")))][:3]
    words = " ".join([page.title + ".", *answers])
    paragraphs = "\n".join(f"<p>{escape(one)}</p>" for one in answers)
    return (
        f"<h1>{escape(page.title)}</h1>\n<p><em>{escape(page.question)}</em></p>\n{paragraphs}\n"
        f'<p><img src="{up}{page.url_path}/{PICTURE}" width="1200" height="630"'
        f' alt="{escape(words, quote=True)}"></p>'
    )


def sentences(answer: Mapping[str, Any]) -> Iterator[str]:
    """What a stored answer says, in its order: the sentence of a step, then texts."""
    if "scene" in answer:
        scene = answer["scene"]
        said = (scene["stage"].get("says", ""), scene["description"] if scene["arrays"] else "")
        yield from filter(None, map(_text, said))
    yield from answer.get("says", ())
    for block in answer.get("blocks") or ():
        if block["kind"] == "text":
            yield from filter(None, (_text(part) for part in block["words"]))
        for part in block.get("parts") or ():
            yield from sentences({"blocks": part})


def _text(words: object) -> str:
    """The text of words, which are texts and lists of a tag, its attributes, and words."""
    if isinstance(words, str):
        return words
    if not isinstance(words, Sequence):
        return ""
    inside = words[2:] if len(words) > 1 and isinstance(words[1], Mapping) else words
    return "".join(map(_text, inside))


def list_of_pages(shown: Collection[str]) -> str:
    """Links to the folders of all pages, as HTML."""
    links = (
        f'<li><a href="{page.url_path}/">{escape(page.title)}</a>: {escape(page.question)}</li>'
        for page in PAGES
        if page.url_path in shown
    )
    return "<ul>\n" + "\n".join(links) + "\n</ul>"


def write_for_robots(folder: Path, url: str) -> None:
    """`robots.txt`, and the list of all pages if the site's URL is known: it needs whole URLs."""
    lines = ["User-agent: *", "Allow: /"]
    if url:
        base = url.rstrip("/")
        places = [f"{base}/", *(f"{base}/{page.url_path}/" for page in PAGES)]
        inside = "".join(f"<url><loc>{escape(one)}</loc></url>\n" for one in places)
        head = '<?xml version="1.0" encoding="UTF-8"?>\n'
        schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
        whole = f'{head}<urlset xmlns="{schema}">\n{inside}</urlset>\n'
        (folder / "sitemap.xml").write_text(whole, encoding="utf-8")
        lines.append(f"Sitemap: {base}/sitemap.xml")
    (folder / "robots.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
