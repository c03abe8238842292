/** The pinned cell. The server's answers to earlier pins do not undo later ones. */
export class Pins {
  constructor() {
    Object.assign(this, { cell: null, sent: [], served: null });
  }

  /** Pin a cell; this does not inform the server. */
  add({ array, index }) {
    this.cell = { array, index: [...index] };
    this.sent.push(JSON.stringify(this.cell));
  }

  /**
   * Take the pinned cell of a scene, unless it is the answer to an earlier pin; valid(cell): whether the cell exists.
   * Gives whether the pinned cell is another one now.
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
