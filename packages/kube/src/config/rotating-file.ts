import { readFile } from 'node:fs/promises';
import { KubeError } from '../error.ts';

interface RotatingFileOptions {
  readonly path: string;
  /** How old what was read may get. client-go rereads tokens every minute. */
  readonly maxAgeMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/**
 * The text of a file that is replaced from time to time, such as a service account's token. While
 * it cannot be read, what was read last stands.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  #text: string | undefined;
  #readAtMs = 0;
  #reading: Promise<string> | undefined;

  constructor(options: RotatingFileOptions) {
    this.#path = options.path;
    this.#maxAgeMs = options.maxAgeMs ?? 60_000;
    this.#now = options.now ?? (() => performance.now());
  }

  /** @throws KubeError `WG_KUBE_CONFIG` when it never could be read */
  async text(): Promise<string> {
    if (this.#text !== undefined && this.#now() - this.#readAtMs < this.#maxAgeMs)
      return this.#text;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Forgets what was read; the next call reads the file. True when its text has changed. */
  async reread(): Promise<boolean> {
    const before = this.#text;
    this.#readAtMs = Number.NEGATIVE_INFINITY;
    return (await this.text()) !== before;
  }

  async #read(): Promise<string> {
    try {
      this.#text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (this.#text === undefined) {
        throw new KubeError('WG_KUBE_CONFIG', `cannot read ${this.#path}`, { cause: error });
      }
    }
    this.#readAtMs = this.#now();
    return this.#text;
  }
}
