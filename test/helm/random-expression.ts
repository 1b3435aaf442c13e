import type { Random } from '../../packages/kustomize/src/testing/random.ts';
import { looseEnds, makers, onlyInFour, type Sort } from './expression-makers.ts';
import { idioms } from './random-idioms.ts';
import { anyText, literals, textLiteral } from './random-words.ts';

/** What can be named where an expression stands. */
export interface Scope {
  readonly random: Random;
  /** Expressions such as `.Values.port`, by what they mostly are. */
  readonly names: ReadonlyMap<Sort, readonly string[]>;
  /** Named templates that may be included. */
  readonly templates: readonly string[];
  /** How often an argument is of a wrong sort. */
  readonly wildness: number;
  readonly helm: 3 | 4;
}

const numbers = [
  '0',
  '1',
  '-1',
  '2',
  '3.5',
  '0.1',
  '1e3',
  '100000',
  '1000000',
  '1234567.25',
  '0x10',
  '-7',
];

/** An expression of a sort. */
export function expression(scope: Scope, sort: Sort, depth: number): string {
  const { random } = scope;
  const wanted = random.chance(scope.wildness) ? random.pick(sorts) : sort;
  if (wanted === 'A') return anything(scope, depth);
  const named = scope.names.get(wanted) ?? [];
  if (named.length > 0 && random.chance(depth > 0 ? 0.35 : 0.6)) return random.pick(named);
  if (depth <= 0) return literal(scope, wanted);
  const extra = scope.helm === 4 ? (onlyInFour[wanted] ?? []) : [];
  return fill(scope, choose(scope, [...makers[wanted], ...extra]), depth - 1);
}

const sorts: readonly Sort[] = ['S', 'I', 'N', 'B', 'L', 'M', 'T', 'A'];

function anything(scope: Scope, depth: number): string {
  const { random } = scope;
  if (depth > 0 && random.chance(0.25)) return fill(scope, choose(scope, looseEnds), depth - 1);
  return expression(scope, random.pick(['S', 'S', 'I', 'N', 'B', 'L', 'M']), depth);
}

/** One of the makers; a tame scope has none that often fail. */
function choose({ random, wildness }: Scope, from: readonly string[]): string {
  for (;;) {
    const maker = random.pick(from);
    if (!maker.startsWith('!')) return maker;
    if (wildness > 0) return maker.slice(1);
  }
}

function literal({ random }: Scope, sort: Exclude<Sort, 'A'>): string {
  switch (sort) {
    case 'S':
      return textLiteral(random, anyText(random));
    case 'I':
      return String(random.below(12) - 2);
    case 'N':
      return random.pick(numbers);
    case 'B':
      return random.pick(['true', 'false']);
    case 'L':
      return random.pick(['(list 1 "b" 2.5)', '(list)', '(list "b" "a" "b")', '(until 3)']);
    case 'M':
      return random.pick(['(dict "a" 1 "b" "x")', '(dict)', '(dict "a" (dict "b" (list 1 nil)))']);
    case 'T':
      return '(toDate "2006-01-02" "2024-02-29")';
  }
}

/** A passage with its places filled. */
export function passage(scope: Scope): string {
  return choose(scope, idioms)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => place(scope, name, 1))
    .replaceAll(/[⟪⟫]/g, '');
}

function place(scope: Scope, name: string, depth: number): string {
  const { random, wildness } = scope;
  if (name === 'template') return JSON.stringify(random.pick(scope.templates));
  return literals[name]?.(random, wildness > 0) ?? `⟪${expression(scope, name as Sort, depth)}⟫`;
}

/** A maker with its places filled; the last argument may come through a pipe. */
function fill(scope: Scope, maker: string, depth: number): string {
  const { random } = scope;
  const filled = maker.replaceAll(/\{(\w+)\}/g, (_, name: string) => place(scope, name, depth));
  const piped = /^([^⟪|]*(?:⟪[^⟪⟫]*⟫[^⟪|]*)*)⟪([^⟪⟫]*)⟫$/.exec(filled);
  const text = piped !== null && random.chance(0.3) ? `${piped[2]} | ${piped[1]!.trim()}` : filled;
  return `(${text.replaceAll(/[⟪⟫]/g, '')})`;
}
