import { compileSteps, isAt, type Step } from './regex.ts';
import { RegexError } from './regex-syntax.ts';

export interface RegexMatch {
  readonly start: number;
  readonly end: number;
}

/** A place in the steps, with where its match began. Earlier ones in a list are wanted more. */
interface Thread {
  readonly at: number;
  readonly start: number;
}

interface Search {
  readonly match: RegexMatch | undefined;
  /** How many characters it took to know. */
  readonly looked: number;
}

/** All searches of a call together look at this many characters; each may have to go to the end. */
const maxWork = 5_000_000;

/**
 * Finds what matches, as Go's `FindAllString` does: from left to right, of those that begin at the same
 * place the one that the expression prefers. Each search takes time linear in the text.
 */
export function findMatches(
  pattern: string,
  text: string,
  limit = Number.POSITIVE_INFINITY,
): string[] {
  const steps = compileSteps(pattern);
  const found: string[] = [];
  let from = 0;
  let lastEnd = -1;
  let work = 0;
  while (from <= text.length && found.length < limit) {
    const { match, looked } = search(steps, text, from);
    if (match === undefined) break;
    work += looked;
    if (work > maxWork) throw new RegexError('too much work', pattern);
    const isEmpty = match.start === match.end;
    // Nothing right after a match is not another one.
    if (!isEmpty || match.start !== lastEnd) found.push(text.slice(match.start, match.end));
    lastEnd = match.end;
    from = isEmpty ? match.end + 1 : match.end;
  }
  return found;
}

function search(steps: readonly Step[], text: string, from: number): Search {
  const seen = new Int32Array(steps.length).fill(-1);
  let current: Thread[] = [];
  let best: RegexMatch | undefined;
  let index = from;
  for (; index <= text.length; index += 1) {
    if (best === undefined) follow(steps, { at: 0, start: index }, text, index, current, seen);
    if (current.length === 0) {
      if (best !== undefined) break;
      continue;
    }
    const code = text.charCodeAt(index);
    const next: Thread[] = [];
    for (const { at, start } of current) {
      const step = steps[at] as Step;
      if (step.op === 'match') {
        best = { start, end: index };
        // Those after it are wanted less.
        break;
      }
      if (step.op === 'set' && index < text.length && step.has(code)) {
        follow(steps, { at: at + 1, start }, text, index + 1, next, seen);
      }
    }
    current = next;
  }
  return { match: best, looked: index - from };
}

/** Adds what is reachable without a character, most wanted first. */
function follow(
  steps: readonly Step[],
  thread: Thread,
  text: string,
  index: number,
  into: Thread[],
  seen: Int32Array,
): void {
  const { start } = thread;
  const stack = [thread.at];
  while (stack.length > 0) {
    const at = stack.pop() as number;
    if (seen[at] === index) continue;
    seen[at] = index;
    const step = steps[at] as Step;
    switch (step.op) {
      case 'match':
      case 'set':
        into.push({ at, start });
        break;
      case 'split':
        for (let choice = step.to.length - 1; choice >= 0; choice--) {
          stack.push(step.to[choice] as number);
        }
        break;
      default:
        if (isAt(step, text, index)) stack.push(at + 1);
    }
  }
}
