import { signal } from '@preact/signals';
import { currentSession } from '../live/dashboard.ts';
import { go } from '../place/place.ts';
import { offeredPages } from './page-list.ts';

/** What lies over the page. */
export const overlay = signal<'search' | 'help' | undefined>(undefined);

/** How long after `g` a letter still means a page. */
const leaderMs = 1_500;

let leaderAt = Number.NEGATIVE_INFINITY;

/** The keys that work on every page. Those of lists and of the graph are theirs. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
      event.preventDefault();
      overlay.value = 'search';
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (overlay.value === undefined && press(event.key, event.timeStamp)) event.preventDefault();
  });
}

function press(key: string, at: number): boolean {
  const isAfterLeader = at - leaderAt < leaderMs;
  leaderAt = Number.NEGATIVE_INFINITY;
  const page = isAfterLeader
    ? offeredPages(currentSession()).find(({ letter }) => letter === key)
    : undefined;
  if (page) {
    go(page.path);
    return true;
  }
  if (key === 'g') leaderAt = at;
  else if (key === '/') overlay.value = 'search';
  else if (key === '?') overlay.value = 'help';
  else if (key === 'ArrowDown' || key === 'ArrowUp') return walkIn();
  else return false;
  return true;
}

/** An arrow with nothing in focus goes to the page's list or graph. */
function walkIn(): boolean {
  if (document.activeElement !== document.body && document.activeElement?.id !== 'content')
    return false;
  const list = document.querySelector<HTMLElement>('[data-walks]');
  list?.focus();
  return list !== null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
