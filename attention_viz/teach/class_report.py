"""The report of a class as a table, and as a page to print."""

from collections.abc import Sequence
from html import escape

from attention_lab.classroom.report import ReportLine, Round, beliefs

from ..handout import sheet_page

NUMBERS = ("Right before", "Right after")
HEADS = ("Question and right answer", *NUMBERS, "Misconceptions met")
REPORT_STYLE = """
.class-report { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.class-report :is(td, th) {
  border-bottom: 1px solid #8888; padding: 0.35rem 0.5rem; text-align: start; vertical-align: top;
}
.class-report td.number, .class-report th.number { text-align: end; white-space: nowrap; }
"""


def report_page(room: str, lines: Sequence[ReportLine]) -> str:
    """The report of a room as a page that needs no server."""
    title = f"Report of the class {room}"
    body = f"<h1>{escape(title)}</h1>\n{report_table(lines)}"
    return sheet_page(title, REPORT_STYLE, body)


def report_table(lines: Sequence[ReportLine]) -> str:
    """The lines of a report as an HTML table: how many were right before and after, and with which
    beliefs the others answered.
    """
    kinds = dict.fromkeys(NUMBERS, ' class="number"')
    head = "".join(f"<th{kinds.get(one, '')}>{one}</th>" for one in HEADS)
    rows = "".join(map(_row, lines))
    return f'<table class="class-report"><tr>{head}</tr>{rows}</table>'


def _row(line: ReportLine) -> str:
    after = dict(beliefs(line.after))
    met = dict.fromkeys([*dict(beliefs(line.before)), *after])
    before = dict(beliefs(line.before))
    told = "<br>".join(
        f"{escape(text)} {_change(before.get(text, 0), after.get(text, 0), line.after)}"
        for text in met
    )
    return (
        f"<tr><td>{escape(line.text)}<br><b>{escape(line.answer)}</b></td>"
        f'<td class="number">{_share(line.before)}</td>'
        f'<td class="number">{_share(line.after)}</td><td>{told}</td></tr>'
    )


def _share(held: Round | None) -> str:
    return f"{held.n_right} of {held.n_answers}" if held else ""


def _change(before: int, after: int, second: Round | None) -> str:
    return f"<b>{before} → {after}</b>" if second else f"<b>{before}</b>"
