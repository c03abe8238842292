import { cellNumber, counted, figure, formed, haveRoom, isRounded, longestTexts, number, percent, shorten, numberTyped } from "../../assets/board/scene/numbers.js";
import { assert, test } from "./testing.js";

// Frozen from attention_viz.labels.number: value, with 3 digits, with 2 digits.
const FROZEN = [
  [0, "0.000", "0.00"],
  [-0, "0.000", "0.00"],
  [0.0625, "0.062", "0.06"],
  [-0.0625, "−0.062", "−0.06"],
  [0.1875, "0.188", "0.19"],
  [0.0005, "5.00e−04", "5.00e−04"],
  [0.001, "0.001", "1.00e−03"],
  [999999.5, "999999.500", "999999.50"],
  [1e6, "1.00e+06", "1.00e+06"],
  [1125000, "1.12e+06", "1.12e+06"],
  [1135000, "1.14e+06", "1.14e+06"],
  [Infinity, "∞", "∞"],
  [3.0005, "3.001", "3.00"],
  [0.009470803663134575, "0.009", "9.47e−03"],
  [-1.1135742170154117e-5, "−1.11e−05", "−1.11e−05"],
  [5879.9375, "5879.938", "5879.94"],
];

test("numbers read as they do everywhere else in the app, ties to the even digit", () => {
  for (const [value, three, two] of FROZEN) assert.deepEqual([value, number(value), number(value, 2)], [value, three, two]);
});

// The same table as in tests/viz/test_labels.py.
const AMONG = [
  [1.78e-5, 3, 1, "≈ 0"],
  [-2e-4, 3, 10, "≈ 0"],
  [4e-4, 3, 0.3, "4.00e−04"],
  [0.002, 2, 1, "2.00e−03"],
  [0, 3, 1, "0.000"],
  [0.25, 3, 1e6, "0.250"],
];

test("what is small beside the numbers around it and has no decimal left is near 0", () => {
  for (const [value, digits, among, text] of AMONG) assert.deepEqual([value, number(value, digits, among)], [value, text]);
});

test("a whole number of a sum has no decimals, nor has what rounding left of one", () =>
  [[6, -0, 1 - 2 ** -24, 0.5, 1e-9, -Infinity].map((value) => figure(value)), ["6", "0", "1", "0.500", "1.00e−09", "−∞"]]);

test("a number in a cell has the decimals asked for and no sign when it rounds to zero", () => {
  const cells = [[-0.297, 2], [-0.004, 2], [12.5, 0], [-Infinity, 1]];
  assert.deepEqual(cells.map(([value, digits]) => cellNumber(value, digits)), ["−0.30", "0.00", "12", "−∞"]);
});

test("a share is written in percent with one decimal", () => [percent(0.2447), "24.5 %"]);

test("a long label is cut to 14 signs, a short one is not; line breaks become spaces, and markup stays text", () => {
  const labels = ["internationalisation", "fourteen signs", "a\nb\tc", "</script>", "x".repeat(500)];
  assert.deepEqual(labels.map((label) => shorten(label)), ["international…", "fourteen signs", "a b c", "</script>", `${"x".repeat(13)}…`]);
});

test("a family of emoji is never cut in two; one letter with 500 accents is cut as well", () => {
  const family = "👩‍👩‍👧‍👦";
  assert.equal(shorten(family.repeat(3), 2), `${family}…`);
  assert.ok(shorten(`e${"\u0301".repeat(500)}`).length <= 226);
});

test("a number is rounded when digits are left off that its seven digits have", () => {
  assert.deepEqual([0.5, Math.fround(0.1), 0.50001, 2 / 3, 1234.5].map((value) => isRounded(value)), [false, false, true, true, false]);
  assert.deepEqual([0.0625, 0.03125, -3.081097].map((value) => isRounded(value, 4)), [false, true, true]);
});

test("numbers are understood with point or comma, true minus and exponent", () =>
  [["1.5", " -2,25 ", "−.5", "3e-2", "+7"].map(numberTyped), [1.5, -2.25, -0.5, 0.03, 7]]);

test("what is no finite float32 number is refused", () =>
  [["", "abc", "1.2.3", "NaN", "Infinity", "1e99", "0x10", "1 2"].map(numberTyped), Array(8).fill(null)]);

test("eighths are written with all their digits where these have room, quarters and other numbers with two decimals", () => {
  const forms = (values) => longestTexts(values).map(({ form }) => form.digits);
  assert.deepEqual(forms([0.875, -0.5, 1]), [3, 3, 2, 2]);
  assert.deepEqual([forms([0.75, 0.5]), forms([0.875, 0.3]), forms([0.5, 2])], [[2, 2], [2, 2], [2, 2, 1, 1]]);
  const three = { digits: 3, brief: true };
  assert.deepEqual([0.875, -0.875, 0.5, 1, 0].map((value) => formed(value, three)), [".875", "−.875", ".5", "1", "0"]);
  assert.ok(longestTexts([0.875, 1.5])[0].longest.includes("1.500")); // as wide as the widest could be
});

test("the numbers of another head take no room from those of the head in focus", () => {
  const two = (chosen, panels) => [{ stage: { heads: { chosen } }, panels }, { name: "scores", axes: "BHTS", shape: [1, 2, 1, 2], start: [0, 0, 0, 0], data: new Float32Array([1, 2, -31.19, 4]) }];
  const space = { measure: (text) => 6 * text.length, zoom: 1 };
  const alone = [{ array: "scores", tiles: null, rows: 2, columns: 3 }];
  const fits = (chosen, panels) => haveRoom(...two(chosen, panels), { width: 30, height: 28 }, space);
  assert.deepEqual([fits(0, alone), fits(1, alone), fits(0, [{ ...alone[0], tiles: 1 }])], [true, false, false]);
});

test("one thing is counted in the singular", () => {
  assert.deepEqual([0, 1, 2].map((count) => counted(count, "cell")), ["0 cells", "1 cell", "2 cells"]);
});
