// What a learning platform is told of a lesson: SCORM 1.2, if a frame above this page offers it.

const MAX_FRAMES = 7; // above this one, as the run-time environment of SCORM 1.2 advises

/** The object API of a frame above the page, or of the window that opened it; null without a platform. */
export function courseApi(page) {
  return seen(() => apiAbove(page)) ?? seen(() => apiAbove(page.top.opener));
}

function apiAbove(frame) {
  for (let above = 0, one = frame; one && above <= MAX_FRAMES; above += 1, one = one.parent === one ? null : one.parent) {
    if (one.API) return one.API;
  }
  return null;
}

// A frame of another site may not be looked into.
function seen(look) {
  try {
    return look();
  } catch {
    return null;
  }
}

/** Tells a platform how far a lesson is. count: of its moments; asked: the moments with answers to choose from. */
export class Course {
  constructor(page, count, asked) {
    Object.assign(this, { api: courseApi(page), count, asked, seen: new Set(), answers: new Map() });
    if (!this.api) return;
    this.api.LMSInitialize("");
    this.resume(this.api.LMSGetValue("cmi.suspend_data"));
    page.addEventListener("pagehide", () => this.end());
  }

  // What earlier visits have seen and answered; a platform may hold anything.
  resume(text) {
    try {
      const { seen, answers } = JSON.parse(text);
      const isPlace = (place) => Number.isInteger(place) && place >= 0 && place < this.count;
      for (const place of seen) if (isPlace(place)) this.seen.add(place);
      for (const [place, right] of answers) if (isPlace(place)) this.answers.set(place, right === true);
    } catch {
      // Then everything is still to be seen.
    }
  }

  /** The moment at which the last visit ended, or 0. */
  get last() {
    const place = Number(this.api?.LMSGetValue("cmi.core.lesson_location"));
    return Number.isInteger(place) && place > 0 && place < this.count ? place : 0;
  }

  visit(place) {
    this.seen.add(place);
    this.tell({ "cmi.core.lesson_location": place });
  }

  /** Note an answer; the first of a moment counts. */
  answer(place, right) {
    if (!this.answers.has(place)) this.answers.set(place, right);
    this.tell({});
  }

  get isComplete() {
    return this.seen.size === this.count && this.asked.every((place) => this.answers.has(place));
  }

  /** The share of right answers in percent; null if the lesson offers none. */
  get score() {
    const right = this.asked.filter((place) => this.answers.get(place)).length;
    return this.asked.length ? Math.round((100 * right) / this.asked.length) : null;
  }

  tell(values) {
    if (!this.api) return;
    const score = this.score === null ? {} : { "cmi.core.score.min": 0, "cmi.core.score.max": 100, "cmi.core.score.raw": this.score };
    const kept = JSON.stringify({ seen: [...this.seen], answers: [...this.answers] });
    const all = { ...values, ...score, "cmi.suspend_data": kept, "cmi.core.lesson_status": this.isComplete ? "completed" : "incomplete" };
    for (const [name, value] of Object.entries(all)) this.api.LMSSetValue(name, String(value));
    this.api.LMSCommit("");
  }

  end() {
    this.api?.LMSSetValue("cmi.core.exit", this.isComplete ? "" : "suspend");
    this.api?.LMSFinish("");
    this.api = null;
  }
}
