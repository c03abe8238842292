// The cell in focus from scene to scene: its places by name, such as query 3. axes: the name of the place along each axis.

/** The places that a cell of a scene names. Along an axis with blocks lie two: the head, and the feature in its block. */
export function placesOf(scene, { array, index }, axes) {
  const places = {};
  scene.arrays[array].axes.forEach((letter, axis) => {
    const { block } = scene.axes[letter] ?? {};
    if (block) Object.assign(places, { head: Math.floor(index[axis] / block), feature: index[axis] % block });
    else if (axes[letter]) places[axes[letter]] = index[axis];
  });
  return places;
}

/** The scene with its cell at other places, as far as it has them; without its question if that asks for the new cell. */
export function movedTo(scene, places, axes) {
  const { cell } = scene;
  const array = cell && scene.arrays[cell.array];
  if (!array) return scene;
  const index = array.axes.map((letter, axis) => {
    const [start, size] = [array.start?.[axis] ?? 0, array.shape[axis]];
    const { block } = scene.axes[letter] ?? {};
    const place = block ? Math.floor(cell.index[axis] / block) * block + Math.min(places.feature ?? cell.index[axis] % block, block - 1) : places[axes[letter]];
    if (place === undefined || place < start) return cell.index[axis];
    return Math.min(place, start + size - 1);
  });
  const stage = { ...scene.stage };
  if (stage.guess && JSON.stringify(stage.guess.index) === JSON.stringify(index)) stage.guess = null;
  const sentence = scene.sentence && places.query !== undefined ? { ...scene.sentence, query: places.query } : scene.sentence;
  return { ...scene, cell: { array: cell.array, index }, stage, ...(sentence ? { sentence } : {}) };
}
