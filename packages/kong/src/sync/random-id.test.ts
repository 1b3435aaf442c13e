import { describe, expect, it } from 'vitest';
import { randomId } from './random-id.ts';

describe('randomId', () => {
  it('makes UUIDs of version 4, none twice', () => {
    const ids = new Set(Array.from({ length: 2000 }, randomId));
    expect(ids.size).toBe(2000);
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const id of ids) expect(id).toMatch(form);
  });

  it('uses every digit in every place that is free', () => {
    const seen = Array.from({ length: 36 }, () => new Set<string>());
    for (let count = 0; count < 2000; count += 1) {
      for (const [place, digit] of [...randomId()].entries()) seen[place]?.add(digit);
    }
    const sizes = seen.map((digits) => digits.size);
    const fixed = new Map([
      [14, 1],
      [19, 4],
      [8, 1],
      [13, 1],
      [18, 1],
      [23, 1],
    ]);
    expect(sizes).toEqual(sizes.map((_, place) => fixed.get(place) ?? 16));
  });
});
