"""Tokens worth looking at in the diagonal laboratory, each with what it shows."""

from __future__ import annotations

from dataclasses import dataclass

from .settings import DiagonalSettings


@dataclass(frozen=True)
class DiagonalPreset:
    """Settings with a name for the menu and a hint: what to look at."""

    name: str
    title: str
    hint: str
    settings: DiagonalSettings


def settings_of_numbers(numbers: str) -> DiagonalSettings:
    """Weightless attention over typed tokens."""
    return DiagonalSettings(tokens="numbers", numbers=numbers)


DIAGONAL_PRESETS = (
    DiagonalPreset(
        "one_two_three",
        "X = [1, 2, 3]",
        "The smallest whole numbers that break the pair bound: a_01 = 0.2447 exceeds a_00 = 0.0900"
        " and a_11 = 0.1173.",
        settings_of_numbers("1; 2; 3"),
    ),
    DiagonalPreset(
        "one_two",
        "X = [1, 2]",
        "Token 0 looks more at token 1 (0.7311) than at itself. The pair bound still holds, as it"
        " always does for two tokens.",
        settings_of_numbers("1; 2"),
    ),
    DiagonalPreset(
        "nearly_all",
        "Nearly all attention elsewhere",
        "With two features the pair bound can fail by almost 1: a_01 = 0.9946, but a_00 = 0.0054"
        " and a_11 = 0.0008.",
        settings_of_numbers("0.9,0.9; 10,0; 11,-20"),
    ),
    DiagonalPreset(
        "equal_norms",
        "Equal norms",
        "All tokens have length 5. So every row has its maximum on the diagonal, whatever the"
        " directions.",
        settings_of_numbers("3,4; 5,0; -4,3; 0,-5; 4,-3"),
    ),
    DiagonalPreset(
        "duplicates",
        "Duplicated tokens",
        "Token 1 equals token 0. Both get equal attention, so the diagonal ties and is not"
        " greater.",
        settings_of_numbers("1,2; 1,2; 2,-1"),
    ),
    DiagonalPreset(
        "inside",
        "A token inside the convex hull of the others",
        "Token 0 is a weighted average of the others. So one of them has a higher score in its row"
        " than token 0 itself.",
        settings_of_numbers("1,1; 4,0; 0,4; -1,-1"),
    ),
)
