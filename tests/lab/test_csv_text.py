"""A CSV file is no program, whatever a spreadsheet takes for the end of a cell."""

from __future__ import annotations

import csv
import io

import pytest

from attention_lab.export.csv_text import csv_text

RUN = "=cmd|' /C calc'!A0"
HOSTILE = (
    *(RUN, f"a;{RUN}", f"a; {RUN}", f'a;"{RUN}', f';;"" {RUN}', f"a\t{RUN}", f"a\n{RUN}"),
    *(f"a\r\n\t{RUN}", f"-2;{RUN}", f";-2+{RUN[1:]}", ";@sum(1)", "1;+1+1", "x;\uff1d1+1"),
    *(f"\t{RUN}", f"\ufeff{RUN}", f"a;\x00{RUN}", "a;", RUN, f'"{RUN}', f'",;{RUN}'),
)


# Lines that hold a formula for who splits at ";" and writes -2,5 for a number.
DECIMAL = [["-2", f"5+{RUN[1:]}"], [-2, f"5+{RUN[1:]}"], ["a;-2", f"5+{RUN[1:]}"]]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_is_a_formula(separator: str) -> None:
    lines = [HOSTILE, *([text, -1.5, text] for text in HOSTILE), *DECIMAL]
    read = csv.reader(io.StringIO(csv_text(lines), newline=""), delimiter=separator)
    cells = [cell.strip(' \t\r\n"\ufeff\x00') for row in read for cell in row]
    assert len(cells) >= len(lines)
    run = {cell for cell in cells if cell.startswith(("=", "+", "@", "-", "\uff1d"))}
    told = {"-1.5", "-2", f"-2,'5+{RUN[1:]}"}  # numbers, and what is neither number nor formula
    assert run <= told


def test_what_is_no_formula_stays_as_it_is() -> None:
    cells = [
        "x = 3",
        "a; b",
        "-2",
        "−2",
        "a - b; c",
        "a=b;c=d",
        "-inf",
        -2,
        "5 of 7",
        3,
        None,
        True,
    ]
    (found,) = csv.reader(io.StringIO(csv_text([cells])))
    assert found == ["" if cell is None else str(cell) for cell in cells]
