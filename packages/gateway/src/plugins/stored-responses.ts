/** An answer that is kept to be given again. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Milliseconds since the epoch. */
  readonly storedAt: number;
  /** How long it counts as fresh, in seconds. */
  readonly ttlSeconds: number;
  /** When it is dropped; it may be kept for longer than it is fresh. */
  readonly expiresAt: number;
}

/** Answers by key, the least recently used going first when there are too many bytes of them. */
export class StoredResponses {
  readonly #limit: number;
  readonly #responses = new Map<string, StoredResponse>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  get(key: string, now: number): StoredResponse | undefined {
    const response = this.#responses.get(key);
    if (response === undefined) return undefined;
    this.#remove(key, response);
    if (response.expiresAt <= now) return undefined;
    this.#insert(key, response);
    return response;
  }

  set(key: string, response: StoredResponse): void {
    const before = this.#responses.get(key);
    if (before !== undefined) this.#remove(key, before);
    if (response.body.length > this.#limit / 8) return;
    this.#insert(key, response);
    for (const [oldKey, old] of this.#responses) {
      if (this.#bytes <= this.#limit) break;
      this.#remove(oldKey, old);
    }
  }

  /** True if there was one. */
  delete(key: string): boolean {
    const response = this.#responses.get(key);
    if (response !== undefined) this.#remove(key, response);
    return response !== undefined;
  }

  clear(): void {
    this.#responses.clear();
    this.#bytes = 0;
  }

  #insert(key: string, response: StoredResponse): void {
    this.#responses.set(key, response);
    this.#bytes += sizeOf(response);
  }

  #remove(key: string, response: StoredResponse): void {
    this.#responses.delete(key);
    this.#bytes -= sizeOf(response);
  }
}

/** An answer without a body takes room too: who asks for ever new ones must not fill the memory. */
function sizeOf({ body, headers }: StoredResponse): number {
  let size = entryBytes + body.length;
  for (const [name, value] of Object.entries(headers)) size += name.length + value.length;
  return size;
}

/** For the key and the objects of one answer. */
const entryBytes = 512;
