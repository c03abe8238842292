import { markOf } from "../../assets/classroom/component.js";
import { framed } from "./framed.js";
import { assert, test, wait } from "./testing.js";

const told = { state: "open", number: 1, moments: 0, moment: "", question: { kind: "number" } };

/** The class of a page in a room, with a server that answers votes by `votes`: each is a status. */
async function seated(votes, news = [told]) {
  const sent = [];
  let [underWay, most] = [0, 0];
  const json = (status, about) => new Response(JSON.stringify(about), { status, headers: { "content-type": "application/json", "retry-after": "0.01" } });
  const fetched = async (url, { body }) => {
    if (!url.includes("/vote")) return news.length ? json(200, { tag: "t", ...(await news.shift()) }) : new Promise(() => {});
    most = Math.max(most, (underWay += 1));
    sent.push(JSON.parse(body).answer);
    await wait(5);
    underWay -= 1;
    const status = votes.shift() ?? 200;
    return json(status, status === 200 ? { value: Number(sent.at(-1)) } : { error: String(status) });
  };
  const before = (page) => Object.assign(page, { CLASS_BASE: "", fetch: fetched });
  const { page } = await framed("class.js", "/class", { before });
  page.sessionStorage.removeItem("attention-lab-class");
  page.attentionClass.join({ room: "KXRTB" });
  const settled = async (isSo) => {
    for (let tries = 0; tries < 200 && !isSo(); tries += 1) await wait(10);
  };
  await settled(() => page.attentionClass.now.told);
  const mine = () => page.attentionClass.now.seat.answers[1];
  return { page, room: page.attentionClass, sent, mine, settled, most: () => most };
}

test("of answers in quick succession one is on its way at a time, and the last one arrives", async () => {
  const { room, sent, mine, settled, most } = await seated([200, 429, 429]);
  for (let answer = 1; answer <= 8; answer += 1) room.vote(answer);
  await settled(() => mine().state === "kept");
  assert.deepEqual([sent, most()], [["1", "8", "8", "8"], 1]);
  assert.deepEqual([mine().kept, mine().value], ["8", 8]);
});

test("an answer that the server has kept stays beside a newer one that it refuses", async () => {
  const { room, mine, settled } = await seated([200, 409]);
  room.vote(6);
  await settled(() => mine().state === "kept");
  room.vote(7);
  await settled(() => mine().state === "refused");
  assert.deepEqual([mine().kept, mine().value, mine().answer, mine().error], ["6", 6, "7", "409"]);
});

test("once the right answer is told, a kept one is right up to the edge of its tolerance, as the server counts it", async () => {
  const revealed = { ...told, state: "revealed", answer: 0.3, tolerance: 0.1 };
  for (const [answer, mark] of [[0.4, "right"], [0.2, "right"], [0.41, "wrong"]]) {
    let reveal = null;
    const { room, mine, settled } = await seated([200], [told, new Promise((resolve) => (reveal = resolve))]);
    room.vote(answer);
    await settled(() => mine()?.state === "kept");
    reveal(revealed);
    await settled(() => room.now.told.state === "revealed");
    assert.deepEqual([markOf(room.now.told, mine()), markOf(revealed, undefined)], [mark, ""]);
  }
});

test("who follows is brought to pages of this app alone", async () => {
  for (const [moment, path] of [["/scores?head=1", "/scores"], ["/..//evil.example", "/class"], ["//evil.example", "/class"], ["/a/b", "/class"], ["/\\evil.example", "/class"]]) {
    const { page, room, settled } = await seated([], [told, { ...told, moments: 1, moment }]);
    await settled(() => room.now.told.moments === 1);
    assert.equal(page.location.pathname, path);
  }
});
