import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

describe('applyJsonPatch', () => {
  it.each<[unknown, JsonPatchOperation[], unknown]>([
    [{ a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [{ a: [1, 2, 3] }, [{ op: 'remove', path: '/a/-1' }], { a: [1, 2] }],
    [{ a: { 'b/c': 1 } }, [{ op: 'replace', path: '/a/b~1c', value: 2 }], { a: { 'b/c': 2 } }],
    [{ a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    [{ a: { x: 1 } }, [{ op: 'copy', from: '/a', path: '/b' }], { a: { x: 1 }, b: { x: 1 } }],
    [{ a: 1 }, [{ op: 'test', path: '/a', value: 1 }], { a: 1 }],
    [{ a: 1 }, [{ op: 'test', path: '/zz', value: null }], { a: 1 }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
  ])('%j %j', (document, patch, expected) => {
    expect(applyJsonPatch(document, patch)).toEqual(expected);
  });

  it.each<[JsonPatchOperation, RegExp]>([
    [{ op: 'remove', path: '/zz' }, /does not exist/],
    [{ op: 'replace', path: '/zz', value: 1 }, /does not exist/],
    [{ op: 'add', path: '/zz/y', value: 1 }, /does not exist/],
    [{ op: 'add', path: '/list/7', value: 1 }, /not an index/],
    [{ op: 'add', path: '/list/01', value: 1 }, /not an index/],
    [{ op: 'test', path: '/a', value: 2 }, /not as tested/],
    [{ op: 'add', path: 'a', value: 2 }, /JSON pointer/],
    [{ op: 'move', from: '/o', path: '/o/x' }, /into itself/],
    [{ op: 'nope', path: '/a' } as never, /unknown operation/],
    [{ op: 'add', path: '/constructor/prototype/x', value: 1 }, /does not exist/],
  ])('refuses %j', (operation, message) => {
    expect(() => applyJsonPatch({ a: 1, list: [1], o: {} }, [operation])).toThrow(message);
  });

  it('sets with replace what is not there, when asked', () => {
    const options = { replacesMissing: true };
    const replace = (path: string) => [{ op: 'replace' as const, path, value: 1 }];
    expect(applyJsonPatch({ a: {} }, replace('/a/b'), options)).toEqual({ a: { b: 1 } });
    expect(() => applyJsonPatch({ a: [] }, replace('/a/0'), options)).toThrow(/does not exist/);
    expect(() => applyJsonPatch({}, replace('/a/b'), options)).toThrow(/does not exist/);
  });

  it('bounds copies that double', () => {
    const patch: JsonPatchOperation[] = [];
    for (let at = 0; at < 40; at++) patch.push({ op: 'copy', from: '', path: `/k${at}` });
    expect(() => applyJsonPatch({ a: 'x'.repeat(100) }, patch)).toThrow(
      /larger than 3145728 bytes/,
    );
  });

  it('bounds elements that are moved aside', () => {
    const list = Array.from({ length: 100_000 }, () => 1);
    const patch = Array.from({ length: 1000 }, () => ({
      op: 'add' as const,
      path: '/0',
      value: 0,
    }));
    expect(() => applyJsonPatch(list, patch)).toThrow(/moves more than 50000000 elements/);
    expect(applyJsonPatch(list, patch.slice(0, 100))).toHaveLength(100_100);
  });
});

const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

describe('what nests too deeply', () => {
  it.each([900, 1100, 100_000])('is refused from 1,000 levels on: %d', (depth) => {
    const outcome =
      depth < 1000 ? expect.anything() : expect.stringMatching(/nested deeper than 1000/);
    const tried = (apply: () => unknown) => {
      try {
        return apply();
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(tried(() => applyMergePatch({}, nested(depth)))).toEqual(outcome);
    expect(tried(() => applyJsonPatch(nested(depth), []))).toEqual(outcome);
    const add = { op: 'add' as const, path: '/b', value: nested(depth - 1) };
    expect(tried(() => applyJsonPatch({}, [add]))).toEqual(outcome);
  });

  it('may not come about step by step', () => {
    const copies = Array.from({ length: 20 }, () => ({
      op: 'copy' as const,
      from: '/a',
      path: `${'/a'.repeat(100)}`,
    }));
    expect(() => applyJsonPatch(nested(100), copies, { maxDepth: 250 })).toThrow(
      /operation 1 .*nested deeper than 250/,
    );
    expect(() =>
      applyJsonPatch({}, [{ op: 'add', path: '/a', value: [] }], { maxDepth: 1 }),
    ).toThrow(/nested deeper than 1/);
    expect(applyJsonPatch({}, [{ op: 'add', path: '/a', value: 1 }], { maxDepth: 1 })).toEqual({
      a: 1,
    });
  });
});

describe('merge patches', () => {
  it('apply as the RFC says', () => {
    expect(applyMergePatch({ a: { b: 1, c: 2 }, d: 1 }, { a: { b: null }, d: [1] })).toEqual({
      a: { c: 2 },
      d: [1],
    });
  });

  it('are made such that they apply', () => {
    const json = fc
      .jsonValue({ maxDepth: 3 })
      .filter((value) => !JSON.stringify(value).includes('null'));
    fc.assert(
      fc.property(json, json, (original, modified) => {
        const patch = createMergePatch(original, modified);
        const result = patch === undefined ? original : applyMergePatch(original, patch);
        expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify(modified)));
      }),
    );
  });
});
