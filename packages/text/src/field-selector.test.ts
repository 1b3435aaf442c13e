import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldSelectorOf, parseFieldSelector } from './field-selector.ts';

describe('parseFieldSelector', () => {
  it.each([
    ['metadata.name=web', 'metadata.name=web'],
    ['a==b,c!=d', 'a=b,c!=d'],
    ['', ''],
    ['a=', 'a='],
    ['a=b\\,c\\=d\\\\e', 'a=b\\,c\\=d\\\\e'],
  ])('%j prints as %j', (text, printed) => {
    expect(parseFieldSelector(text).toString()).toBe(printed);
  });

  it.each(['a', 'a=b=c', 'a=\\x', 'a=\\'])('refuses %j', (text) => {
    expect(() => parseFieldSelector(text)).toThrow(/field selector/);
  });

  it('matches what the fields say', () => {
    const selector = parseFieldSelector('spec.nodeName=n1,status.phase!=Failed');
    const fields = (phase: string) => (field: string) => (field === 'spec.nodeName' ? 'n1' : phase);
    expect(selector.matches(fields('Running'))).toBe(true);
    expect(selector.matches(fields('Failed'))).toBe(false);
  });

  it('carries any value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const text = fieldSelectorOf([{ field: 'a.b', operator: '!=', value }]).toString();
        expect(parseFieldSelector(text).requirements).toEqual([
          { field: 'a.b', operator: '!=', value },
        ]);
      }),
    );
  });
});
