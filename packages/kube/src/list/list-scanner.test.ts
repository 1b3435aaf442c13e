import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KubeError } from '../error.ts';
import { itemText, scanItemMetadata } from './item-metadata.ts';
import { ListParser } from './list-parser.ts';
import { ListScanner } from './list-scanner.ts';

function scan(bytes: Buffer, sizes: readonly number[]): { items: unknown[]; envelope: unknown } {
  const items: unknown[] = [];
  const scanner = new ListScanner({
    onItem: (item) => items.push(JSON.parse(item.toString('utf8'))),
  });
  let at = 0;
  for (const size of sizes) {
    scanner.push(bytes.subarray(at, at + size));
    at += size;
  }
  scanner.push(bytes.subarray(at));
  return { items, envelope: JSON.parse(scanner.finish()) };
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '{"items":[', '}]', 'naïve-日本語-🚀'),
);
const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 });
const item = fc.dictionary(text, json, { maxKeys: 5 });
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 200 });

describe('ListScanner', () => {
  it('finds what JSON.parse finds, whatever the chunks, the order of fields and the spaces', () => {
    const list = fc.record({
      before: fc.dictionary(
        text.filter((key) => key !== 'items'),
        json,
        { maxKeys: 3 },
      ),
      items: fc.array(item, { maxLength: 6 }),
      after: fc.dictionary(
        text.filter((key) => key !== 'items'),
        json,
        { maxKeys: 3 },
      ),
      indent: fc.constantFrom(undefined, 1, '\t'),
    });
    fc.assert(
      fc.property(list, sizes, ({ before, items, after, indent }, cuts) => {
        const source = JSON.stringify({ ...before, items, ...after }, null, indent);
        const whole = JSON.parse(source) as { items: unknown[] };
        const found = scan(Buffer.from(source), cuts);
        expect(found.items).toEqual(whole.items);
        expect(found.envelope).toEqual({ ...whole, items: [] });
      }),
      { numRuns: 500 },
    );
  });

  it('gives up an item that is under way at every byte, and takes it again', () => {
    const source = Buffer.from(
      '{"kind":"L","items":[{"a":"\\\\\\"é}"},{"b":[{}]}, {"c":1}],"metadata":{}}',
    );
    const items: unknown[] = [];
    for (let cut = 0; cut <= source.length; cut++) {
      items.length = 0;
      const scanner = new ListScanner({ onItem: (item) => items.push(JSON.parse(`${item}`)) });
      scanner.push(source.subarray(0, cut));
      const before = source.subarray(0, cut).toString();
      const isInItems = cut > source.indexOf('[') && !before.includes('}],');
      const partial = scanner.takePartialItem();
      if (!before.endsWith('}]')) expect(partial !== undefined, before).toBe(isInItems);
      scanner.push(Buffer.concat([...(partial ?? []), source.subarray(cut)]));
      expect(items, before).toEqual([{ a: '\\"é}' }, { b: [{}] }, { c: 1 }]);
      expect(JSON.parse(scanner.finish())).toEqual({ kind: 'L', items: [], metadata: {} });
    }
  });

  it('cuts at every byte', () => {
    const source = Buffer.from(
      '{"kind":"L","items":[{"a":"\\\\\\"é🚀"},{"b":[{}]}],"metadata":{}}',
    );
    for (let at = 0; at <= source.length; at++) {
      expect(scan(source, [at]).items).toEqual([{ a: '\\"é🚀' }, { b: [{}] }]);
    }
  });

  it('knows items only at the top', () => {
    const source = '{"metadata":{"items":[{"no":1}]},"x":"items","items":null}';
    expect(scan(Buffer.from(source), []).items).toEqual([]);
  });

  it.each(['{"items":[{"a":1}', '{"items":[{"a":"', '{"items":[', '{"items":[{}]', ''])(
    'says that %j is cut',
    (source) => {
      expect(() => scan(Buffer.from(source), [])).toThrow(/ended in the middle/);
    },
  );

  it('bounds items and what stands around them', () => {
    const small = new ListScanner({ onItem: () => {}, maxItemBytes: 100, maxEnvelopeBytes: 100 });
    expect(() => {
      small.push(Buffer.from('{"items":[{"a":"'));
      for (let at = 0; at < 10; at++) small.push(Buffer.alloc(50, 0x61));
    }).toThrow(KubeError);
    const other = new ListScanner({ onItem: () => {}, maxEnvelopeBytes: 100 });
    expect(() => other.push(Buffer.from(`{"x":"${'y'.repeat(200)}`))).toThrow(/around its items/);
  });

  it('refuses items that are no objects', () => {
    expect(() => scan(Buffer.from('{"items":[1]}'), [])).toThrow(/no object/);
  });
});

interface Bare {
  metadata: { managedFields?: unknown };
}

describe('ListParser', () => {
  const parse = (bytes: Buffer, cuts: readonly number[], omitManagedFields = false) => {
    const items: unknown[] = [];
    const parser = new ListParser({
      onItem: (one) => items.push(one),
      omitManagedFields,
      batchBytes: 300,
    });
    let at = 0;
    for (const size of cuts) {
      parser.push(bytes.subarray(at, at + size));
      at += size;
    }
    parser.push(bytes.subarray(at));
    return { items, envelope: JSON.parse(parser.finish()) };
  };

  it('finds what JSON.parse finds, with batches of items that look alike', () => {
    // Items that start alike, and that hold what looks like the end of one and the start of another.
    const trap = fc.constantFrom<unknown>(
      'x},{"metadata":{"name":"not me"',
      [{ metadata: { name: 'inner' } }, { metadata: { name: 'other' } }],
      { metadata: {} },
      1,
    );
    const alike = fc.record({
      metadata: fc.record({ name: text }),
      spec: fc.option(trap),
      tail: json,
    });
    const lists = fc.record({
      items: fc.array(fc.oneof({ weight: 8, arbitrary: alike }, { weight: 1, arbitrary: item }), {
        maxLength: 12,
      }),
      metadataFirst: fc.boolean(),
      indent: fc.constantFrom(undefined, undefined, undefined, 1),
    });
    fc.assert(
      fc.property(lists, sizes, ({ items, metadataFirst, indent }, cuts) => {
        const metadata = { continue: 'x},{"metadata":{' };
        const list = metadataFirst ? { metadata, items } : { items, metadata };
        const source = JSON.stringify(list, null, indent);
        const found = parse(
          Buffer.from(source),
          cuts.map((size) => size * 997),
        );
        expect(found.items).toEqual((JSON.parse(source) as typeof list).items);
        expect(found.envelope).toEqual({ items: [], metadata });
      }),
      { numRuns: 300 },
    );
  });

  it('leaves out the managed fields of the items, and nothing else that is called so', () => {
    const managedFields = fc.constantFrom<unknown>(
      [{ fieldsV1: { 'f:spec': { 'k:{"name":"},{\\"metadata\\":{"}': {} } } }],
      [],
      'x"managedFields":[',
      null,
    );
    const metadata = fc.record(
      { name: text, managedFields, labels: fc.constant({ managedFields: 'a label' }), uid: text },
      { requiredKeys: ['name'] },
    );
    const nested = fc.record({ metadata, spec: fc.record({ managedFields }) });
    const alike = fc.record(
      {
        metadata,
        // As a StatefulSet has them; they look like the start of another item.
        templates: fc.array(nested, { maxLength: 3 }),
        spec: fc.record({ managedFields }),
      },
      { requiredKeys: ['metadata'] },
    );
    const other = fc.record({ kind: fc.constant('K'), metadata });
    const lists = fc.array(
      fc.oneof({ weight: 8, arbitrary: alike }, { weight: 1, arbitrary: other }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(lists, sizes, (items, cuts) => {
        const source = Buffer.from(JSON.stringify({ items, kind: 'L' }));
        const whole = JSON.parse(source.toString()) as { items: Bare[] };
        const bare = whole.items.map(
          ({ metadata: { managedFields: _, ...rest }, ...item }: Bare) => ({
            ...item,
            metadata: rest,
          }),
        );
        expect(
          parse(
            source,
            cuts.map((size) => size * 97),
            true,
          ).items,
        ).toEqual(bare);
      }),
      { numRuns: 500 },
    );
  });

  it('cuts at every byte', () => {
    const items = ['a', 'é', 'c', 'd'].map((name) => ({
      metadata: { name },
      x: '},{"metadata":{',
    }));
    const source = Buffer.from(JSON.stringify({ items, kind: 'L' }));
    for (let first = 0; first <= source.length; first += 3) {
      for (let second = 1; second < source.length - first; second += 11) {
        expect(parse(source, [first, second]).items).toEqual(items);
      }
    }
  });

  it.each(['{"items":[{"metadata":{}},{"metadata":{}}', '{"items":[{"metadata":{}},{"metadata":'])(
    'says that %j is cut',
    (source) => {
      expect(() => parse(Buffer.from(source), [20])).toThrow(/ended in the middle/);
    },
  );

  it('says that an item is broken', () => {
    const source = Buffer.from('{"items":[{"metadata":{}},{"metadata":{a}},{"metadata":{}}]}');
    expect(() => parse(source, [27])).toThrow(/not JSON/);
  });
});

describe('scanItemMetadata', () => {
  it('finds what JSON.parse finds', () => {
    const metadata = fc.record(
      {
        name: text,
        namespace: text,
        resourceVersion: text,
        uid: text,
        labels: fc.dictionary(text, text),
        annotations: fc.dictionary(text, text),
        managedFields: fc.array(item),
        generation: fc.integer(),
      },
      { requiredKeys: [] },
    );
    const indent = fc.constantFrom(undefined, 2);
    fc.assert(
      fc.property(item, metadata, item, indent, (before, meta, after, spaces) => {
        const { metadata: _, ...first } = before;
        const { metadata: __, ...last } = after;
        const source = JSON.stringify({ ...first, metadata: meta, ...last }, null, spaces);
        const bytes = Buffer.from(source);
        const whole = JSON.parse(source) as { metadata: Record<string, never> };
        expect(scanItemMetadata(bytes)).toMatchObject({
          name: whole.metadata.name ?? '',
          namespace: whole.metadata.namespace ?? '',
          resourceVersion: whole.metadata.resourceVersion ?? '',
          uid: whole.metadata.uid ?? '',
        });
        expect(scanItemMetadata(bytes).labels).toEqual(whole.metadata.labels);
        const { managedFields: ___, ...rest } = whole.metadata;
        expect(JSON.parse(itemText(bytes, true))).toEqual({ ...whole, metadata: rest });
        expect(JSON.parse(itemText(bytes))).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it.each(['', '[]', '{}', '{"metadata":', '{"metadata":{"name":"a', '{"a":1,"b"'])(
    'refuses %j',
    (source) => {
      expect(() => scanItemMetadata(Buffer.from(source))).toThrow(KubeError);
    },
  );
});
