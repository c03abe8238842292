const NARROW_WINDOW = 640; // px; narrower or lower windows scroll a step
const LOW = 380;
const FITTING = { narrow: 420, low: 260, menu: 72 }; // px, the same for a board without words; menu: the height at the top that the menu covers
const WINDOW_MARGIN = 8;
const ROOMY = { plain: 26, lecture: 32 }; // px, the height of a cell with a number that has room to spare
const PAPER_SHAPE = 0.62; // the height of the picture of a layer on paper, to its width

/**
 * The room for which a step, or a board that fits, is laid out: {width, height}; null if it is scrolled.
 *
 * A board that begins in the first window also ends in it; one further below gets a window of its own. On paper only the
 * picture of a layer keeps its columns, which its arrows need.
 */
export function roomFor({ model, surroundings }, section) {
  const { stage, fits: asked, panels, zoom, flow } = model ?? {};
  const fits = asked && (zoom ?? 1) === 1; // larger type has its own size
  const width = Math.floor(section.clientWidth);
  if (surroundings.now().printed) return flow ? { width, height: Math.round(PAPER_SHAPE * width) } : null;
  if (!(stage ? panels.length : fits)) return null;
  if (window.innerWidth < NARROW_WINDOW || width < (stage ? NARROW_WINDOW : FITTING.narrow)) return null;
  const scroller = document.querySelector("[data-testid=stMain]");
  const above = section.getBoundingClientRect().top + (scroller ? scroller.scrollTop : window.scrollY);
  const free = Math.floor(window.innerHeight - above - WINDOW_MARGIN);
  const height = stage || free >= FITTING.low ? free : window.innerHeight - FITTING.menu - WINDOW_MARGIN;
  return height < (stage ? LOW : FITTING.low) ? null : { width, height };
}

/** px between the words of a step and the sentence below them. */
export const BELOW_WORDS = 4;

/**
 * The layout of a board with its sentence, {plan, sentence: its height}: above a board without words, or below the words of a
 * step. A small sentence is left out if it would cost numbers. space: see `fitStage`.
 */
export function planStep({ picture, starts, model }, about, space) {
  const room = (width) => about.room(width, space.height);
  const plain = () => ({ plan: picture.planStage(space, starts), sentence: 0 });
  if (!room(space.width)) return plain();
  if (!model.stage) {
    const sentence = room(space.width);
    return { plan: picture.planStage({ ...space, top: sentence }, starts), sentence };
  }
  const under = (width) => room(width) && room(width) + BELOW_WORDS;
  const rich = picture.planStage({ ...space, words: (width, wide) => space.words(width, wide) + under(width) }, starts);
  const found = rich && { plan: rich, sentence: room(rich.words.width) };
  const roomy = model.stage.lecture ? ROOMY.lecture : ROOMY.plain;
  if (about.isLarge || (rich?.cell.digits >= 0 && rich.cell.height >= roomy)) return found ?? plain();
  const other = plain();
  return found && !model.stage.lecture && rich.cell.digits === other.plan.cell.digits && rich.cell.height > 0.9 * other.plan.cell.height ? found : other;
}
