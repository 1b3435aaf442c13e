import { beforeEach, expect, test, vi } from 'vitest';

// The page's own globals, as far as addresses need them.

type Listener = (event: object) => void;
let listeners: Record<string, Listener>;
let scrolled: number;
let went: string[];
let there: typeof import('./place.ts');

class Anchor {
  readonly target: string = '';
  readonly download: string = '';
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  readonly #isOutside: boolean;
  constructor(
    href: string,
    more: { target?: string; download?: string; isOutside?: boolean } = {},
  ) {
    const url = new URL(href, 'http://page.test');
    ({ origin: this.origin, pathname: this.pathname, search: this.search, hash: this.hash } = url);
    this.#isOutside = more.isOutside === true;
    this.target = more.target ?? '';
    this.download = more.download ?? '';
  }
  hasAttribute(name: string): boolean {
    return name === 'data-outside' && this.#isOutside;
  }
}

beforeEach(async () => {
  listeners = {};
  scrolled = 0;
  went = [];
  const location = new URL('http://page.test/routes?q=a');
  const move = (how: string) => (_state: unknown, _title: string, address: string) => {
    location.href = new URL(address, location.href).href;
    went.push(`${how} ${address}`);
  };
  vi.stubGlobal('location', location);
  vi.stubGlobal('history', { pushState: move('push'), replaceState: move('replace') });
  vi.stubGlobal('scrollTo', () => {
    scrolled += 1;
  });
  const listen = (name: string, listener: Listener) => {
    listeners[name] = listener;
  };
  vi.stubGlobal('addEventListener', listen);
  vi.stubGlobal('document', { addEventListener: listen });
  vi.stubGlobal('HTMLAnchorElement', Anchor);
  vi.resetModules();
  there = await import('./place.ts');
});

const shown = () => `${there.place.value.path} ${there.place.value.query}`;

test('the page begins where its address says', () => {
  expect(shown()).toBe('/routes q=a');
});

test.each<[string, { replace?: boolean } | undefined, readonly string[], string, number]>([
  ['/flow', undefined, ['push /flow'], '/flow ', 1],
  ['/routes?q=b', undefined, ['push /routes?q=b'], '/routes q=b', 0],
  ['/routes?q=b', { replace: true }, ['replace /routes?q=b'], '/routes q=b', 0],
  ['/routes?q=a', undefined, [], '/routes q=a', 0],
])('going to %s with %j', (address, options, moves, place, scrolls) => {
  there.go(address, options);
  expect([went, shown(), scrolled]).toEqual([moves, place, scrolls]);
});

test.each([
  [{ q: 'b', sort: 'rate' }, ['replace /routes?q=b&sort=rate']],
  [{ q: '' }, ['replace /routes']],
  [{ q: 'a' }, []],
])('the words %j of the query', (changes, moves) => {
  there.setQuery(changes as Record<string, string>);
  expect(went).toEqual(moves);
});

test('the way back is followed', () => {
  there.followLinks();
  location.href = 'http://page.test/trace?url=x';
  listeners.popstate?.({});
  expect(shown()).toBe('/trace url=x');
});

test.each<[string, Anchor | undefined, object, boolean]>([
  ['a link', new Anchor('/flow?x=1#part'), {}, true],
  ['a link to another part of another page', new Anchor('/flow#part'), {}, true],
  ['a link to a part of this page', new Anchor('/routes#part'), {}, false],
  ['a link to elsewhere', new Anchor('http://other.test/flow'), {}, false],
  ['a link to another window', new Anchor('/flow', { target: '_blank' }), {}, false],
  ['a file', new Anchor('/flow', { download: 'a' }), {}, false],
  ['a link that is to be loaded', new Anchor('/flow', { isOutside: true }), {}, false],
  ['no link', undefined, {}, false],
  ['a link, with another button', new Anchor('/flow'), { button: 1 }, false],
  ['a link that somebody took', new Anchor('/flow'), { defaultPrevented: true }, false],
  ['a link, with Ctrl', new Anchor('/flow'), { ctrlKey: true }, false],
  ['a link, with Meta', new Anchor('/flow'), { metaKey: true }, false],
  ['a link, with Shift', new Anchor('/flow'), { shiftKey: true }, false],
  ['a link, with Alt', new Anchor('/flow'), { altKey: true }, false],
])('a click on %s', (_name, anchor, more, isFollowed) => {
  there.followLinks();
  const preventDefault = vi.fn();
  const target = { closest: (selector: string) => (selector === 'a[href]' ? anchor : undefined) };
  listeners.click?.({ button: 0, target, preventDefault, ...more });
  expect(preventDefault).toHaveBeenCalledTimes(isFollowed ? 1 : 0);
  expect(went).toEqual(isFollowed ? [`push ${anchor?.pathname}${anchor?.search}`] : []);
});
