import type { DynamicObject } from '@waygate/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Entry } from './entry.ts';

/** Texts that look like what is searched for. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('managedFields', ',"managedFields":[', '\\",\\"managedFields\\":[', '}}', '['),
);
const fields = fc.array(
  fc.record({ manager: text, fieldsV1: fc.dictionary(text, fc.constant({})) }),
);
const spec = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.array(tie('node'), { maxLength: 2 }),
    fc.record({ first: tie('node'), managedFields: fc.array(tie('node')) }),
  ),
})).node;
const object = fc.record({
  metadata: fc.record(
    {
      name: fc.constant('one'),
      uid: text,
      labels: fc.dictionary(text, text),
      annotations: fc.dictionary(text, text),
      ownerReferences: fc.array(fc.record({ uid: text, kind: text })),
      finalizers: fc.array(text),
      managedFields: fields,
    },
    { requiredKeys: ['name'] },
  ),
  spec,
});

test('the head is the metadata without managed fields, read before and after the object is', () => {
  fc.assert(
    fc.property(object, (given) => {
      const entry = Entry.of(given as unknown as DynamicObject, 7);
      const before = entry.head;
      const { managedFields: _managedFields, ...whole } = entry.object.metadata;
      expect(before).toEqual(whole);
      expect(entry.head).toEqual(whole);
    }),
  );
});

test('of a large object that nobody has read the head is parsed alone', () => {
  const managedFields = [{ manager: 'kubectl', fieldsV1: {} }];
  const tail = '"metadata":{"name":"one","uid":"u"';
  const broken = Buffer.from(`${tail},"managedFields":${JSON.stringify(managedFields)}}, no JSON`);
  expect(new Entry('', 'one', 7, broken).head).toEqual({ name: 'one', uid: 'u' });
});
