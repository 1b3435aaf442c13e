import { parseQuickly, resolveLegacyScalar, type YamlBuilder } from '@waygate/text';
import { GoMap, type GoValue } from '../go/value.ts';
import type { WantedFields } from './yaml-read.ts';

/** A scalar without quotes, which may be a number or a boolean: most of them nobody asks. */
class Plain {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A list, of which only that it is one is kept: no list is in a place that somebody wants. */
const list = Symbol('list');

/** What is made of a document: texts, scalars, maps as their keys and values by turns, and what is not there. */
type Part = string | Plain | null | typeof list | readonly Part[];

/** Words that are no text, of all that start with a letter. */
const words = new Set(
  'y yes on true n no off false null'
    .split(' ')
    .flatMap((word) => [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)]),
);
const longestWord = 5;
/** Longer texts may have more parts than are read of one. */
const mostLetters = 500_000;

/** Takes what cannot go wrong; of anything else it makes nothing, so that it is read in full. */
const builder: YamlBuilder<Part> = {
  key(text, style) {
    if (style !== 'plain') return text;
    const code = text.charCodeAt(0) | 0x20;
    if (code < 0x61 || code > 0x7a) return undefined;
    return text.length > longestWord || !words.has(text) ? text : undefined;
  },
  scalar(text, style) {
    if (style !== 'plain') return text;
    const code = text.charCodeAt(0);
    if (code === 0x2b || code === 0x2d || code === 0x2e) {
      // What may be a number that JSON does not have.
      if (/^[-+.][-+.\diInN]/.test(text) && !text.startsWith('--')) return undefined;
    }
    return new Plain(text);
  },
  nothing: () => null,
  sequence: () => list,
  map: (stack, from) => stack.slice(from),
};

/**
 * Some fields of a document of the plain sort, without a tree of the rest; undefined where anything might be wrong with it,
 * or a field is of a sort that nobody expects there.
 */
export function readQuickly(text: string, wanted: WantedFields): GoMap | undefined {
  if (text.length > mostLetters) return undefined;
  const root = parseQuickly(text, builder);
  return root === undefined ? undefined : fieldsOf(root, wanted);
}

function fieldsOf(part: Part, wanted: WantedFields | true): GoMap | undefined {
  if (!Array.isArray(part)) return undefined;
  const map = new GoMap();
  for (let at = 0; at < part.length; at += 2) {
    const name = part[at] as string;
    const inside = wanted === true || wanted.get(name.toLowerCase());
    if (inside === undefined) continue;
    const value = goValueOf(part[at + 1], inside);
    if (value === undefined) return undefined;
    map.set(name, value);
  }
  return map;
}

function goValueOf(part: Part, wanted: WantedFields | true): GoValue | undefined {
  if (typeof part === 'string' || part === null) return part;
  if (!(part instanceof Plain)) return fieldsOf(part, wanted);
  const { value, tag } = resolveLegacyScalar(part.text);
  if (tag === '!!timestamp') return part.text;
  return typeof value === 'number' || typeof value === 'bigint' ? undefined : value;
}
