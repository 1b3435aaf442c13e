import type { CodeClasses } from './code-classes.ts';
import type { CodeSet } from './code-set.ts';
import { wordCodes } from './named-sets.ts';
import { isSafeToBacktrack } from './native-proof.ts';
import type { Program } from './program.ts';
import { isNullable, type Place, type RegexNode } from './syntax-tree.ts';

/** An expression for the platform's own engine. */
export interface NativeRegex {
  readonly expression: RegExp;
  /** Whether its groups are also the right ones; the language forgets those of earlier rounds. */
  readonly hasGroups: boolean;
}

/** The expression for the platform's own engine, if {@link isSafeToBacktrack} proves it harmless. */
export function nativeOf(
  node: RegexNode,
  program: Program,
  classes: CodeClasses,
): NativeRegex | undefined {
  if (!hasPlainPlaces(program) || hasEmptyRounds(node)) return undefined;
  // What is empty and begins anywhere would be found within a pair of code units.
  if (!program.isAnchored && isNullable(node)) return undefined;
  if (!isSafeToBacktrack(program, classes)) return undefined;
  // By code points where it matters.
  const flags = !program.isAnchored || hasWideSet(node) ? 'u' : '';
  return { expression: new RegExp(print(node), flags), hasGroups: !hasGroupInRepeat(node, false) };
}

/** The places that the language can name. */
function hasPlainPlaces(program: Program): boolean {
  return [...program.placesUsed].every((place) => {
    if (place === 'boundary' || place === 'notBoundary') return program.wordSet === wordCodes;
    return Object.hasOwn(printedPlaces, place);
  });
}

const printedPlaces: Readonly<Partial<Record<Place, string>>> = {
  start: '^',
  end: '$',
  endOrNewline: '(?=\\n?$)',
  boundary: '\\b',
  notBoundary: '\\B',
};

/** A round that reads nothing ends a loop in the language, and not elsewhere. */
function hasEmptyRounds(node: RegexNode): boolean {
  switch (node.kind) {
    case 'repeat':
      return isNullable(node.part) || hasEmptyRounds(node.part);
    case 'group':
      return hasEmptyRounds(node.part);
    case 'sequence':
      return node.parts.some(hasEmptyRounds);
    case 'choice':
      return node.options.some(hasEmptyRounds);
    default:
      return false;
  }
}

function hasGroupInRepeat(node: RegexNode, isRepeated: boolean): boolean {
  switch (node.kind) {
    case 'group':
      return isRepeated || hasGroupInRepeat(node.part, isRepeated);
    case 'repeat':
      return hasGroupInRepeat(node.part, isRepeated || node.max > 1);
    case 'sequence':
      return node.parts.some((part) => hasGroupInRepeat(part, isRepeated));
    case 'choice':
      return node.options.some((option) => hasGroupInRepeat(option, isRepeated));
    default:
      return false;
  }
}

/** Whether a set has characters of two code units: also in parts that are repeated no times. */
function hasWideSet(node: RegexNode): boolean {
  switch (node.kind) {
    case 'set':
      return (node.set.at(-1) ?? 0) >= 0xd800;
    case 'group':
    case 'repeat':
      return hasWideSet(node.part);
    case 'sequence':
      return node.parts.some(hasWideSet);
    case 'choice':
      return node.options.some(hasWideSet);
    default:
      return false;
  }
}

function print(node: RegexNode): string {
  switch (node.kind) {
    case 'empty':
      return '';
    case 'set':
      return printSet(node.set);
    case 'place':
      return printedPlaces[node.place] as string;
    case 'sequence':
      return node.parts
        .map((part) => (part.kind === 'choice' ? `(?:${print(part)})` : print(part)))
        .join('');
    case 'choice':
      return node.options.map(print).join('|');
    case 'group':
      return `(${print(node.part)})`;
    case 'repeat': {
      const max = node.max === Number.POSITIVE_INFINITY ? '' : node.max;
      return `(?:${print(node.part)}){${node.min},${max}}${node.isLazy ? '?' : ''}`;
    }
  }
}

function printSet(set: CodeSet): string {
  if (set.length === 0) return '[]';
  if (set.length === 2 && set[0] === set[1]) return printCode(set[0] as number);
  let text = '[';
  for (let at = 0; at < set.length; at += 2) {
    text += `${printCode(set[at] as number)}-${printCode(set[at + 1] as number)}`;
  }
  return `${text}]`;
}

function printCode(code: number): string {
  const letter = String.fromCodePoint(code);
  if (/^[A-Za-z0-9_]$/.test(letter)) return letter;
  const digits = code.toString(16);
  if (code > 0xffff) return `\\u{${digits}}`;
  return code < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`;
}
