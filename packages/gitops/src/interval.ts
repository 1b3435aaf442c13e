import { parseDuration } from '@waygate/text';

/** A duration of a spec in milliseconds; the fallback when there is none or it makes no sense. */
export function durationMs(text: string | undefined, fallbackMs: number): number {
  if (text === undefined || text === '') return fallbackMs;
  try {
    return Math.max(parseDuration(text), 0);
  } catch {
    return fallbackMs;
  }
}

/** An interval that differs a little each time, so that many objects do not all come at once. */
export function jittered(ms: number, share: number, random: () => number): number {
  return ms * (1 + share * (2 * random() - 1));
}
