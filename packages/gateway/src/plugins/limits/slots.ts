/** How many slots of a key each process holds. */
type Holders = Map<number, number>;

/**
 * Slots for requests under way, by key. A process that ended without giving its slots back holds none:
 * that is found out when somebody would be refused for it.
 */
export class Slots {
  readonly #holders = new Map<string, Holders>();
  readonly #isAlive: (processId: number) => boolean;

  constructor(isAlive: (processId: number) => boolean) {
    this.#isAlive = isAlive;
  }

  take(key: string, limit: number, processId: number): boolean {
    let holders = this.#holders.get(key);
    if (holders !== undefined && total(holders) >= limit) {
      for (const id of [...holders.keys()]) {
        if (!this.#isAlive(id)) holders.delete(id);
      }
      if (total(holders) >= limit) return false;
    }
    if (holders === undefined) {
      holders = new Map();
      this.#holders.set(key, holders);
    }
    holders.set(processId, (holders.get(processId) ?? 0) + 1);
    return true;
  }

  give(key: string, processId: number): void {
    const holders = this.#holders.get(key);
    const held = holders?.get(processId) ?? 0;
    if (held > 1) {
      holders?.set(processId, held - 1);
    } else {
      holders?.delete(processId);
    }
    if (holders?.size === 0) this.#holders.delete(key);
  }

  /** Keys of which any slot is taken. */
  get size(): number {
    return this.#holders.size;
  }
}

function total(holders: Holders): number {
  let sum = 0;
  for (const held of holders.values()) sum += held;
  return sum;
}

/** Whether a process of this machine is there. */
export function isProcessAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}
