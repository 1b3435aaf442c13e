import { describe, expect, it } from 'vitest';
import { isCutRight } from './batch-cut.ts';
import { scanItemKey } from './item-metadata.ts';

const key = (metadata: string, isNamespaced = true) =>
  scanItemKey(Buffer.from(`{"kind":"Pod","metadata":${metadata},"spec":{}}`), isNamespaced);

describe('scanItemKey', () => {
  const whole = { name: 'a', namespace: 'n', resourceVersion: '7' };

  it.each([
    ['{"name":"a","namespace":"n","resourceVersion":"7"}'],
    ['{"resourceVersion":"7","namespace":"n","name":"a"}'],
    [
      '{"uid":"u","labels":{"name":"x"},"namespace":"n","ownerReferences":[{"name":"y"}],"resourceVersion":"7","name":"a"}',
    ],
    [' { "name" : "a" , "resourceVersion" : "7" , "namespace" : "n" } '],
  ])('finds the three in any order: %s', (metadata) => {
    expect(key(metadata)).toEqual(whole);
  });

  it('reads no further than it must', () => {
    expect(key('{"name":"a","namespace":"n","resourceVersion":"7","broken')).toEqual(whole);
    expect(key('{"name":"a","resourceVersion":"7","broken', false)).toEqual({
      ...whole,
      namespace: '',
    });
    expect(() => key('{"name":"a","resourceVersion":"7","broken')).toThrow();
  });

  it('what is not there is empty', () => {
    expect(key('{"name":"a"}')).toEqual({ name: 'a', namespace: '', resourceVersion: '' });
    expect(key('{}')).toEqual({ name: '', namespace: '', resourceVersion: '' });
  });
});

describe('isCutRight', () => {
  const cut =
    (boundary: string, ...items: object[]) =>
    (count = items.length) =>
      isCutRight(items, count, Buffer.from(`},${boundary}`));

  it.each([
    ['items that begin alike', cut('{"kind":"Pod"', { kind: 'Pod' }, { kind: 'Pod', a: 1 }), true],
    ['a first one that does not', cut('{"kind":"Pod"', { a: 1 }, { kind: 'Pod' }), true],
    ['another value', cut('{"kind":"Pod"', { kind: 'Pod' }, { kind: 'Job' }), false],
    ['another key', cut('{"kind":"Pod"', { kind: 'Pod' }, { a: 1, kind: 'Pod' }), false],
    ['nothing in one', cut('{"kind":"Pod"', { kind: 'Pod' }, {}), false],
    ['objects', cut('{"metadata":{', { metadata: {} }, { metadata: { name: 'a' } }), true],
    ['null for an object', cut('{"metadata":{', { metadata: {} }, { metadata: null }), false],
    ['a text for an object', cut('{"metadata":{', { metadata: {} }, { metadata: 'x' }), false],
    ['a key alone', cut('{"count":', { count: 1 }, { count: 2 }), true],
    ['another key than the one alone', cut('{"count":', { count: 1 }, { other: 2 }), false],
  ])('%s', (_what, check, expected) => {
    expect(check()).toBe(expected);
    expect(check(3)).toBe(false);
  });
});
