"""The page *For teachers*: lessons and plans, links, homework, a test before and after, a lesson of
one's own.
"""

from collections.abc import Sequence
from functools import partial

from attention_core.trace import STEPS
from attention_lab.guesses import ITEMS, MISCONCEPTIONS
from attention_lab.lessons.lesson import Lesson
from attention_lab.lessons.lesson_file import asked_in_lessons, shipped_lessons, write_lesson
from attention_lab.page_list import PAGES, page_of, step_of

from .. import blocks as b
from ..block_page import BlockPage
from ..course_package import course_package
from ..page_choices import Choice, Select, Several, by_name
from ..practice_page import HOMEWORK_CHOICES, homework_blocks
from ..sheets import lesson_sheet, task_sheet
from ..story.story_file import lesson_file
from ..story.story_view import StoryView
from .form_page import FORM_CHOICES, form_blocks

PART = Select(
    "teach",
    "What you need",
    "lessons",
    {
        "lessons": "Lessons",
        "homework": "Homework",
        "test": "A test before and after",
        "links": "Links",
        "misconceptions": "Misconceptions",
        "own": "A lesson of your own",
    },
    "buttons",
)
# Lessons that fit into a period, by its minutes.
LESSON_PLANS = {
    20: (("shared-keys",), ("reshape-transpose",), ("whole-model",)),
    45: (
        *(("multi-head-attention",), ("frog",), ("order-values-update",), ("by-hand",)),
        *(("trained-heads",), ("two-layers",), ("why-scale", "reshape-transpose")),
    ),
    90: (
        *(("multi-head-attention", "by-hand"), ("masks", "diagonal", "why-scale")),
        ("frog", "two-layers", "whole-model"),
    ),
}
PAGE = Select("link_page", "Page", PAGES[0].url_path, {page.url_path: page.title for page in PAGES})
THREE_CLICKS = (
    "**A lesson in three clicks.** 1. Open a room on [Class](class); students scan its code."
    " 2. Open a lesson below. 3. Press Page down: with a room it asks the class the question of the"
    " moment and reveals the votes; then it shows the answer, uncovers the picture, and goes on."
)
LOOKS = {
    "Lecture mode": {"present": "true"},
    "Result hidden": {"hide": "true"},
    "Without menu and controls": {"view": "lesson"},
}
LOOK = Several("link_look", "How it looks", (), by_name(LOOKS))


def _choices(_: StoryView, part: str) -> Sequence[Choice]:
    own: dict[str, Sequence[Choice]] = {
        "homework": HOMEWORK_CHOICES,
        "test": FORM_CHOICES,
        "links": (PAGE, LOOK),
    }
    return own.get(part, ())


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The part that is chosen. Raises: AttentionError."""
    match values[PART.key]:
        case "homework":
            shown = homework_blocks(view, values)
        case "test":
            shown = form_blocks(values)
        case "links":
            shown = _links(values)
        case "misconceptions":
            shown = _misconceptions()
        case "own":
            shown = [b.InTheApp("own lesson")]
        case _:
            shown = _lessons(view)
    return [b.row(values, PART), *shown]


def _lessons(view: StoryView) -> list[b.Block]:
    """A box for each lesson, and lessons that fit into 20, 45 and 90 minutes."""
    lessons = shipped_lessons()
    links = {name: _opening(name, lesson, lesson.title) for name, lesson in lessons.items()}
    rows = [
        (
            str(minutes),
            " → ".join(links[name] for name in names),
            str(sum(lessons[name].minutes for name in names)),
        )
        for minutes, plans in LESSON_PLANS.items()
        for names in plans
    ]
    return [
        b.Text(THREE_CLICKS),
        *(
            b.Folded(
                f"{lesson.title} · {lesson.minutes} minutes", partial(_lesson, view, name, lesson)
            )
            for name, lesson in lessons.items()
        ),
        b.Heading("Plans for 20, 45 and 90 minutes"),
        b.Table(("Minutes", "Lessons", "Together"), rows, words=True),
    ]


def _misconceptions() -> list[b.Block]:
    """Every misconception with the lessons and the steps that ask for it, and in the app how often
    the class of this teacher fell for it.
    """
    rows = [
        (one.text, ", ".join(map(_place, asked_in_lessons(name))) or "–", _steps_asking(name))
        for name, one in MISCONCEPTIONS.items()
    ]
    return [
        b.Text(
            "What learners believe, and where it is asked: as an option of a vote in a lesson, and"
            " in *Guess first* at a step."
        ),
        b.Table(("Belief", "Lessons", "Steps"), rows, words=True),
        b.InTheApp("class misconceptions", says=False),
    ]


def _place(moment: tuple[str, int]) -> str:
    """A link to a moment, as Markdown."""
    name, place = moment
    lesson = shipped_lessons()[name]
    return f"[{lesson.title} {place + 1}]({lesson.url(place, name)})"


def _steps_asking(misconception: str) -> str:
    """The steps whose questions have a misconception among their beliefs, as links."""
    fields = {
        f for item in ITEMS.values() if misconception in item.misconceptions for f in item.fields
    }
    pages = dict.fromkeys(step_of(field) for field in STEPS if field in fields)
    return ", ".join(f"[{page.title}]({page.url_path})" for page in pages) or "–"


def _opening(name: str, lesson: Lesson, label: str) -> str:
    """The link that opens a lesson, as Markdown."""
    return f"[{label}]({lesson.url(0, name)})"


def _lesson(view: StoryView, name: str, lesson: Lesson) -> list[b.Block]:
    """What students can do after a lesson, and what it can be taken along as."""
    goals = "\n".join(f"- {goal}" for goal in lesson.goals)
    link = f"{view.home}?lesson={name}"
    return [
        b.Text(f"Students need: {lesson.needs}\n\nAfterwards they can:\n\n{goals}"),
        b.Text(f"**{_opening(name, lesson, 'Open the lesson')}**"),
        b.Row(
            (
                b.File("Teacher’s sheet", f"{name}.html", partial(lesson_sheet, lesson, link)),
                b.File("Tasks for students", f"{name}-tasks.html", partial(task_sheet, lesson)),
                *lesson_files(name, lesson),
                b.File("Lesson file", f"{name}.json", partial(write_lesson, lesson)),
            )
        ),
        b.InTheApp(f"change {name}", says=False),
        b.ShareLink("", {"lesson": name}),
    ]


def lesson_files(name: str, lesson: Lesson) -> tuple[b.File, b.File]:
    """A lesson as a page for students, and as a package for a learning platform."""
    return (
        b.File("Students’ page", f"{name}-page.html", partial(lesson_file, lesson)),
        b.File("For a learning platform (SCORM)", f"{name}.zip", partial(course_package, lesson)),
    )


def _links(values: b.Values) -> list[b.Block]:
    """A link to a page with the controls as they are now."""
    sets = {name: value for look in values[LOOK.key] for name, value in LOOKS[look].items()}
    return [
        b.Text("The link holds the layer as it is now: sentence, sizes, weights, mask and cell."),
        b.row(values, PAGE, LOOK),
        b.ShareLink(page_of(values[PAGE.key]).url_path, sets),
    ]


FOR_TEACHERS = BlockPage("for-teachers", _choices, _blocks, PART)
