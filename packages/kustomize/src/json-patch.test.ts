import { describe, expect, it } from 'vitest';
import { applySteps, asJsonPatch } from './json-patch.ts';
import { parseJson } from './yaml/json-parse.ts';
import { jsonText } from './yaml/json-text.ts';

function patched(document: string, patch: string): string {
  return jsonText(applySteps(parseJson(document), asJsonPatch(parseJson(patch))));
}

describe('applySteps', () => {
  it.each([
    ['{"a":1}', '[{"op":"add","path":"/b","value":[1]}]', '{"a":1,"b":[1]}'],
    ['{"a":[1,3]}', '[{"op":"add","path":"/a/1","value":2}]', '{"a":[1,2,3]}'],
    ['{"a":[1]}', '[{"op":"add","path":"/a/-","value":2}]', '{"a":[1,2]}'],
    ['{"a":[1,2]}', '[{"op":"remove","path":"/a/0"}]', '{"a":[2]}'],
    ['{"a":[1,2]}', '[{"op":"remove","path":"/a/-1"}]', '{"a":[1]}'],
    ['{"a/b":{"~":1}}', '[{"op":"replace","path":"/a~1b/~0","value":2}]', '{"a/b":{"~":2}}'],
    ['{}', '[{"op":"replace","path":"/x","value":1}]', '{"x":1}'],
    ['{"a":{"b":1}}', '[{"op":"move","from":"/a/b","path":"/c"}]', '{"a":{},"c":1}'],
    ['{"a":{"b":1}}', '[{"op":"copy","from":"/a","path":"/c"}]', '{"a":{"b":1},"c":{"b":1}}'],
    ['{"a":1}', '[{"op":"replace","path":"","value":3}]', '{"a":1}'],
    ['{"a":1}', '[{"op":"test","path":"/a","value":1}]', '{"a":1}'],
    ['{"__proto__":1}', '[{"op":"add","path":"/__proto__/x","value":1}]', undefined],
  ])('%s + %s', (document, patch, expected) => {
    if (expected === undefined) expect(() => patched(document, patch)).toThrow();
    else expect(patched(document, patch)).toBe(expected);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it.each([
    [
      '[{"op":"remove","path":"/nope"}]',
      "error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value",
    ],
    [
      '[{"op":"add","path":"/l/7","value":1}]',
      "error in add for path: '/l/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [
      '[{"op":"add","path":"/x/y","value":1}]',
      'add operation does not apply: doc is missing path: "/x/y": missing value',
    ],
    ['[{"op":"test","path":"/l","value":1}]', 'testing value /l failed: test failed'],
    ['[{"op":"nope","path":"/l"}]', 'Unexpected kind: nope'],
    ['[{"op":"add"}]', 'missing value'],
    ['[null]', 'Unexpected kind: unknown'],
    ['"text"', 'cannot unmarshal string into Go value of type jsonpatch.Patch'],
  ])('refuses %s', (patch, message) => {
    expect(() => patched('{"l":[]}', patch)).toThrow(message);
  });
});
