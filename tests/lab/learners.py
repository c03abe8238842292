"""Learners who compute a cell in plain Python: one by the right rule, one for each wrong rule.

Nothing here is taken from the module that is tested: each rule is written down once more.
"""

from __future__ import annotations

from collections.abc import Sequence

from attention_lab.guesses import Guess
from attention_lab.quiz import Option
from tests.lab.worked_cells import SMALL, Index, Worker, share


class Learner(Worker):
    """Answers questions on a trace by one wrong belief, or by none for ""."""

    def answer(self, guess: Guess) -> float | str:
        """What the learner answers: a number, or the value of an option."""
        return getattr(self, guess.item.kind)(guess)

    def number(self, guess: Guess) -> float:
        head, *_ = index = guess.index[1:]
        if guess.item.asks == "row":
            row = [(head, index[1], key) for key in range(self.n_keys)]
            return float(sum(not self.is_hidden(at) for at in row))
        return self.cell(guess.field, index)

    def sign(self, guess: Guess) -> str:
        number = self.cell(guess.field, guess.index[1:])
        largest = abs(getattr(self.trace, guess.field)[0][guess.index[1:-2]]).max()
        if abs(number) <= SMALL * largest:
            return "zero"
        return "positive" if number > 0 else "negative"

    def largest(self, guess: Guess) -> str:
        head, query, _ = guess.index[1:]
        is_seen = not self.is_own or not self.trace.hidden[0, head, query, query]
        if self.believes("diagonal") and self.is_own and is_seen:
            return str(query)
        row = [self.cell(guess.field, (head, query, key)) for key in range(self.n_keys)]
        best = [key for key, number in enumerate(row) if number >= max(row) - SMALL]
        return str(best[0]) if len(best) == 1 else self.right_of(guess).value

    def grows(self, guess: Guess) -> str:
        head, query, key = guess.index[1:]
        if guess.field == "scores":
            there = self.cell("scores", (head, query, key))
            back = self.cell("scores", (head, key, query))
            return "first" if there > back else "second" if back > there else "the same"
        if self.believes("linear"):
            return "the same"
        row = [float(score) for score in self.trace.masked_scores[0, head, query]]
        best = max(range(len(row)), key=lambda k: row[k])
        twice = [2 * score for score in row]
        return "first" if share(twice, best) > share(row, best) + SMALL else "the same"

    def shape(self, guess: Guess) -> str:
        size = self.trace.sizes
        n_tokens, n_columns = getattr(self.trace, guess.field).shape[-2:]
        beliefs: dict[str, tuple[int, int]] = {
            "one-number": (n_tokens, 1),
            "one-head-wide": (n_tokens, size["V"] if guess.field == "values" else size["K"]),
            "element-wise": (n_tokens, size["K"]),
            "heads-mean": (n_tokens, size["V"]),
            "stacked": (size["H"] * n_tokens, size["V"]),
        }
        fields = {"merged": ("heads-mean", "stacked"), "scores": ("element-wise",)}
        fields |= {"inputs": ("one-number",), "output": ()}
        asked = fields.get(guess.field, ("one-head-wide",))
        wished = beliefs[self.belief] if self.believes(*asked) else (n_tokens, n_columns)
        return next(o.value for o in guess.options if numbers_in(o.label) == wished)

    def place(self, guess: Guess) -> str:
        column, field, size = guess.index[-1], guess.field, self.trace.sizes
        p, n_heads = self.trace.projections, size["H"]
        if field == "inputs":
            is_same = self.believes("word-alone")
            return "yes, it is the same word" if is_same else "no, the positions differ"
        if guess.item.id == "output-reads":
            alone = column * n_heads // p.w_o.shape[1]  # type: ignore[union-attr]
            return f"head {alone} alone" if self.believes("heads-apart") else f"all {n_heads} heads"
        if guess.item.id == "projection-reads":
            n_features, n_columns = getattr(p, f"w_{field[0]}").shape
            head = column * n_heads // n_columns
            own = [f for f in range(n_features) if f * n_heads // n_features == head]
            return f"only {own[0]} to {own[-1]}" if self.believes("slice") else f"all {n_features}"
        if field == "merged":
            head, part = divmod(column, size["V"])
            places = {"interleaved": part * n_heads + head, "heads-mean": part}
            return f"number {places.get(self.belief, column)}"
        head, width = guess.index[1], getattr(self.trace, field).shape[-1]
        if self.believes("interleaved"):
            head, column = (head * width + column) % n_heads, (head * width + column) // n_heads
        return f"head {head}, feature {column}"

    def picture(self, guess: Guess) -> str:
        head, n_queries = guess.index[1], self.trace.sizes["T"]
        drawn = [
            [self.shade(guess.field, (head, i, j)) for j in range(self.n_keys)]
            for i in range(n_queries)
        ]
        return min(guess.options, key=lambda option: distance(option.picture, drawn)).value

    def shade(self, field: str, index: Index) -> float:
        if field == "masked_scores":
            return float(not self.is_hidden(index))
        return min(max(self.cell(field, index), 0.0), 1.0)

    @staticmethod
    def right_of(guess: Guess) -> Option:
        return next(option for option in guess.options if option.right)


def numbers_in(label: str) -> tuple[int, int]:
    """The two numbers of the label of a shape."""
    first, other = (int(word) for word in label.split() if word.isdigit())
    return first, other


def distance(first: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> float:
    """The largest difference between two pictures."""
    rows = zip(first, other, strict=True)
    return max(abs(a - b) for row, beside in rows for a, b in zip(row, beside, strict=True))
