import { describe, expect, it } from 'vitest';
import { ParsedTemplates } from './parsed-templates.ts';
import { ParseError } from './token-reader.ts';

const made = (maxBytes = 1_000_000): ParsedTemplates =>
  new ParsedTemplates((name) => name === 'quote', maxBytes);

describe('templates that were parsed before', () => {
  it('are the same trees for the same name and text', () => {
    const parsed = made();
    expect(parsed.parse('a', '{{ quote 1 }}')).toBe(parsed.parse('a', '{{ quote 1 }}'));
  });

  it('are others under another name, which errors show, and of another text', () => {
    const parsed = made();
    const first = parsed.parse('a', '{{ quote 1 }}');
    expect(parsed.parse('b', '{{ quote 1 }}')).not.toBe(first);
    expect([...parsed.parse('b', '{{ quote 1 }}').keys()]).toEqual(['b']);
    expect(parsed.parse('a', '{{ quote 2 }}')).not.toBe(first);
  });

  it('are no template that does not parse: it fails each time', () => {
    const parsed = made();
    for (const _ of [1, 2]) expect(() => parsed.parse('a', '{{ other }}')).toThrow(ParseError);
  });

  it('go when there are more than may be kept, those that were not used first', () => {
    const parsed = made(4_000);
    const used = parsed.parse('used', 'text');
    const idle = parsed.parse('idle', 'text');
    for (let index = 0; index < 20; index++) {
      parsed.parse(`other-${index}`, 'x'.repeat(300));
      parsed.parse('used', 'text');
    }
    expect(parsed.parse('used', 'text')).toBe(used);
    expect(parsed.parse('idle', 'text')).not.toBe(idle);
  });

  it('do not make room for one that is large', () => {
    const parsed = made(4_000);
    const small = parsed.parse('small', 'text');
    const large = parsed.parse('large', 'x'.repeat(3_000));
    expect(parsed.parse('large', 'x'.repeat(3_000))).not.toBe(large);
    expect(parsed.parse('small', 'text')).toBe(small);
  });
});
