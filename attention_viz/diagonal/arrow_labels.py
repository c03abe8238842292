"""The words beside the heads of arrows, none of which covers another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array

from ..labels import label_width

FONT_SIZE, TIP_DISTANCE = 12, 6  # px: of a word, and from it to the tip of its arrow
LEFT_EDGE = {
    "left": -1.0,
    "center": -0.5,
    "right": 0.0,
}  # where a word begins, as a part of its width
# Where its middle is, as a part of its height and distance.
MIDDLE = {"top": 0.5, "middle": 0.0, "bottom": -0.5}


class ArrowLabels:
    """The words of a plane and their boxes. unit: px for a distance of 1."""

    def __init__(self, unit: float) -> None:
        self.unit = unit
        self.boxes: list[tuple[float, float, float, float]] = []

    def write(self, words: Sequence[str], tips: Array, positions: Sequence[str]) -> list[str]:
        """The words, empty where one would cover an earlier word or that of a longer arrow.

        tips: (M, 2), the ends of the arrows. positions: Plotly's names for the place of a word,
        such as "top center".
        """
        written = [""] * len(words)
        for place in np.argsort(-np.hypot(tips[:, 0], tips[:, 1]), kind="stable"):
            box = self._box(words[place], tips[place], positions[place])
            if not any(_overlap(box, other) for other in self.boxes):
                self.boxes.append(box)
                written[place] = words[place]
        return written

    def _box(self, word: str, tip: Array, position: str) -> tuple[float, float, float, float]:
        """Left, right, lower and upper edge of a word in px."""
        up, along = position.split()
        wide, (x, y) = label_width([word], FONT_SIZE), (tip * self.unit).tolist()
        left = x + LEFT_EDGE[along] * wide + TIP_DISTANCE * (2 * LEFT_EDGE[along] + 1)
        middle = y + MIDDLE[up] * (FONT_SIZE + 2 * TIP_DISTANCE)
        return left, left + wide, middle - FONT_SIZE / 2, middle + FONT_SIZE / 2


def _overlap(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
