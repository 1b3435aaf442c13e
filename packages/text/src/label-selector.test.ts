import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextError } from './error.ts';
import {
  parseLabelSelector,
  selectorFromLabelSelector,
  selectorFromSet,
} from './label-selector.ts';

/** The text, and how Kubernetes 1.36 prints it, or why it refuses it. */
const recorded: [text: string, printed: string | null, refusal?: string][] = JSON.parse(
  readFileSync(new URL('./testing/testdata/label-selectors.json', import.meta.url), 'utf8'),
);

describe('parseLabelSelector', () => {
  it.each(recorded)('%j is what Kubernetes reads', (text, printed, refusal) => {
    if (refusal === undefined) expect(parseLabelSelector(text).toString()).toBe(printed);
    else expect(() => parseLabelSelector(text)).toThrow(new TextError('WG_TEXT_SELECTOR', refusal));
  });

  it.each([
    ['too many requirements', `${'a,'.repeat(2000)}a`],
    ['too many values', `a in (${'v,'.repeat(20_000)}v)`],
    ['too long', `a in (${'v,'.repeat(40_000)}v)`],
  ])('refuses what has %s', (_, text) => {
    expect(() => parseLabelSelector(text)).toThrow(TextError);
  });

  it.each([
    ['a=1', { a: '1' }, true],
    ['a=1', {}, false],
    ['a!=1', {}, true],
    ['a notin (1,2)', { a: '3' }, true],
    ['a notin (1,2)', { a: '2' }, false],
    ['a', { a: '' }, true],
    ['!a', { b: '' }, true],
    ['a>5', { a: '6' }, true],
    ['a>5', { a: 'x' }, false],
    ['a<5', { a: '-6' }, true],
    ['constructor', {}, false],
    ['a in (1,2),b', { a: '1', b: '' }, true],
  ] as const)('%s on %j is %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  it('prints to a text that parses to the same', () => {
    const word = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,8}[a-z0-9])?$/);
    const term = fc.oneof(
      word,
      word.map((key) => `!${key}`),
      fc.tuple(word, fc.constantFrom('=', '==', '!='), word).map((parts) => parts.join('')),
      fc
        .tuple(word, fc.constantFrom('in', 'notin'), fc.array(word, { minLength: 1 }))
        .map(([key, operator, values]) => `${key} ${operator} (${values.join(',')})`),
    );
    fc.assert(
      fc.property(fc.array(term), fc.dictionary(word, word), (terms, labels) => {
        const selector = parseLabelSelector(terms.join(','));
        const again = parseLabelSelector(selector.toString());
        expect(again.toString()).toBe(selector.toString());
        expect(again.matches(labels)).toBe(selector.matches(labels));
      }),
    );
  });
});

describe('selectorFromLabelSelector', () => {
  it('matches nothing when there is none, everything when it is empty', () => {
    expect(selectorFromLabelSelector(undefined).matches({ a: 'b' })).toBe(false);
    expect(selectorFromLabelSelector({}).matches({ a: 'b' })).toBe(true);
  });

  it('joins labels and expressions', () => {
    const selector = selectorFromLabelSelector({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'NotIn', values: ['db'] },
        { key: 'canary', operator: 'DoesNotExist' },
      ],
    });
    expect(selector.toString()).toBe('app in (web),!canary,tier notin (db)');
    expect(selector.matches({ app: 'web' })).toBe(true);
    expect(selector.matches({ app: 'web', tier: 'db' })).toBe(false);
  });

  it('refuses In without values', () => {
    expect(() =>
      selectorFromLabelSelector({ matchExpressions: [{ key: 'a', operator: 'In' }] }),
    ).toThrow(/can't be empty/);
  });
});

it('selects by a set of labels', () => {
  expect(selectorFromSet({ b: '2', a: '1' }).toString()).toBe('a=1,b=2');
});
