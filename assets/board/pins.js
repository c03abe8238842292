/** The pinned cell: the server's answers to earlier pins do not undo later ones. */
export class Pins {
  constructor() {
    Object.assign(this, { cell: null, sent: [], served: null });
  }

  /** Pin a cell here; the server is told elsewhere. */
  add({ array, index }) {
    this.cell = { array, index: [...index] };
    this.sent.push(JSON.stringify(this.cell));
  }

  /**
   * Take the cell that a scene has pinned, unless it is the answer to an earlier pin; valid says whether it exists.
   * Gives whether another cell than before is pinned now.
   */
  adopt(cell, valid) {
    const key = JSON.stringify(cell ? { array: cell.array, index: cell.index } : null);
    if (key === this.served) return false;
    this.served = key;
    const answered = this.sent.indexOf(key);
    this.sent = answered >= 0 ? this.sent.slice(answered + 1) : [];
    if (this.sent.length) return false;
    const before = this.cell;
    this.cell = valid ? cell : null;
    return Boolean(before) && !(this.cell && this.holds(before));
  }

  /** A new scene: forget a cell that it does not have. */
  renew(valid) {
    this.served = null;
    if (!valid) this.cell = null;
  }

  /** Whether a cell is the pinned one. */
  holds({ array, index }) {
    return this.cell?.array === array && index.every((place, axis) => place === this.cell.index[axis]);
  }
}
