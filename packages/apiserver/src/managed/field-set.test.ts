import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FieldSet, pathText } from './field-set.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"');
const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 });

test('a set survives its JSON form', () => {
  fc.assert(
    fc.property(paths, (list) => {
      const set = FieldSet.of(list);
      expect(FieldSet.fromJson(set.toJson()).equals(set)).toBe(true);
    }),
  );
});

test('union, difference and intersection are those of sets', () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [FieldSet.of(left), FieldSet.of(right)];
      for (const path of [...left, ...right]) {
        const [inA, inB] = [a.has(path), b.has(path)];
        expect(a.union(b).has(path)).toBe(inA || inB);
        expect(a.difference(b).has(path)).toBe(inA && !inB);
        expect(a.intersection(b).has(path)).toBe(inA && inB);
      }
    }),
  );
});

test('a path reads as the API prints it', () => {
  expect(pathText(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name'])).toBe(
    '.spec.ports[port=80,protocol="TCP"].name',
  );
});
