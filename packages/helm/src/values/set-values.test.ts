import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GoMap } from '../go/value.ts';
import { printValues } from './print-values.ts';
import { goValueFromJson } from './read-values.ts';
import { EmptyItems, setValues } from './set-values.ts';

/** What a real Helm 3.22 made of each flag, or why it refused it. */
type Row = readonly [text: string, values: string | null, refused?: string];
const recorded = JSON.parse(
  readFileSync(new URL('testdata/set.json', import.meta.url), 'utf8'),
) as Record<string, Row[]>;
const kinds = { '--set-string': 'string', '--set-json': 'json', '--set-literal': 'literal' };

function printed(flag: string, text: string): string {
  const values = new GoMap();
  const kind = kinds[flag as keyof typeof kinds] ?? 'typed';
  setValues(values, text, { kind: kind as 'typed', helm: 3 });
  return printValues(values);
}

describe.each(Object.entries(recorded))('%s', (flag, rows) => {
  for (const [text, wanted, refused] of rows)
    test(`${text} is ${wanted}`, () => {
      if (wanted === null) expect(() => printed(flag, text)).toThrow(refused);
      else expect(printed(flag, text)).toBe(printValues(goValueFromJson(wanted) as GoMap));
    });
});

test('values are set in those that there are', () => {
  const values = goValueFromJson('{"a":{"b":1,"c":[1,2,{"d":3}]},"e":"x"}') as GoMap;
  setValues(values, 'a.b=5,a.c[0]=9,a.c[2].d=4,a.c[3]=new,e=null,f.g={h}');
  expect(printValues(values)).toBe(
    'a:\n  b: 5\n  c:\n  - 9\n  - 2\n  - d: 4\n  - new\ne: null\nf:\n  g:\n  - h\n',
  );
});

test('a text that ends within an index has ended for Helm 4', () => {
  const values = new GoMap();
  setValues(values, 'b=1,a[0', { helm: 4 });
  expect(printValues(values)).toBe('b: 1\n');
});

test('a file stands for its content', () => {
  const values = new GoMap();
  const readFile = (path: string) => `of ${path}`;
  setValues(values, 'a=x.txt,b.c=y.txt', { kind: 'file', readFile });
  expect(printValues(values)).toBe('a: of x.txt\nb:\n  c: of y.txt\n');
});

describe('lists are filled up to an index', () => {
  const refused = 'the lists have more than 1000000 items that nothing is set to';
  const far = (count: number) => Array.from({ length: count }, (_, at) => `a${at}[65536]=1`);

  test('as far as an index can go, and no farther', () => {
    const values = new GoMap();
    setValues(values, 'a[65536]=1,b[2]=x,b[0]=y');
    expect(values.get('a')).toHaveLength(65_537);
    expect(values.get('b')).toEqual(['y', null, 'x']);
    expect(() => setValues(values, 'c[65537]=1')).toThrow(
      'index of 65537 is greater than maximum supported index of 65536',
    );
  });

  test('a million items that nothing is set to are enough for one text, lists in lists counted', () => {
    setValues(new GoMap(), far(15).join());
    expect(() => setValues(new GoMap(), far(16).join())).toThrow(refused);
    const nested = Array.from({ length: 16 }, (_, at) => `a[${at}][65536]=1`).join();
    expect(() => setValues(new GoMap(), nested)).toThrow(refused);
  });

  test('items that something is set to do not count', () => {
    const items = Array.from({ length: 1000 }, (_, at) => `a[${at}]=1`).join();
    const emptyItems = new EmptyItems();
    emptyItems.take(1_000_000);
    const values = new GoMap();
    setValues(values, items, { emptyItems });
    expect(values.get('a')).toHaveLength(1000);
    expect(() => setValues(values, 'a[1001]=1', { emptyItems })).toThrow(refused);
  });

  test('several texts share what they may have', () => {
    const emptyItems = new EmptyItems();
    const values = new GoMap();
    for (const text of far(15)) setValues(values, text, { emptyItems });
    expect(() => setValues(values, 'z[65536]=1', { emptyItems })).toThrow(refused);
    setValues(values, 'z[16960]=1', { emptyItems });
    expect(() => setValues(values, 'y[1]=1', { emptyItems })).toThrow(refused);
  });
});
