/**
 * Let the picture of a board rest, because the present choices make none: it stays, greyed, and only the strip of steps is
 * in reach. The page shows its start, where it says the reason.
 */
export function restPicture(board) {
  if (!board.model || !setResting(board, true)) return;
  board.hovered = null;
  board.player.stop();
  if (board.width) board.refresh();
  document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
}

/** End the rest of a picture; gives whether it has rested. */
export function wakePicture(board) {
  return setResting(board, false);
}

function setResting({ parts, step }, rests) {
  const { section, words, arcs, stage, dock, onward } = parts;
  if (section.classList.contains("rests") === rests) return false;
  section.classList.toggle("rests", rests);
  for (const part of [words, arcs, stage, dock, onward]) part.inert = rests;
  step.unskip?.(); // it leads to what is out of reach; a scene makes another
  step.unskip = null;
  return true;
}
