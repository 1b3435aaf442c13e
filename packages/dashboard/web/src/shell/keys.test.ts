import { beforeEach, expect, test, vi } from 'vitest';

let press: (key: string, more?: object) => boolean;
let went: string[];
let focused: number;
let keys: typeof import('./keys.ts');
let page: { activeElement: unknown; hasList: boolean };

class Element_ {
  readonly tagName: string;
  readonly isContentEditable: boolean;
  constructor(tagName: string, isContentEditable = false) {
    this.tagName = tagName;
    this.isContentEditable = isContentEditable;
  }
}

beforeEach(async () => {
  went = [];
  focused = 0;
  const body = new Element_('BODY');
  page = { activeElement: body, hasList: true };
  let listener: (event: object) => void = () => undefined;
  const location = new URL('http://page.test/start');
  vi.stubGlobal('location', location);
  vi.stubGlobal('history', {
    pushState: (_state: unknown, _title: string, address: string) => {
      went.push(address);
      location.href = new URL(address, location.href).href;
    },
  });
  vi.stubGlobal('scrollTo', () => undefined);
  vi.stubGlobal('HTMLElement', Element_);
  vi.stubGlobal('document', {
    body,
    get activeElement() {
      return page.activeElement;
    },
    querySelector: () => (page.hasList ? { focus: () => (focused += 1) } : null),
    addEventListener: (_name: string, on: typeof listener) => {
      listener = on;
    },
  });
  vi.resetModules();
  keys = await import('./keys.ts');
  keys.listenToKeys();
  press = (key, more = {}) => {
    let isTaken = false;
    const preventDefault = () => {
      isTaken = true;
    };
    listener({ key, timeStamp: 0, target: null, preventDefault, ...more });
    return isTaken;
  };
});

test.each<[string, object, string | undefined]>([
  ['/', {}, 'search'],
  ['?', {}, 'help'],
  ['k', { ctrlKey: true }, 'search'],
  ['k', { metaKey: true }, 'search'],
  ['k', { ctrlKey: true, target: new Element_('INPUT') }, 'search'],
  ['k', {}, undefined],
  ['/', { ctrlKey: true }, undefined],
  ['/', { metaKey: true }, undefined],
  ['/', { altKey: true }, undefined],
  ['/', { defaultPrevented: true }, undefined],
  ['k', { ctrlKey: true, isComposing: true }, undefined],
  ['x', {}, undefined],
])('%s with %j opens %s', (key, more, opened) => {
  expect(press(key, more)).toBe(opened !== undefined);
  expect(keys.overlay.value).toBe(opened);
});

test.each(['INPUT', 'TEXTAREA', 'SELECT'])('what is typed into %s is text', (tag) => {
  // The class is that of this test's page.
  const target = Object.assign(Object.create(HTMLElement.prototype), { tagName: tag });
  expect(press('/', { target })).toBe(false);
});

test('what is typed into a text that can be edited is text, and a button is none', () => {
  expect(press('/', { target: new Element_('DIV', true) })).toBe(false);
  expect(press('/', { target: new Element_('BUTTON') })).toBe(true);
});

test('below what lies over the page nothing is pressed', () => {
  press('/');
  expect(press('?')).toBe(false);
  expect(keys.overlay.value).toBe('search');
});

test.each<[string, readonly [string, number][], readonly string[], readonly boolean[]]>([
  [
    'goes to a page',
    [
      ['g', 0],
      ['r', 1_499],
    ],
    ['/routes'],
    [true, true],
  ],
  [
    'is too late',
    [
      ['g', 0],
      ['r', 1_500],
    ],
    [],
    [true, false],
  ],
  [
    'is a letter of no page',
    [
      ['g', 0],
      ['x', 1],
      ['r', 2],
    ],
    [],
    [true, false, false],
  ],
  [
    'is one of a page that is not offered',
    [
      ['g', 0],
      ['m', 1],
    ],
    [],
    [true, false],
  ],
  [
    'holds for one letter',
    [
      ['g', 0],
      ['f', 1],
      ['r', 2],
    ],
    ['/flow'],
    [true, true, false],
  ],
  [
    'may come twice',
    [
      ['g', 0],
      ['g', 1_000],
      ['t', 2_000],
    ],
    ['/trace'],
    [true, true, true],
  ],
  ['alone is nothing', [['r', 0]], [], [false]],
])('a letter behind g %s', (_name, pressed, places, taken) => {
  expect(pressed.map(([key, timeStamp]) => press(key, { timeStamp }))).toEqual(taken);
  expect(went).toEqual(places);
});

test.each(['ArrowDown', 'ArrowUp'])('%s with nothing in focus goes to the list', (key) => {
  expect(press(key)).toBe(true);
  page.activeElement = { id: 'content' };
  expect(press(key)).toBe(true);
  expect(focused).toBe(2);
  page.activeElement = { id: 'other' };
  expect(press(key)).toBe(false);
  page.activeElement = null;
  expect(press(key)).toBe(false);
  expect(focused).toBe(2);
});

test('an arrow on a page without a list is nobody’s', () => {
  page.hasList = false;
  expect(press('ArrowDown')).toBe(false);
});
