import { Course, courseApi } from "../../assets/board/keep/course.js";
import { movedTo, placesOf } from "../../assets/board/scene/places.js";
import { openPool } from "../../assets/board/scene/pool.js";
import { assert, test } from "./testing.js";

test("entries of a pool stand in their places, and one that is shared is the same object", () => {
  const entry = openPool([[1, 2], { a: { $: 0 }, b: [{ $: 0 }, null, "x"] }]);
  assert.deepEqual(entry(1), { a: [1, 2], b: [[1, 2], null, "x"] });
  assert.equal(entry(1).a, entry(0));
});

const AXES = { H: "head", T: "query", S: "key", K: "feature" };
const SCENE = {
  arrays: { scores: { axes: ["B", "H", "T", "S"], shape: [1, 2, 5, 7] }, fused: { axes: ["B", "T", "H·K"], shape: [1, 5, 3], start: [0, 0, 3] } },
  axes: { "H·K": { block: 3 } },
  cell: { array: "scores", index: [0, 1, 2, 3] },
  sentence: { query: 2 },
  stage: { guess: { index: [0, 1, 4, 6] } },
};

test("a cell names places, and along an axis with blocks two", () => {
  assert.deepEqual(placesOf(SCENE, SCENE.cell, AXES), { head: 1, query: 2, key: 3 });
  assert.deepEqual(placesOf(SCENE, { array: "fused", index: [0, 4, 5] }, AXES), { query: 4, head: 1, feature: 2 });
});

test("a scene moves to the places that it has, and asks no more for the cell that it explains", () => {
  const moved = movedTo(SCENE, { query: 4, key: 99, feature: 1 }, AXES);
  assert.deepEqual(moved.cell.index, [0, 1, 4, 6]);
  assert.deepEqual([moved.stage.guess, moved.sentence.query], [null, 4]);
  const wide = movedTo({ ...SCENE, cell: { array: "fused", index: [0, 0, 5] } }, { feature: 1, query: 3 }, AXES);
  assert.deepEqual(wide.cell.index, [0, 3, 4]);
  assert.deepEqual(movedTo(SCENE, {}, AXES).cell, SCENE.cell);
});

function platform(held = {}) {
  const told = { ...held };
  const API = { LMSInitialize: () => (told.began = true), LMSGetValue: (name) => told[name] ?? "", LMSSetValue: (name, value) => (told[name] = value), LMSCommit: () => (told.kept = (told.kept ?? 0) + 1), LMSFinish: () => (told.ended = true) };
  const top = { API };
  const page = { parent: { parent: top }, addEventListener: (_, act) => (page.leave = act) };
  return { told, page };
}

test("a platform is found in a frame above, and not where a frame may not be looked into", () => {
  const { page } = platform();
  assert.ok(courseApi(page));
  const closed = { top: {}, get parent() { throw new Error("another site"); } };
  assert.equal(courseApi(closed), null);
});

test("a lesson is complete when all moments were seen and all questions answered; first answers count", () => {
  const { told, page } = platform({ "cmi.core.lesson_location": "2" });
  const course = new Course(page, 3, [0, 2]);
  assert.equal(course.last, 2);
  for (const place of [0, 1, 2]) course.visit(place);
  assert.equal(told["cmi.core.lesson_status"], "incomplete");
  course.answer(0, true);
  course.answer(2, false);
  course.answer(2, true);
  assert.deepEqual([told["cmi.core.lesson_status"], told["cmi.core.score.raw"], told["cmi.core.lesson_location"]], ["completed", "50", "2"]);
  page.leave();
  assert.deepEqual([told.began, told.ended], [true, true]);
});

test("a later visit goes on where the last one ended, and nonsense of a platform is ignored", () => {
  const { told, page } = platform();
  const first = new Course(page, 2, [0]);
  first.visit(0);
  first.answer(0, true);
  page.leave();
  assert.equal(told["cmi.core.exit"], "suspend");
  const again = new Course(page, 2, [0]);
  again.visit(1);
  assert.deepEqual([told["cmi.core.lesson_status"], told["cmi.core.score.raw"]], ["completed", "100"]);
  for (const text of ["", "null", "{}", '{"seen":[9,-1,"a"],"answers":[[7,true]]}', "7"]) {
    const other = platform({ "cmi.suspend_data": text });
    assert.deepEqual([new Course(other.page, 2, [0]).isComplete, other.told.began], [false, true]);
  }
});

test("without a platform nothing is told, and without answers there is no score", () => {
  const course = new Course({ parent: null }, 1, []);
  course.visit(0);
  assert.deepEqual([course.isComplete, course.score, course.last], [true, null, 0]);
});
