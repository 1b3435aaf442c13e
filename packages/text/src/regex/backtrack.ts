import type { CodeClasses } from './code-classes.ts';
import { placesAt, type RegexBudget, Subject } from './matching.ts';
import { Op, type Program } from './program.ts';

/** Bits of memory: a step at an index is never tried twice. */
const maxBits = 1 << 18;

const visited = new Uint32Array(maxBits / 32);

/** Whether a text is short enough for {@link backtrack}. */
export function canBacktrack(program: Program, text: string): boolean {
  return program.size * (text.length + 1) <= maxBits;
}

/**
 * Finds the match that is wanted most, with its groups, by trying one way after the other. It remembers
 * where it has failed, so that it takes no more steps than the program times the text; on short texts it is much
 * faster than running all ways side by side.
 */
export function backtrack(
  program: Program,
  classes: CodeClasses,
  text: string,
  from: number,
  budget: RegexBudget,
): Int32Array | undefined {
  visited.fill(0, 0, ((program.size * (text.length + 1)) >> 5) + 1);
  const subject = new Subject(program, classes, text);
  const slots = new Int32Array(program.slotCount).fill(-1);
  for (let start = from; start <= text.length; start += subject.widthAt(start)) {
    if (start > 0 && program.isAnchored) return undefined;
    slots[0] = start;
    if (isFound(program, classes, subject, start, slots, budget)) return slots;
  }
  return undefined;
}

/** What is still to be tried: a step and an index, or a slot (as -1 - slot) and its value before. */
const pending: number[] = [];

function isFound(
  program: Program,
  classes: CodeClasses,
  subject: Subject,
  start: number,
  slots: Int32Array,
  budget: RegexBudget,
): boolean {
  const { op, arg, out } = program;
  const { members, count: classCount } = classes;
  const columns = subject.text.length + 1;
  let steps = 0;
  pending.length = 0;
  pending.push(start, program.start);
  while (pending.length > 0) {
    let at = pending.pop() as number;
    let index = pending.pop() as number;
    if (at < 0) {
      slots[-at - 1] = index;
      continue;
    }
    for (;;) {
      const cell = at * columns + index;
      const mask = 1 << (cell & 31);
      if (((visited[cell >> 5] as number) & mask) !== 0) break;
      visited[cell >> 5] = (visited[cell >> 5] as number) | mask;
      steps += 1;
      const one = op[at];
      if (one === Op.set) {
        if (members[(arg[at] as number) * classCount + subject.classAt(index)] !== 1) break;
        index += subject.widthAt(index);
      } else if (one === Op.split) pending.push(index, arg[at] as number);
      else if (one === Op.save) {
        const slot = arg[at] as number;
        pending.push(slots[slot] as number, -slot - 1);
        slots[slot] = index;
      } else if (one === Op.match) {
        slots[1] = index;
        budget.spend(steps);
        return true;
      } else {
        const here = placesAt(classes, subject.before(index), subject.classAt(index));
        if ((here & (1 << (arg[at] as number))) === 0) break;
      }
      at = out[at] as number;
    }
  }
  budget.spend(steps);
  return false;
}
