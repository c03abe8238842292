"""Tokens worth looking at in the diagonal laboratory, each with what it shows."""

from __future__ import annotations

from dataclasses import dataclass

from .settings import DiagonalSettings


@dataclass(frozen=True)
class DiagonalPreset:
    """A settings with a name for the menu and one sentence on what to look at."""

    name: str
    title: str
    says: str
    settings: DiagonalSettings


def typed(numbers: str) -> DiagonalSettings:
    """Weightless attention over typed tokens."""
    return DiagonalSettings(tokens="numbers", numbers=numbers)


DIAGONAL_PRESETS = (
    DiagonalPreset(
        "one_two_three",
        "X = [1, 2, 3]",
        "The smallest whole numbers that break the pair bound: a_01 = 0.2447 beats a_00 = 0.0900"
        " and a_11 = 0.1173.",
        typed("1; 2; 3"),
    ),
    DiagonalPreset(
        "one_two",
        "X = [1, 2]",
        "Token 0 looks more at token 1 (0.7311) than at itself; the pair bound still holds, as"
        " always for two tokens.",
        typed("1; 2"),
    ),
    DiagonalPreset(
        "nearly_all",
        "Nearly all of the attention elsewhere",
        "In the plane the pair bound can fail by almost 1: a_01 = 0.9946, while the pair's own"
        " cells are 0.0054 and 0.0008.",
        typed("0.9,0.9; 10,0; 11,-20"),
    ),
    DiagonalPreset(
        "equal_norms",
        "Equal norms",
        "All tokens have length 5, so every row peaks on its diagonal, whatever the directions.",
        typed("3,4; 5,0; -4,3; 0,-5; 4,-3"),
    ),
    DiagonalPreset(
        "duplicates",
        "Duplicated tokens",
        "Token 1 repeats token 0: the two share their rows equally, so the diagonal is not greater"
        " but tied.",
        typed("1,2; 1,2; 2,-1"),
    ),
    DiagonalPreset(
        "inside",
        "A token inside the hull of the others",
        "Token 0 is an average of the others, so one of them scores higher with it than it does"
        " itself.",
        typed("1,1; 4,0; 0,4; -1,-1"),
    ),
)
