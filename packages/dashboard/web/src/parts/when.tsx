import { signal } from '@preact/signals';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Moves on by itself, so that "2 min ago" becomes 3. */
export const now = signal(Date.now());

export function keepTime(): void {
  setInterval(() => {
    now.value = Date.now();
  }, 10 * second);
}

/** `just now`, `4 min ago`, `3 h ago`, `2 days ago`, then a date. */
function agoText(at: number, today: number): string {
  const ms = Math.max(0, today - at);
  if (ms < 10 * second) return 'just now';
  if (ms < minute) return `${Math.floor(ms / second / 10) * 10} s ago`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`;
  if (ms < day) return `${Math.floor(ms / hour)} h ago`;
  if (ms < 14 * day) return `${Math.floor(ms / day)} d ago`;
  return new Date(at).toLocaleDateString();
}

/** For how long something has lasted: `4 min`, `3 h`, `2 days`. */
export function lastingText(since: number, today: number): string {
  const ms = Math.max(0, today - since);
  if (ms < minute) return 'under a minute';
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < day) return `${Math.floor(ms / hour)} h ${Math.floor((ms % hour) / minute)} min`;
  const days = Math.floor(ms / day);
  return days === 1 ? '1 day' : `${days} days`;
}

/** `14:03:27`, by the clock on the wall. */
export function clockText(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB', { hourCycle: 'h23' });
}

/** When it was, as people say it; the exact time on hover. */
export function Ago({ at }: { readonly at: number }) {
  const exact = new Date(at);
  return (
    <time dateTime={exact.toISOString()} title={exact.toLocaleString()}>
      {agoText(at, Math.max(now.value, at))}
    </time>
  );
}
