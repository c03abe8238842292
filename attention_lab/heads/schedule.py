"""What can run at once in a layer, and what must wait, computed from the inputs of each step."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from attention_core.rules import Rule
from attention_core.steps import Step
from attention_core.trace import STEPS, Trace

from ..words.numbers import Case, Count

BoxKey = tuple[str, int]
# Multiplications for each cell; a soft cap multiplies twice, by s and by c; a norm squares, divides
# and multiplies by the gain.
_MULTIPLICATIONS_PER_CELL = {"product": 1, "softcap": 2, "norm": 3}


@dataclass(frozen=True)
class Box:
    """One head of a step, or a whole step: parts of one step never wait for each other.

    head: the number of the part, of `parts`. moment: 0 for inputs, else one later than the last box
    that it waits for. multiplications, exponentials: for one sequence.
    """

    field: Case
    head: int
    parts: Count
    moment: Count
    waits_for: tuple[BoxKey, ...]
    multiplications: Count
    exponentials: Count

    @property
    def key(self) -> BoxKey:
        """Its name for other boxes."""
        return self.field, self.head


@dataclass(frozen=True)
class Schedule:
    """The boxes of a layer, each after the boxes that it waits for."""

    boxes: tuple[Box, ...]

    @cached_property
    def depth(self) -> int:
        """The number of moments, if every box runs as early as possible."""
        return max(box.moment for box in self.boxes)

    @cached_property
    def multiplications(self) -> int:
        """The multiplications of all boxes."""
        return sum(box.multiplications for box in self.boxes)

    @cached_property
    def longest_chain(self) -> int:
        """The multiplications of the longest chain of boxes that wait for each other. More workers
        cannot make it shorter.
        """
        until: dict[BoxKey, int] = {}
        for box in self.boxes:
            before = max((until[key] for key in box.waits_for), default=0)
            until[box.key] = before + box.multiplications
        return max(until.values())


def schedule(trace: Trace) -> Schedule:
    """The boxes of a layer, from the `needs` of its steps.

    A step that changes no number (a split, a mask that hides nothing, M = X) takes no moment: boxes
    that need it wait for its source. The merge waits for all heads.
    """
    parts: dict[str, int] = {}
    sources: dict[BoxKey, tuple[BoxKey, ...]] = {}
    boxes: dict[BoxKey, Box] = {}
    for name, step in trace.steps.items():
        rule, parts[name] = trace.rule(name), _n_parts(step, trace.sizes)
        needs = [need for need in trace.needs(name) if need in _arrays_read(rule, name, trace)]
        for head in range(parts[name]):
            needed = [
                (need, part) for need in needs for part in _needed_parts(head, parts, name, need)
            ]
            waits_for = tuple(dict.fromkeys(key for one in needed for key in sources[one]))
            if len(waits_for) == 1 and _passes_on(trace, name, rule):
                sources[name, head] = waits_for
                continue
            sources[name, head] = ((Case(name), head),)
            moment = max((boxes[key].moment + 1 for key in waits_for), default=0)
            work = _work(trace, name, rule, parts[name])
            where = Case(name), head, Count(parts[name]), Count(moment)
            boxes[name, head] = Box(*where, waits_for, *map(Count, work))
    return Schedule(tuple(boxes.values()))


def _n_parts(step: Step, sizes: Mapping[str, int]) -> int:
    """The number of boxes of a step: one for each head, unless it needs all heads at once."""
    letters = step.letters
    joins = any(STEPS[need].per_head for need in step.needs.split())
    if step.per_head:
        return sizes[letters[1]]
    fused = [axis[0] for axis in letters if "·" in axis]
    return sizes[fused[0]] if fused and not joins else 1


def _needed_parts(head: int, parts: Mapping[str, int], name: str, need: str) -> range:
    """The parts of a step that one part of another step needs: that of its head, that of its group,
    or all of them.
    """
    if parts[name] == 1:
        return range(parts[need])
    own = head * parts[need] // parts[name]
    return range(own, own + 1)


def _arrays_read(rule: Rule, name: str, trace: Trace) -> set[str]:
    """The arrays that a step reads in this layer."""
    if rule.operation == "given":
        return {"inputs"} if name == "memory" and trace.memory is trace.inputs else set()
    return {one.array for one in (*rule.reads, *rule.adds)}


def _passes_on(trace: Trace, name: str, rule: Rule) -> bool:
    """Whether a step leaves every number as it is."""
    if rule.operation == "mask":
        return not rule.adds and not trace.hidden.any()
    lone = rule.operation == "sum" and len(rule.reads) == 1 and not rule.adds
    return lone or rule.operation in ("copy", "given")


def _work(trace: Trace, name: str, rule: Rule, parts: int) -> tuple[int, int]:
    """The multiplications and exponentials of one part of a step, for one sequence."""
    cells = math.prod(getattr(trace, name).shape[1:]) // parts
    if rule.operation == "softmax":
        return 0, cells + (0 if trace.sink is None else trace.sizes["T"])
    if rule.operation == "sum" and len(rule.reads) > 1:
        return cells * rule.length, 0
    return cells * _MULTIPLICATIONS_PER_CELL.get(rule.operation, 0), 0
