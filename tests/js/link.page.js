import { framed } from "./framed.js";
import { assert, test } from "./testing.js";

/** The app's page with its corner, a clipboard or none, and an old command that copies or does not. */
async function corner({ writeText = null, copies = false }) {
  const before = (page) => {
    Object.defineProperty(page.navigator, "clipboard", { value: writeText ? { writeText } : undefined });
    page.document.execCommand = () => copies;
  };
  const { page, find, end } = await framed("link.js", "/scores?head=1", { before });
  const [said, button, field] = [".said", "button.link", ".by-hand input"].map((part) => find(`#attention-corner ${part}`));
  const press = async () => {
    button.click();
    await new Promise((resolve) => setTimeout(resolve));
    return [said.textContent, field.checkVisibility()];
  };
  return { page, find, button, field, press, end };
}

test("the link is copied by the clipboard", async () => {
  const taken = [];
  const { page, press, end } = await corner({ writeText: async (text) => taken.push(text) });
  assert.deepEqual([await press(), taken], [["Copied", false], [page.location.href]]);
  end();
});

test("without a clipboard, or leave to use it, the old command copies what is selected", async () => {
  const writeText = async () => {
    throw new Error("no leave");
  };
  for (const clipboard of [{}, { writeText }]) {
    const { page, press, field, end } = await corner({ copies: true, ...clipboard });
    assert.deepEqual([await press(), field.value], [["Copied", false], page.location.href]);
    end();
  }
});

test("where nothing copies the link stands selected, to be copied by hand, until Escape", async () => {
  const { page, find, button, field, press, end } = await corner({});
  assert.deepEqual(await press(), ["", true]);
  const chosen = field.value.slice(field.selectionStart, field.selectionEnd);
  assert.deepEqual([chosen, page.document.activeElement === field], [page.location.href, true]);
  field.dispatchEvent(Object.assign(new Event("keydown", { bubbles: true }), { key: "Escape" }));
  assert.deepEqual([find(".by-hand").hidden, page.document.activeElement === button], [true, true]);
  end();
});
