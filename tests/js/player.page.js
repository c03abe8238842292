import { Player } from "../../assets/board/play/player.js";
import { openScene } from "../../assets/board/scene/scene.js";
import { click, current, dressedScene, point, press, standing } from "./stand.js";
import { along, array, productScene } from "./scenes.js";
import { assert, test, wait } from "./testing.js";

/** A board with a way to press the player's buttons; act gives what is played then: "cell.terms" or "cell =" with a result. */
function playing(scene = dressedScene()) {
  const stand = standing(scene);
  const [scrubber, chooser, stop] = [".scrubber", ".speed", ".tool.stop"].map(stand.find);
  const told = () => {
    const terms = stand.root.querySelectorAll(".terms .chip").length;
    return stop.disabled ? "all" : `${scrubber.value}${stand.find(".arithmetic .result") ? " =" : `.${terms}`}`;
  };
  const act = (name) => {
    stand.find(`.tool.${name}`).click();
    return told();
  };
  const scrub = (place) => {
    scrubber.value = place;
    scrubber.dispatchEvent(new Event("input"));
    return told();
  };
  const choose = (speed) => {
    chooser.value = speed;
    chooser.dispatchEvent(new Event("change"));
  };
  return { ...stand, scrubber, stop, told, act, scrub, choose, toggle: stand.find(".tool.play") };
}

test("where numbers are only moved, or two are added, speed and unit are not offered", () => {
  const copy = { operation: "copy", length: 1, reads: [{ array: "left", at: [along(0), along(1), along(2)] }] };
  const rules = { sum: null, copied: copy, added: { ...copy, operation: "sum", adds: copy.reads } };
  const offered = Object.entries(rules).map(([name, rule]) => {
    const stand = standing(dressedScene((scene) => {
      const arrays = { ...scene.arrays, result: { ...scene.arrays.left, role: "output" } };
      if (rule) Object.assign(scene, { arrays, rules: { result: rule }, cell: { array: "result", index: [0, 0, 0] } });
    }));
    const shown = [".unit", ".speed"].map((one) => !stand.find(one).hidden);
    return [name, ...shown];
  });
  assert.deepEqual(offered, [["sum", true, true], ["copied", false, false], ["added", false, false]]);
});

/** Whether a cell is drawn in a colour, near its upper left corner. */
function isFilled({ board, find }, array_, index) {
  const { x, y } = board.where({ array: array_, index });
  const frame = find(".stage").getBoundingClientRect();
  const ratio = find(".base").width / find(".base").clientWidth;
  const at = [x - frame.left - 7, y - frame.top - 7].map((side) => Math.round(side * ratio));
  return find(".base").getContext("2d").getImageData(...at, 1, 1).data[3] > 0;
}

/** A player of a product of so many terms, without a board: played holds what it told of each moment. */
function alone(length) {
  const model = openScene(productScene());
  const panel = model.panels.find(({ role }) => role === "result");
  const played = [];
  const board = { model, slices: { result: [0, 0, 0] }, has: () => true, played: (flying) => played.push(flying) };
  const player = new Player(document.createElement("div"), board);
  player.adopt({ panel, array: model.arrays.result }, { ...model.rules.result, length });
  return { player, played };
}

test("numbers fly as long as a step takes, and not at the fastest speed, where they would be a flicker", () => {
  const told = (speed) => {
    const { player, played } = alone(3);
    player.speed = speed;
    player.play();
    player.go({ cell: 1, beat: 1 });
    return played.map(({ fly, pace }) => `${fly} ${pace}`).join();
  };
  assert.deepEqual(["slow", "normal", "fast"].map(told), ["true 1500,true 600", "true 600,true 600", "false 160,true 600"]);
});

test("what lights up at a moment are the terms that came since the one before; with the result, and before playing, nothing does", () => {
  const { player } = alone(80);
  const lit = (beat) => {
    player.go({ cell: 0, beat });
    return player.lit;
  };
  assert.equal(player.lit, null);
  assert.deepEqual([0, 1, 39, 40].map(lit), [[0, 2], [2, 4], [78, 80], null]);
  player.stop();
  assert.equal(player.lit, null);
});

test("one step on is one term more, then the result, then the next cell; one step back undoes it", () => {
  const stand = playing();
  assert.equal(stand.told(), "all");
  assert.deepEqual(["next", "next", "next", "next", "next", "next"].map(stand.act), ["0.1", "0.2", "0.3", "0 =", "1.1", "1.2"]);
  assert.equal(current(stand), "result 0,0,1");
  assert.ok(stand.root.querySelectorAll(".terms .chip")[1].classList.contains("now"));
  assert.deepEqual(["previous", "previous", "previous"].map(stand.act), ["1.1", "0 =", "0.3"]);
  assert.deepEqual(["first", "previous"].map(stand.act), ["0.1", "0.1"], "before the first moment there is none");
  assert.deepEqual(["last", "next"].map(stand.act), ["9 =", "9 ="], "after the last one, neither");
});

test("the slider leads to a cell with its result, and says where that lies", () => {
  const stand = playing();
  assert.deepEqual([stand.scrubber.max, stand.scrubber.value, stand.scrubber.getAttribute("aria-valuetext")], ["9", "9", "all cells"]);
  assert.equal(stand.scrub(7), "7 =");
  assert.equal(current(stand), "result 0,1,2");
  assert.equal(stand.scrubber.getAttribute("aria-valuetext"), "head 0, row 1 b, column 2 r");
});

test("what is not computed yet is neither drawn nor told to who points at it; other matrices of the stack are", () => {
  const stand = playing();
  stand.scrub(6);
  const filled = (places) => places.map((index) => isFilled(stand, "result", index));
  assert.deepEqual(filled([[0, 0, 4], [0, 1, 1], [0, 1, 2]]), [true, true, false]);
  point(stand, "result", [0, 1, 3]);
  assert.equal(current(stand), "result 0,1,1");
  point(stand, "result", [0, 0, 3]);
  assert.equal(current(stand), "result 0,0,3");
  stand.act("next");
  assert.deepEqual([current(stand), ...filled([[0, 1, 2]])], ["result 0,1,2", false], "its sum is not complete");
  press(stand, "result", "PageDown");
  assert.deepEqual([current(stand), ...filled([[1, 1, 4]])], ["result 1,1,2", true]);
  assert.equal(stand.act("stop"), "all");
  assert.deepEqual([current(stand), ...filled([[0, 1, 4]])], ["result 0,1,2", true]);
});

test("playing ends at the last cell, and begins anew there", async () => {
  const stand = playing();
  assert.equal(stand.find(".speed").value, "normal");
  stand.choose("fast");
  stand.scrub(8);
  assert.deepEqual([stand.toggle.title, stand.toggle.getAttribute("aria-label")], ["Play the computation", "Play the computation"]);
  const sign = () => stand.toggle.querySelector("path").getAttribute("d");
  const play = sign();
  assert.deepEqual([stand.act("play"), stand.toggle.title, sign() === play], ["8 =", "Pause", false]);
  point(stand, "left", [0, 0, 0]);
  assert.equal(current(stand), "result 0,1,3", "a hand that rests on the board stops nothing");
  await wait(250);
  assert.deepEqual([stand.told(), stand.toggle.title], ["9 =", "Pause"]);
  await wait(200);
  assert.deepEqual([stand.told(), stand.toggle.title], ["9 =", "Play the computation"]);
  assert.deepEqual(["play", "play"].map(stand.act), ["0 =", "0 ="], "pressed again it pauses");
  await wait(250);
  assert.equal(stand.told(), "0 =");
});

test("at other speeds playing begins with the first term, and goes on where it was paused", async () => {
  const stand = playing();
  assert.equal(stand.act("play"), "0.1");
  await wait(700);
  assert.deepEqual(["play", "play", "stop"].map(stand.act), ["0.2", "0.2", "all"]);
  await wait(700);
  assert.equal(stand.told(), "all");
});

test("every other act ends the playing: a step, a click, keys, or the end of the board", async () => {
  for (const [name, expected] of Object.entries({ next: "0.2", previous: "0.1", first: "0.1", last: "9 =" })) {
    const stand = playing();
    stand.act("play");
    assert.deepEqual([stand.act(name), stand.toggle.title], [expected, "Play the computation"]);
  }
  const stand = playing();
  stand.act("play");
  press(stand, "result", "ArrowDown");
  assert.deepEqual([stand.toggle.title, stand.told().slice(0, 1)], ["Play the computation", "0"]);
  for (const act of [() => click(stand, "left", [0, 0, 2]), () => press(stand, "result", "Escape")]) {
    stand.act("play");
    act();
    assert.deepEqual([stand.told(), current(stand)], ["all", "left 0,0,2"]);
  }
  stand.choose("fast");
  stand.act("play");
  stand.end();
  await wait(400);
  assert.equal(stand.scrubber.value, "0", "a board that is gone stands still");
});

test("other numbers keep the moment, and where the new scene has no such moment, all is shown", () => {
  const sized = (columns, length) =>
    dressedScene((scene) => {
      scene.arrays.right = array([columns, 3], "SK", Array(3 * columns).fill(columns), { role: "key" });
      scene.arrays.result = array([2, 2, columns], "HTS", null, { title: "result" });
      scene.rules.result.length = length;
    });
  const stand = playing();
  stand.scrub(4);
  stand.board.update(sized(5, 3));
  assert.equal(stand.told(), "4 =");
  assert.equal(current(stand), "result 0,0,4");
  stand.board.update(sized(5, 2));
  assert.deepEqual([stand.told(), stand.act("previous")], ["4 =", "4.2"], "fewer terms");
  stand.scrub(9);
  stand.board.update(sized(4, 3));
  assert.deepEqual([stand.told(), stand.scrubber.max, current(stand)], ["all", "7", "result 0,1,2"]);
});

test("a scene without a rule or a player has no buttons for it, and none of the one before goes on", () => {
  const stand = playing();
  const shown = (change) => (stand.board.update(dressedScene(change)), !stand.find(".player").hidden);
  stand.scrub(3);
  assert.deepEqual([shown((scene) => (scene.rules = {})), current(stand)], [false, "result 0,1,2"]);
  assert.deepEqual([shown(), stand.told()], [true, "all"]);
  assert.equal(shown((scene) => (scene.player = false)), false);
});

test("what is given or added has its own moments", () => {
  const given = playing(dressedScene(({ rules }) => (rules.result = { operation: "given" })));
  assert.deepEqual(["first", "next", "next"].map(given.act), ["0 =", "1 =", "2 ="]);
  const added = playing(dressedScene(({ arrays, rules }) => {
    arrays.bias = array([5], "S", [1, 2, 3, 4, 5]);
    rules.result.adds = [{ array: "bias", at: [along(2)] }];
  }));
  assert.deepEqual(["next", "next", "next", "next", "next"].map(added.act), ["0.1", "0.2", "0.3", "0.4", "0 ="]);
});

test("where motion is unwelcome, steps go from result to result", () => {
  const real = window.matchMedia;
  window.matchMedia = (query) => (query.includes("reduced-motion") ? { matches: true } : real.call(window, query));
  const stand = playing();
  window.matchMedia = real;
  assert.deepEqual(["next", "next", "previous", "play"].map(stand.act), ["0 =", "1 =", "0 =", "0 ="]);
  assert.deepEqual(["stop", "play"].map(stand.act), ["all", "0 ="]);
});
