/** What can forget its tables. */
interface Forgetful {
  /** Forgets all; returns the cells that were in use. */
  clear(): number;
}

/** Cells of four bytes that all automatons of the process keep at most. */
const maxCells = 8 * 1024 * 1024;

/**
 * The memory of all automatons together. There may be tens of thousands of patterns; when their tables
 * grow over the limit all but the growing one are forgotten, and those in use come back by themselves.
 */
class DfaMemory {
  #cells = 0;
  readonly #holders = new Set<Forgetful>();

  get cells(): number {
    return this.#cells;
  }

  take(holder: Forgetful, cells: number): void {
    this.#cells += cells;
    this.#holders.add(holder);
    if (this.#cells <= maxCells) return;
    for (const other of this.#holders) if (other !== holder) this.give(other);
  }

  give(holder: Forgetful): void {
    this.#cells -= holder.clear();
    this.#holders.delete(holder);
  }
}

export const dfaMemory = new DfaMemory();
