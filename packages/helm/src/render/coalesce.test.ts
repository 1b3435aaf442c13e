import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadChart } from '../chart/load-chart.ts';
import { readValuesFile } from '../chart/values-file.ts';
import { toJson } from '../formats/json-write.ts';
import { Budget } from '../go/budget.ts';
import { GoMap, type GoValue } from '../go/value.ts';
import { goValueFromJson } from '../values/read-values.ts';
import { ChartNode } from './chart-node.ts';
import { Coalescer, copyValue } from './coalesce.ts';

function chartOf(own: string, kid?: string): ChartNode {
  const file = (name: string, text: string) => ({ name, data: new TextEncoder().encode(text) });
  const files = [
    file('Chart.yaml', 'apiVersion: v2\nname: top\nversion: 1.0.0\n'),
    file('values.yaml', own),
  ];
  if (kid !== undefined) {
    files.push(file('charts/kid/Chart.yaml', 'apiVersion: v2\nname: kid\nversion: 1.0.0\n'));
    files.push(file('charts/kid/values.yaml', kid));
  }
  return ChartNode.of(loadChart(files, { helm: 3 }));
}

function json(value: GoValue): string {
  return toJson(value, new Budget());
}

describe('values', () => {
  const table: [string, string, string | undefined, string, string, string | undefined][] = [
    ['maps merge', 'a: {x: 1, z: 2}', undefined, 'a: {z: 3}', '{"a":{"x":1,"z":3}}', undefined],
    ['lists replace', 'a: [1, 2]', undefined, 'a: [3]', '{"a":[3]}', undefined],
    [
      'null takes a default away',
      'a: 1\nb: {c: 1, d: 2}',
      undefined,
      'a: null\nb: {c: null}',
      '{"b":{"d":2}}',
      undefined,
    ],
    ['null of nothing stays', 'a: 1', undefined, 'z: null', '{"a":1,"z":null}', undefined],
    [
      "a chart's own null: Helm 4 drops it",
      'a: null\nb: {c: null}',
      undefined,
      '{}',
      '{"a":null,"b":{"c":null}}',
      '{"b":{}}',
    ],
    [
      'a child sees its section',
      '{}',
      'a: 1\nb: 2',
      'kid: {a: 3}',
      '{"kid":{"a":3,"b":2,"global":{}}}',
      undefined,
    ],
    [
      'globals go down',
      'global: {g: 1}',
      'global: {g: 2, h: 3}',
      '{}',
      '{"global":{"g":1},"kid":{"global":{"g":1,"h":3}}}',
      undefined,
    ],
    [
      "a parent's null for a child: Helm 4 ignores it",
      'kid: {a: null}',
      'a: 1',
      '{}',
      '{"kid":{"global":{}}}',
      '{"kid":{"a":1,"global":{}}}',
    ],
  ];
  test.each(table)('%s', (_, own, kid, given, three, four) => {
    for (const helm of [3, 4] as const) {
      const coalescer = new Coalescer(helm, () => {});
      const values = coalescer.values(chartOf(own, kid), readValuesFile(given, helm), 'coalesce');
      expect(json(values)).toBe(helm === 3 ? three : (four ?? three));
    }
  });

  test.each([
    ['a: {b: 1}', 'a: 5', []],
    ['a: 5', 'a: {b: 1}', ['warning: skipped value for top.a: Not a table.']],
    [
      'a: {b: {c: 1}}',
      'a: {b: 5}',
      ['warning: cannot overwrite table with non table for top.a.b (map[c:1])'],
    ],
    [
      'a: {b: 5}',
      'a: {b: {c: 1}}',
      ['warning: destination for top.a.b is a table. Ignoring non-table value (5)'],
    ],
  ])('%s under %s warns of %s', (own, given, warnings) => {
    const said: string[] = [];
    const coalescer = new Coalescer(4, ({ text }) => said.push(text));
    coalescer.values(chartOf(own), readValuesFile(given, 4), 'coalesce');
    expect(said).toEqual(warnings);
  });

  test('a section that is no map is an error', () => {
    const coalescer = new Coalescer(3, () => {});
    const given = readValuesFile('kid: [1]', 3);
    expect(() => coalescer.values(chartOf('{}', '{}'), given, 'coalesce')).toThrow(
      'type mismatch on kid: [%!t(float64=1)]',
    );
  });
});

describe('whatever the values are', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'global', 'kid');
  const { tree } = fc.letrec<{ tree: unknown; map: unknown }>((tie) => ({
    map: fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, 1, 'x', true),
      fc.array(fc.constantFrom(1, null), { maxLength: 2 }),
      tie('map'),
    ),
  }));
  const map = fc.dictionary(key, tree, { maxKeys: 4 });
  const valuesOf = (data: unknown) => goValueFromJson(JSON.stringify(data)) as GoMap;

  test('what is given is not changed, and neither is the chart', () => {
    fc.assert(
      fc.property(map, map, fc.constantFrom(3 as const, 4 as const), (own, given, helm) => {
        const node = chartOf(JSON.stringify(own));
        const values = valuesOf(given);
        const before = [json(values), json(node.values!)];
        new Coalescer(helm, () => {}).values(node, values, 'coalesce');
        expect([json(values), json(node.values!)]).toEqual(before);
      }),
    );
  });

  test('a second time over the same changes nothing', () => {
    fc.assert(
      fc.property(map, map, (own, given) => {
        const node = chartOf(JSON.stringify(own));
        const coalescer = new Coalescer(4, () => {});
        const once = coalescer.values(node, valuesOf(given), 'merge');
        const twice = coalescer.values(node, once, 'merge');
        expect(json(twice)).toBe(json(once));
      }),
    );
  });

  test('every scalar that is given is in the result, unless it is null', () => {
    fc.assert(
      fc.property(map, map, (own, given) => {
        const result = new Coalescer(4, () => {}).values(
          chartOf(JSON.stringify(own)),
          valuesOf(given),
          'coalesce',
        );
        expectWithin(valuesOf(given), result);
      }),
    );
  });

  function expectWithin(given: GoMap, result: GoMap): void {
    for (const [name, value] of given.entries) {
      if (value === null) continue;
      const found = result.get(name);
      if (value instanceof GoMap) {
        expect(found).toBeInstanceOf(GoMap);
        expectWithin(value, found as GoMap);
      } else expect(json(found ?? null)).toBe(json(value));
    }
  }

  test('a copy shares nothing', () => {
    fc.assert(
      fc.property(map, (data) => {
        const values = valuesOf(data);
        const copy = copyValue(values) as GoMap;
        expect(json(copy)).toBe(json(values));
        copy.set('new', 1);
        expect(values.has('new')).toBe(false);
      }),
    );
  });
});
