import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextError } from './error.ts';
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

  it.each<[JsonPatchOperation, string]>([
    [
      { op: 'remove', path: '/zz' },
      "error in remove for path: '/zz': Unable to remove nonexistent key: zz: missing value",
    ],
    [
      { op: 'replace', path: '/zz/y', value: 1 },
      'replace operation does not apply: doc is missing path: /zz/y: missing value',
    ],
    [
      { op: 'replace', path: '/list/1', value: 1 },
      'replace operation does not apply: doc is missing key: /list/1: missing value',
    ],
    [
      { op: 'add', path: '/zz/y', value: 1 },
      'add operation does not apply: doc is missing path: "/zz/y": missing value',
    ],
    [
      { op: 'add', path: '/list/7', value: 1 },
      "error in add for path: '/list/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [
      { op: 'add', path: '/list/one', value: 1 },
      "error in add for path: '/list/one': value was not a proper array index: 'one': strconv.Atoi: parsing \"one\": invalid syntax",
    ],
    [
      { op: 'remove', path: '/list/9223372036854775808' },
      'error in remove for path: \'/list/9223372036854775808\': strconv.Atoi: parsing "9223372036854775808": value out of range',
    ],
    [{ op: 'test', path: '/a', value: 2 }, 'testing value /a failed: test failed'],
    [
      { op: 'add', path: 'a', value: 2 },
      'add operation does not apply: doc is missing path: "a": missing value',
    ],
    [
      { op: 'move', from: '/o', path: '/o/x' },
      'move operation does not apply: doc is missing destination path: /o/x: missing value',
    ],
    [
      { op: 'copy', from: '/list/3', path: '/x' },
      "error in copy for from: '/list/3': Unable to access invalid index: 3: invalid index referenced",
    ],
    [{ op: 'replace', path: '', value: 1 }, 'replace operation value must be object or array'],
    [{ op: 'nope', path: '/a' } as never, 'Unexpected kind: nope'],
    [null as never, 'Unexpected kind: unknown'],
    [7 as never, 'json: cannot unmarshal number into Go value of type jsonpatch.Operation'],
    [{ op: 'add' } as never, 'add operation failed to decode path: missing value'],
    [
      { op: 'add', path: '/constructor/prototype/x', value: 1 },
      'add operation does not apply: doc is missing path: "/constructor/prototype/x": missing value',
    ],
  ])('refuses %j', (operation, message) => {
    const document = { a: 1, list: [1], o: {} };
    expect(() => applyJsonPatch(document, [operation])).toThrow(
      new TextError('WG_TEXT_PATCH', message),
    );
    expect(document).toEqual({ a: 1, list: [1], o: {} });
  });

  it.each([
    ['a key with replace', { op: 'replace' as const, path: '/o/b', value: 1 }, { o: { b: 1 } }],
    ['an index with a sign', { op: 'add' as const, path: '/list/+0', value: 0 }, { list: [0, 1] }],
    ['one with zeros', { op: 'remove' as const, path: '/list/00' }, { list: [] }],
  ])('takes %s, as the original does', (_name, operation, expected) => {
    expect(applyJsonPatch({ list: [1], o: {} }, [operation])).toMatchObject(expected);
  });

  it('bounds copies that double', () => {
    const patch: JsonPatchOperation[] = [];
    for (let at = 0; at < 40; at++) patch.push({ op: 'copy', from: '/a', path: `/k${at}` });
    expect(() => applyJsonPatch({ a: 'x'.repeat(100_000) }, patch)).toThrow(
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
      /nested deeper than 250/,
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
