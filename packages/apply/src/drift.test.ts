import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { driftedPaths } from './drift.ts';
import { normalizeObject } from './normalize.ts';
import { contentDigest, digestOf } from './object-digest.ts';
import { hasAnyInMetadata, withCommonMetadata } from './object-metadata.ts';

const of = (rest: object, metadata: object = {}) =>
  ({ apiVersion: 'v1', kind: 'A', metadata: { name: 'a', ...metadata }, ...rest }) as KubeObject;

describe('drift', () => {
  test.each([
    ['nothing', of({ data: { a: 1 } }), of({ data: { a: 1 } }), []],
    ['one value', of({ data: { a: 1, b: 1 } }), of({ data: { a: 1, b: 2 } }), ['/data/b']],
    ['a field that came', of({}), of({ data: { a: 1 } }), ['/data']],
    ['a field that went', of({ spec: { a: 1 } }), of({ spec: {} }), ['/spec/a']],
    [
      'an item of a list',
      of({ spec: [{ a: 1 }, { a: 2 }] }),
      of({ spec: [{ a: 1 }, { a: 3 }] }),
      ['/spec/1/a'],
    ],
    ['the length of a list', of({ spec: [1] }), of({ spec: [1, 2] }), ['/spec']],
    ['another type', of({ spec: [1] }), of({ spec: { 0: 1 } }), ['/spec']],
    [
      'a label',
      of({}, { labels: { 'x/y': '1' } }),
      of({}, { labels: { 'x/y': '2' } }),
      ['/metadata/labels/x~1y'],
    ],
    ['an annotation', of({}), of({}, { annotations: { a: '1' } }), ['/metadata/annotations/a']],
    [
      'what others write',
      of({ status: { a: 1 } }, { finalizers: ['x'] }),
      of({}, { uid: 'u' }),
      [],
    ],
  ])('%s', (_what, live, wanted, paths) => {
    expect(driftedPaths(live, wanted)).toEqual(paths);
  });

  test('of very much is told in fifty places', () => {
    const many = (value: number) =>
      of({ data: Object.fromEntries(Array.from({ length: 99 }, (_, key) => [key, value])) });
    expect(driftedPaths(many(1), many(2))).toHaveLength(50);
  });
});

describe('a digest', () => {
  test('does not know the order of keys, and knows that of lists', () => {
    expect(digestOf({ a: { x: 1, y: 2 }, b: 1 })).toBe(digestOf({ b: 1, a: { y: 2, x: 1 } }));
    expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]));
  });

  test('of content tells what people write and whether the object is going, not what the server writes', () => {
    const digest = contentDigest(of({ spec: 1 }, { uid: 'u' }));
    expect(
      contentDigest(of({ spec: 1, status: 5 }, { uid: 'u', resourceVersion: '2', generation: 3 })),
    ).toBe(digest);
    for (const other of [
      of({ spec: 2 }, { uid: 'u' }),
      of({ spec: 1 }, { uid: 'v' }),
      of({ spec: 1 }, { uid: 'u', labels: { a: 'b' } }),
      of({ spec: 1 }, { uid: 'u', annotations: { a: 'b' } }),
      of({ spec: 1 }, { uid: 'u', deletionTimestamp: '2026-01-01T00:00:00Z' }),
    ]) {
      expect(contentDigest(other)).not.toBe(digest);
    }
  });
});

describe('what is sent', () => {
  test('has nothing that only the server writes', () => {
    const metadata = {
      creationTimestamp: 't',
      managedFields: [],
      uid: 'u',
      resourceVersion: '1',
      generation: 2,
      labels: { a: 'b' },
    };
    expect(normalizeObject(of({ spec: 1, status: 2 }, metadata) as never)).toEqual(
      of({ spec: 1 }, { labels: { a: 'b' } }),
    );
  });

  test('has the text of a Secret as data, over the data of the same name', () => {
    const secret = (apiVersion: string) => ({
      apiVersion,
      kind: 'Secret',
      metadata: { name: 'a' },
      data: { kept: 'eA==', both: 'eA==' },
      stringData: { both: 'y', number: 5 },
    });
    expect(normalizeObject(secret('v1'))).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a' },
      data: { kept: 'eA==', both: 'eQ==', number: 'NQ==' },
    });
    expect(normalizeObject(secret('example.com/v1'))).toEqual(secret('example.com/v1'));
    const { stringData: _text, ...plain } = secret('v1');
    expect(normalizeObject(plain)).toEqual(plain);
    const { data: _data, ...onlyText } = secret('v1');
    expect(normalizeObject(onlyText).data).toEqual({ both: 'eQ==', number: 'NQ==' });
  });
});

describe('common metadata', () => {
  test('is added over what an object has, and leaves no empty map where there is none', () => {
    const object = of({}, { labels: { a: '1', b: '1' } });
    expect(withCommonMetadata(object, { labels: { b: '2' }, annotations: {} }).metadata).toEqual({
      name: 'a',
      labels: { a: '1', b: '2' },
    });
    expect(withCommonMetadata(object, { annotations: { c: '3' } }).metadata).toEqual({
      name: 'a',
      labels: { a: '1', b: '1' },
      annotations: { c: '3' },
    });
    expect(object.metadata.labels).toEqual({ a: '1', b: '1' });
  });

  test.each([
    [{ labels: { prune: 'disabled' } }, true],
    [{ annotations: { prune: 'Disabled' } }, true],
    [{ labels: { prune: 'enabled' } }, false],
    [{ labels: { other: 'disabled' } }, false],
    [{}, false],
  ])('of %j asks to be kept: %s', (metadata, expected) => {
    expect(hasAnyInMetadata(of({}, metadata), { toString: 'x', prune: 'disabled' })).toBe(expected);
  });
});
