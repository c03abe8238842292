"""Situations in which pages are run, and which pages are run in which."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qsl

from attention_lab.page_list import PAGES

HOSTILE = (
    "<script>alert(1)</script> @query &lt; $x$ **b** `c` [l](//x) :red[x] %{z} שלום 👩🏽\u200d🚀 "
    + "x" * 300
)
LARGEST = "n_tokens=64&d_model=512&n_heads=16"
# Situations in which a page has divided by zero, indexed past an end, or drawn nothing: the choices
# of each as a URL holds them.
SITUATIONS: dict[str, dict[str, str]] = {
    name: dict(parse_qsl(choices))
    for name, choices in {
        "as it opens": "",
        "dark": "theme=dark",
        "presentation": "present=true&own_scale=true",
        "one token": "text=a",
        "one of everything": "text=a&d_model=1&n_heads=1",
        "largest": f"{LARGEST}&head=15&query=63&key=62&feature=31",
        "largest and causal": f"{LARGEST}&mask=causal&residual=true",
        "largest and weightless": f"{LARGEST}&weights=weightless",
        "wide heads": "d_k=128&d_v=128&n_heads=16&feature=127",
        "narrow keys, wider values": "d_k=3&d_v=5&feature=4",
        "uneven heads": "d_model=7&n_heads=3&d_k=2&d_v=3",
        "by hand": "weights=by hand&d_model=8&n_heads=2&query=8&key=1",
        "weightless": "weights=weightless&residual=true",
        "heads joined": "output_matrix=none&d_v=5&query=3&feature=4",
        "orthonormal, joined": "weights=orthonormal&output_matrix=none&residual=true&notation=gml",
        "wide output": "d_o=37&feature=36&mask=causal",
        "narrow output": "d_o=1&weights=opposite",
        "tied": "weights=tied&n_heads=1",
        "orthonormal": "weights=orthonormal&init=integers",
        "padding": "mask=padding&n_tokens=16&query=15&key=15",
        "only itself": "mask=window&window=0",
        "integers": "embedding=integers&init=integers&positions=false&scaling=off",
        "all scores 0": "scaling=custom&scale=0",
        "saturated": "scaling=custom&scale=-100",
        "batch": "batch=It slept%0A<b>$x$</b> שלום%0Awhy&sentence=2&mask=window&query=3&feature=2",
        "a trained batch": "weights=trained&layer=2&batch=It slept&sentence=1&notation=gml",
        "pieces": "piece=1&n_tokens=64",
        "trained": "weights=trained&layer=3&head=11&query=14&feature=383",
        "filled": "weights=trained&layer=5&n_tokens=20&mask=padding&n_heads=5&output_matrix=none",
    }.items()
} | {"hostile text": {"text": HOSTILE, "query": "2", "key": "4"}}
# An odd width has no pairs to turn: the page says so, and draws nothing.
REFUSED = {("one of everything", "rotary"), ("narrow keys, wider values", "rotary")}
# How many situations of a page are run by `make test`; `make test-all` runs all of them.
USUAL = 2


def chosen() -> Iterator[tuple[str, str]]:
    """Situations and pages: a few situations for each page, so spread that every situation is run
    in several sections.
    """
    names = list(SITUATIONS)
    places: dict[str, list[str]] = {name: [] for name in names}
    for place, page in enumerate(PAGES):
        for turn in range(USUAL):
            places[names[(place * USUAL + turn) % len(names)]].append(page.url_path)
    return ((name, page) for name, pages in places.items() for page in pages)


def every() -> Iterator[tuple[str, str]]:
    """Every page in every situation."""
    return ((name, page.url_path) for name in SITUATIONS for page in PAGES)
