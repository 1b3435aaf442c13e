import type { SideAnswer } from '../nginx/side-client.ts';

interface Entry {
  readonly answer: SideAnswer;
  readonly until: number;
}

/** How long answers with a status are kept. */
export interface CacheDuration {
  readonly statuses: readonly number[];
  readonly seconds: number;
}

/** Those used least recently make room. */
const maximumEntries = 10_000;

/** Answers of authentication services, by what they depend on. */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>();

  get(key: string, now: number): SideAnswer | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= now) return undefined;
    this.#entries.set(key, entry);
    return entry.answer;
  }

  put(key: string, answer: SideAnswer, durations: readonly CacheDuration[], now: number): void {
    const seconds = secondsFor(answer, durations);
    if (seconds <= 0) return;
    this.#entries.set(key, { answer, until: now + seconds * 1_000 });
    if (this.#entries.size > maximumEntries) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest ?? '');
    }
  }
}

/** As nginx's cache decides: what the answer says of itself comes first, and one with cookies is not kept. */
function secondsFor(answer: SideAnswer, durations: readonly CacheDuration[]): number {
  const { headers, status } = answer;
  const control = (headers.get('cache-control') ?? []).join(',').toLowerCase();
  if (headers.has('set-cookie') || /\b(no-store|no-cache|private)\b/.test(control)) return 0;
  if ((headers.get('vary') ?? []).includes('*')) return 0;
  const maxAge = /\b(?:s-maxage|max-age)=(\d{1,9})/.exec(control)?.[1];
  if (maxAge !== undefined) return Number(maxAge);
  return durations.find(({ statuses }) => statuses.includes(status))?.seconds ?? 0;
}
