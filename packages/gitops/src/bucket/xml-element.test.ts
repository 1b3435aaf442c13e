import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseXml, textOf } from './xml-element.ts';

test('reads names, texts and what stands for a character', () => {
  const root = parseXml(
    '<?xml version="1.0"?>\n<!-- a < b --><s3:List xmlns:s3="x"><Key>a &amp; b&#x41;&#66;</Key><Empty/><![CDATA[<raw>]]></s3:List>',
  );
  expect(root?.name).toBe('List');
  expect(textOf(root!, 'Key')).toBe('a & bAB');
  expect(textOf(root!, 'Empty')).toBe('');
  expect(root?.text).toBe('<raw>');
});

test.each(['', '<a>', '<a></b>', '</a>', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', '<a', 'text'])(
  'refuses %j',
  (text) => expect(parseXml(text)).toBeUndefined(),
);

test('does not nest for ever', () => {
  expect(parseXml(`${'<a>'.repeat(50)}${'</a>'.repeat(50)}`)).toBeUndefined();
});

test('gives back any text that was written as one', () => {
  const written = (text: string) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(parseXml(`<Key>${written(text)}</Key>`)?.text).toBe(text);
    }),
  );
  // Whatever comes, it ends, and it is an element or nothing.
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('<', '>', '/', 'a', '&', ';', '!', '[', '-', ' ')),
      (all) => {
        const found = parseXml(all.join(''));
        expect(found === undefined || typeof found.name === 'string').toBe(true);
      },
    ),
  );
});
