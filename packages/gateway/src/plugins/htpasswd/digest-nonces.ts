import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What became of a nonce that a client answered with. */
export type NonceVerdict = 'good' | 'stale' | 'unknown';

/** As nginx's module for digest authentication has them, where its settings are not set. */
const answerSeconds = 60;
const useSeconds = 10;
const maximumUses = 20;
const maximumFailures = 5;
const evasionSeconds = 300;
/** Clients, and nonces, that are remembered. */
const maximumRemembered = 100_000;

/**
 * Hands out nonces and counts their use. A nonce that nobody has answered yet costs no memory: it carries
 * its time and a signature. One that was answered serves a while for further requests, each with a number
 * of its own.
 */
export class DigestNonces {
  readonly #secret = randomBytes(32);
  /** Until when each serves, and which numbers it was used with. */
  readonly #used = new Map<string, { readonly untilMs: number; readonly counts: Set<number> }>();
  readonly #failures = new Map<string, { readonly untilMs: number; readonly count: number }>();

  create(nowMs: number): string {
    const seconds = Math.floor(nowMs / 1_000);
    const body = seconds.toString(16).padStart(10, '0') + randomBytes(8).toString('hex');
    return body + this.#signature(body);
  }

  /** Uses a nonce for a request whose answer is right. A number is good once. */
  use(nonce: string, count: number, nowMs: number): NonceVerdict {
    if (!this.#isOurs(nonce)) return 'unknown';
    const known = this.#used.get(nonce);
    if (known === undefined) {
      const createdMs = Number.parseInt(nonce.slice(0, 10), 16) * 1_000;
      if (nowMs - createdMs > (answerSeconds + 1) * 1_000) return 'stale';
      this.#sweep(nowMs);
      if (this.#used.size >= maximumRemembered) {
        // One that is forgotten too early could be used anew: better the client asks again.
        return 'stale';
      }
      this.#used.set(nonce, { untilMs: nowMs + useSeconds * 1_000, counts: new Set([count]) });
      return 'good';
    }
    const isOver = nowMs > known.untilMs || known.counts.size >= maximumUses;
    if (isOver || known.counts.has(count)) return 'stale';
    known.counts.add(count);
    return 'good';
  }

  /** Whether a client was wrong so often that it is not listened to for a while. */
  isEvaded(client: string, nowMs: number): boolean {
    const known = this.#failures.get(client);
    return known !== undefined && nowMs <= known.untilMs && known.count >= maximumFailures;
  }

  noteFailure(client: string, nowMs: number): void {
    const known = this.#failures.get(client);
    const before = known !== undefined && nowMs <= known.untilMs ? known.count : 0;
    this.#failures.delete(client);
    const untilMs = nowMs + evasionSeconds * 1_000;
    this.#failures.set(client, { untilMs, count: before + 1 });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maximumRemembered && oldest !== undefined) {
      this.#failures.delete(oldest);
    }
  }

  noteSuccess(client: string): void {
    this.#failures.delete(client);
  }

  #isOurs(nonce: string): boolean {
    if (!/^[0-9a-f]{58}$/.test(nonce)) return false;
    const expected = Buffer.from(this.#signature(nonce.slice(0, 26)));
    return timingSafeEqual(expected, Buffer.from(nonce.slice(26)));
  }

  #signature(body: string): string {
    return createHmac('sha256', this.#secret).update(body).digest('hex').slice(0, 32);
  }

  /** Those that are so old that their time alone refuses them; the oldest come first. */
  #sweep(nowMs: number): void {
    for (const [nonce, { untilMs }] of this.#used) {
      if (nowMs - untilMs <= (answerSeconds + 1) * 1_000) return;
      this.#used.delete(nonce);
    }
  }
}
