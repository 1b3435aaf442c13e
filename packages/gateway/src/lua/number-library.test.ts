import { describe, expect, test } from 'vitest';
import type { LuaFunction, LuaValue } from './lua-value.ts';
import { bitLibrary, mathLibrary } from './number-library.ts';

const budget = { spend: () => undefined } as never;
const call = (library: Readonly<Record<string, LuaValue>>, name: string, args: LuaValue[]) =>
  (library[name] as LuaFunction)(args, budget);

describe('math', () => {
  const half = mathLibrary(() => 0.5);
  const rows: [string, LuaValue[], LuaValue[]][] = [
    ['abs', [-2], [2]],
    ['ceil', [1.2], [2]],
    ['floor', [-1.2], [-2]],
    ['sqrt', [9], [3]],
    ['exp', [0], [1]],
    ['log', [Math.E], [1]],
    ['log', [8, 2], [3]],
    ['log10', [1000], [3]],
    ['pow', [2, 10], [1024]],
    ['deg', [Math.PI], [180]],
    ['rad', [90], [Math.PI / 2]],
    ['sin', [0], [0]],
    ['cos', [0], [1]],
    ['atan2', [1, 1], [Math.PI / 4]],
    ['fmod', [7, 3], [1]],
    ['fmod', [-7, 3], [-1]],
    ['max', [1, 9, 3], [9]],
    ['min', [4, 2, 3], [2]],
    ['modf', [-1.5], [-1, -0.5]],
    ['modf', [2.25], [2, 0.25]],
    ['random', [], [0.5]],
    ['random', [10], [6]],
    ['random', [1], [1]],
    ['random', [5, 6], [6]],
    ['random', [-3, -1], [-2]],
    ['randomseed', [1], []],
  ];
  test.each(rows)('%s of %j is %j', (name, args, wanted) => {
    expect(call(half, name, args)).toEqual(wanted);
  });

  test('chance stays within its bounds', () => {
    expect(
      call(
        mathLibrary(() => 0),
        'random',
        [3, 7],
      ),
    ).toEqual([3]);
    expect(
      call(
        mathLibrary(() => 0.999),
        'random',
        [3, 7],
      ),
    ).toEqual([7]);
    expect(() => call(half, 'random', [2, 1])).toThrow('interval is empty');
    expect(() => call(half, 'random', [0])).toThrow('interval is empty');
    expect(() => call(half, 'floor', ['x'])).toThrow('floor');
  });
});

describe('bit', () => {
  const rows: [string, LuaValue[], LuaValue][] = [
    ['tobit', [0xffff_ffff], -1],
    ['tobit', [0x1_0000_0001], 1],
    ['tobit', [1.5], 2],
    ['tobit', [Number.NaN], 0],
    ['bnot', [0], -1],
    ['band', [0xff, 0x0f, 0x3c], 0x0c],
    ['bor', [1, 2, 4], 7],
    ['bxor', [7, 2, 1], 4],
    ['lshift', [1, 31], -2_147_483_648],
    ['lshift', [1, 33], 2],
    ['rshift', [-1, 28], 15],
    ['rshift', [256, 8], 1],
    ['arshift', [-256, 8], -1],
    ['rol', [0x1234_5678, 12], 0x4567_8123],
    ['ror', [0x1234_5678, 12], 0x6781_2345],
    ['rol', [5, 0], 5],
    ['ror', [5, 32], 5],
    ['bswap', [0x1234_5678], 0x7856_3412],
    ['tohex', [1], '00000001'],
    ['tohex', [-1], 'ffffffff'],
    ['tohex', [0x2_1ab, 4], '21ab'],
    ['tohex', [-1, -8], 'FFFFFFFF'],
    ['tohex', [255, -2], 'FF'],
    ['tohex', [255, 20], '000000ff'],
  ];
  test.each(rows)('%s of %j is %j', (name, args, wanted) => {
    expect(call(bitLibrary, name, args)).toEqual([wanted]);
  });
});
