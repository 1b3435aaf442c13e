import { describe, expect, test } from 'vitest';
import { LinkStore } from './link-store.ts';

describe('LinkStore', () => {
  test('keeps the texts of its links while others come and go and gaps are closed', () => {
    const store = new LinkStore<number>();
    const key = (text: string) => ({ kind: 'equal' as const, text });
    const long = 'x'.repeat(500);
    const links = new Map<number, number>();
    for (let round = 0; round < 1_000; round += 1) {
      links.set(round, store.add(round, key(`h${round}`), key(`/${long}${round}`)));
      if (round >= 10) {
        store.remove(links.get(round - 10) ?? -1);
      }
    }
    for (let round = 990; round < 1_000; round += 1) {
      const link = links.get(round) ?? -1;
      expect(store.candidate(link)).toBe(round);
      expect(store.fits(link, `h${round}`, `/${long}${round}`)).toBe(true);
      expect(store.fits(link, `h${round}`, `/${long}${round + 1}`)).toBe(false);
    }
  });

  test('takes characters of any width after narrow ones', () => {
    const store = new LinkStore<string>();
    const narrow = store.add('narrow', null, { kind: 'prefix', text: '/é' });
    const wide = store.add('wide', null, { kind: 'prefix', text: '/Ω' });
    expect(store.fits(narrow, '', '/éa')).toBe(true);
    expect(store.fits(wide, '', '/Ωa')).toBe(true);
    expect(store.fits(wide, '', '/©a')).toBe(false);
  });
});
