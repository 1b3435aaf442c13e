import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { substitutionStream } from './text-substitution.ts';

const types = ['text/html'];

function streamed(chunks: readonly string[], config: Parameters<typeof substitutionStream>[0]) {
  const stream = substitutionStream(config);
  const sent = chunks.map((chunk) => stream.data(Buffer.from(chunk)));
  return Buffer.concat([...sent, stream.end([])]).toString();
}

describe('substitutions in a stream', () => {
  test.each<[readonly string[], readonly [string, string][], boolean, string]>([
    [['aXbXc'], [['x', '-']], false, 'a-b-c'],
    [['aXbXc'], [['x', '-']], true, 'a-bXc'],
    [['</he', 'ad>'], [['</HEAD>', '!']], false, '!'],
    [
      ['ab', 'ba'],
      [
        ['abba', 'x'],
        ['b', 'y'],
      ],
      false,
      'x',
    ],
    [['zü', 'g'], [['ü', 'ue']], false, 'zueg'],
    [['abc'], [], false, 'abc'],
  ])('%j with %j (once: %s)', (chunks, pairs, once, expected) => {
    const config = { pairs: pairs.map(([from, to]) => ({ from, to })), once, types };
    expect(streamed(chunks, config)).toBe(expected);
  });

  test('pieces make no difference', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A'), maxLength: 30 });
    const wanted = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(text), wanted, fc.boolean(), (chunks, from, once) => {
        const config = { pairs: [{ from, to: '#' }], once, types };
        const whole = chunks.join('');
        const pattern = new RegExp(from, once ? 'i' : 'gi');
        expect(streamed(chunks, config)).toBe(whole.replace(pattern, '#'));
      }),
    );
  });
});
