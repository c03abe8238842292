const LAST_MOMENT = 3;

/**
 * The visible part of a result. A covered one has four moments: 0 nothing of it, 1 the explained cell, 2 its row, 3 all.
 * One that is not covered has one moment.
 *
 * Cells and rows of a covered result can be uncovered. changed is called when other cells are visible.
 */
export class Moments {
  constructor(changed) {
    Object.assign(this, { changed, moment: 0, covered: false, about: "", cells: new Set(), rows: new Set() });
  }

  /** Cover the result, or uncover it. about: what it is covered for, such as a moment of a lesson; another one covers it anew. */
  cover(covered, about = "") {
    if (covered === this.covered && about === this.about) return;
    Object.assign(this, { covered, about });
    this.go(0);
  }

  /** Go forward or back; gives whether there was such a moment. */
  step(by) {
    const next = this.moment + by;
    if (!this.covered || next < 0 || next > LAST_MOMENT) return false;
    this.go(next);
    return true;
  }

  // Forward, cells and rows that were asked for stay in sight.
  go(moment) {
    if (moment <= this.moment) for (const asked of [this.cells, this.rows]) asked.clear();
    this.moment = moment;
    this.changed();
  }

  /** Show all of a covered result, or cover it again. */
  turnOver() {
    this.go(this.hiding ? LAST_MOMENT : 0);
  }

  /** Whether any part of the result is covered. */
  get hiding() {
    return this.covered && this.moment < LAST_MOMENT;
  }

  /** Uncover a cell of the result, or a whole row; gives whether it was covered. */
  ask(index, row = null) {
    if (!this.hiding) return false;
    if (row === null) this.cells.add(index.join());
    else this.rows.add(row);
    this.changed();
    return true;
  }

  /** Whether a cell of the result is covered. focus: the index of the explained cell; axis: that of the rows, or null. */
  hides(index, focus, axis) {
    if (!this.hiding || this.cells.has(index.join()) || this.rows.has(index[axis])) return false;
    if (this.moment === 1) return !index.every((place, i) => place === focus?.[i]);
    if (this.moment === 2) return axis !== null && index[axis] !== focus?.[axis];
    return true;
  }
}
