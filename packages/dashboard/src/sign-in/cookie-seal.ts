import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const vectorBytes = 12;
const tagBytes = 16;
/** Shorter ones can be guessed. */
const leastSecret = 32;

/**
 * Puts what a server must know again into a cookie that only servers with the same secret can read or make:
 * several replicas behind one address, or one that was started anew, know a person by it.
 *
 * ```ts
 * const seal = new CookieSeal(Buffer.alloc(32, 'secret'));
 * const sealed = seal.seal('session', { name: 'ann' });
 * seal.open('session', sealed); // { name: 'ann' }
 * seal.open('sign-in', sealed); // undefined
 * ```
 */
export class CookieSeal {
  readonly #key: Buffer;
  readonly #secret: Buffer;

  /** @throws RangeError when the secret is too short */
  constructor(secret: Buffer) {
    if (secret.length < leastSecret)
      throw new RangeError(`it must have at least ${leastSecret} bytes`);
    this.#secret = secret;
    this.#key = this.keyFor('seal');
  }

  /** A key for one use, the same wherever the secret is. */
  keyFor(use: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secret, '', `waygate dashboard ${use}`, 32));
  }

  /** What is sealed for one use opens for no other. */
  seal(use: string, value: unknown): string {
    const vector = randomBytes(vectorBytes);
    const cipher = createCipheriv(algorithm, this.#key, vector).setAAD(Buffer.from(use));
    const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return Buffer.concat([vector, cipher.getAuthTag(), text]).toString('base64url');
  }

  /** Undefined for what was not sealed with this secret for this use, whole. */
  open(use: string, sealed: string): unknown {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length <= vectorBytes + tagBytes) return undefined;
    const vector = bytes.subarray(0, vectorBytes);
    const tag = bytes.subarray(vectorBytes, vectorBytes + tagBytes);
    const options = { authTagLength: tagBytes };
    const decipher = createDecipheriv(algorithm, this.#key, vector, options)
      .setAAD(Buffer.from(use))
      .setAuthTag(tag);
    try {
      const text = [decipher.update(bytes.subarray(vectorBytes + tagBytes)), decipher.final()];
      return JSON.parse(Buffer.concat(text).toString('utf8'));
    } catch {
      // Another secret's, another use's, or changed: it says nothing.
      return undefined;
    }
  }
}
