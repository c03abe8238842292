// Scenes that share their parts.

/** A function that gives an entry of a pool: a list of values in which {"$": place} stands for an entry of the list. */
export function openPool(entries) {
  const opened = [];
  const entry = (place) => (opened[place] ??= whole(entries[place]));
  const whole = (part) => {
    if (part === null || typeof part !== "object") return part;
    if (Array.isArray(part)) return part.map(whole);
    if ("$" in part) return entry(part.$);
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, whole(one)]));
  };
  return entry;
}
