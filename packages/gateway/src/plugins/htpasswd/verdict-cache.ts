import { createHmac, randomBytes } from 'node:crypto';
import { isPasswordOf } from './password-hash.ts';

const maximumVerdicts = 4_096;
/** Passwords that are being looked at; beyond them nobody is let in until some are done. */
const maximumUnderWay = 64;

/**
 * Compares passwords with hashes, and remembers how it came out: a hash that takes a tenth of a second
 * takes it once, not for each request. Passwords are not kept, only what cannot be turned back.
 */
export class VerdictCache {
  readonly #secret = randomBytes(32);
  readonly #verdicts = new Map<string, boolean>();
  readonly #underWay = new Map<string, Promise<boolean>>();

  /** @returns undefined if too many are being looked at */
  check(password: Buffer, hash: string): boolean | Promise<boolean> | undefined {
    const key = createHmac('sha256', this.#secret)
      .update(`${hash.length}:${hash}`)
      .update(password)
      .digest('base64');
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const under = this.#underWay.get(key);
    if (under !== undefined || this.#underWay.size >= maximumUnderWay) return under;
    const verdict = isPasswordOf(password, hash)
      .then((isRight) => this.#keep(key, isRight))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, verdict);
    return verdict;
  }

  #keep(key: string, isRight: boolean): boolean {
    if (this.#verdicts.size >= maximumVerdicts) {
      const [oldest] = this.#verdicts.keys();
      this.#verdicts.delete(oldest ?? '');
    }
    this.#verdicts.set(key, isRight);
    return isRight;
  }
}
