import type { CodeClasses } from './code-classes.ts';
import { Op, type Program } from './program.ts';

/** Larger programs are not looked at. */
const maxSize = 600;
/** What follows the one free loop, or a whole pattern that begins anywhere, reads at most this much. */
const maxTail = 64;

/**
 * Whether an engine that tries one way after the other, without remembering where it failed, needs no
 * more than a fixed number of steps for each character. The platform's engine is such a one, and the fastest
 * by far. It is so in three cases:
 *
 * - The match begins at the start and the next character always decides alone which step reads it,
 *   reached on one path only. What was left for later then fails at its first character.
 * - The same, but for one step that repeats itself, as in `^/files/.*\\.png$`, and that is followed by
 *   steps without a loop: from each character of the loop there is one such tail to try.
 * - The match begins anywhere, the next character decides, and there is no loop at all.
 */
export function isSafeToBacktrack(program: Program, classes: CodeClasses): boolean {
  if (program.size > maxSize) return false;
  const followers = followersOf(program);
  if (followers === undefined) return false;
  const overlaps = overlapsOf(program, classes, followers);
  if (!program.isAnchored) {
    return overlaps.length === 0 && isShort(followers, followers.get(start) as readonly number[]);
  }
  return overlaps.length === 0 || isOneLoop(followers, overlaps);
}

/** For each reading step, and for the start, the steps that may read next. */
type Followers = ReadonlyMap<number, readonly number[]>;

const start = -1;

/** Undefined when a step is reached on two paths from one place. */
function followersOf(program: Program): Followers | undefined {
  const followers = new Map<number, readonly number[]>();
  const seen = new Int32Array(program.size);
  for (let origin = start; origin < program.size; origin += 1) {
    if (origin !== start && program.op[origin] !== Op.set) continue;
    const from = origin === start ? program.start : (program.out[origin] as number);
    const readers = readersFrom(program, from, seen, origin + 2);
    if (readers === undefined) return undefined;
    followers.set(origin, readers);
  }
  return followers;
}

function readersFrom(
  { op, arg, out }: Program,
  from: number,
  seen: Int32Array,
  mark: number,
): readonly number[] | undefined {
  const readers: number[] = [];
  const stack = [from];
  while (stack.length > 0) {
    const at = stack.pop() as number;
    if (seen[at] === mark) {
      // The end may be reached again: there is nothing to try behind it.
      if (op[at] === Op.match) continue;
      return undefined;
    }
    seen[at] = mark;
    if (op[at] === Op.set) readers.push(at);
    else if (op[at] === Op.split) stack.push(arg[at] as number, out[at] as number);
    else if (op[at] !== Op.match) stack.push(out[at] as number);
  }
  return readers;
}

/** The pairs of steps that may read the same character from the same place. */
function overlapsOf(
  program: Program,
  { members, count }: CodeClasses,
  followers: Followers,
): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  for (const readers of followers.values()) {
    for (let one = 0; one < count; one += 1) {
      const reading = readers.filter(
        (at) => members[(program.arg[at] as number) * count + one] === 1,
      );
      // More than two, or many in sum, are no pattern that is proved here.
      if (reading.length > 2 || pairs.length > maxSize) return [...pairs, [start, start]];
      if (reading.length === 2) pairs.push([reading[0] as number, reading[1] as number]);
    }
  }
  return pairs;
}

/** Whether one step that repeats itself is in all overlaps, each time with one of a short tail. */
function isOneLoop(
  followers: Followers,
  overlaps: readonly (readonly [number, number])[],
): boolean {
  return (overlaps[0] as readonly [number, number]).some((loop) => {
    const after = followers.get(loop);
    if (after === undefined || !after.includes(loop)) return false;
    const tail = new Set<number>();
    const isTail = isShort(
      followers,
      after.filter((at) => at !== loop),
      tail,
    );
    if (!isTail || tail.has(loop)) return false;
    return overlaps.every(
      ([one, two]) => (one === loop && tail.has(two)) || (two === loop && tail.has(one)),
    );
  });
}

/** Whether what follows has no loop and is short; collects its steps. */
function isShort(
  followers: Followers,
  from: readonly number[],
  steps = new Set<number>(),
): boolean {
  let layer = [...from];
  for (let length = 0; layer.length > 0; length += 1) {
    // A loop makes this go on for ever.
    if (length > maxTail) return false;
    for (const at of layer) steps.add(at);
    layer = [...new Set(layer.flatMap((at) => followers.get(at) ?? []))];
  }
  return true;
}
