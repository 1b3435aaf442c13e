import { expectNumber, LuaFailure, type LuaFunction, type LuaValue } from './lua-value.ts';

/** A function of numbers. */
function calculation(name: string, run: (...numbers: number[]) => number): LuaFunction {
  return (args, budget) => {
    budget.spend(args.length);
    return [run(...args.map((each) => expectNumber(each, name)))];
  };
}

function calculations(
  functions: Readonly<Record<string, (...numbers: number[]) => number>>,
): Record<string, LuaFunction> {
  return Object.fromEntries(
    Object.entries(functions).map(([name, run]) => [name, calculation(name, run)]),
  );
}

/** The functions of `math`. Chance is the gateway's, and cannot be seeded. */
export function mathLibrary(random: () => number): Readonly<Record<string, LuaValue>> {
  return {
    pi: Math.PI,
    huge: Number.POSITIVE_INFINITY,
    ...calculations({
      abs: Math.abs,
      ceil: Math.ceil,
      floor: Math.floor,
      sqrt: Math.sqrt,
      exp: Math.exp,
      log: (value = 0, base) =>
        base === undefined ? Math.log(value) : Math.log(value) / Math.log(base),
      log10: Math.log10,
      pow: (value = 0, power = 0) => value ** power,
      sin: Math.sin,
      cos: Math.cos,
      tan: Math.tan,
      asin: Math.asin,
      acos: Math.acos,
      atan: Math.atan,
      atan2: Math.atan2,
      deg: (value = 0) => (value * 180) / Math.PI,
      rad: (value = 0) => (value * Math.PI) / 180,
      fmod: (value = 0, by = 0) => value % by,
      mod: (value = 0, by = 0) => value % by,
      max: (...values) => Math.max(...values),
      min: (...values) => Math.min(...values),
    }),
    modf: ([value]: readonly LuaValue[]) => {
      const number = expectNumber(value, 'modf');
      return [Math.trunc(number), number - Math.trunc(number)];
    },
    randomseed: () => [],
    random: ([one, two]: readonly LuaValue[]) => {
      if (one === undefined) return [random()];
      const low = two === undefined ? 1 : expectNumber(one, 'random');
      const high = expectNumber(two ?? one, 'random');
      if (high < low) throw new LuaFailure("bad argument to 'random' (interval is empty)");
      return [low + Math.floor(random() * (high - low + 1))];
    },
  };
}

/** The functions of LuaJIT's `bit`, on signed numbers of 32 bits. */
export const bitLibrary: Readonly<Record<string, LuaFunction>> = {
  ...calculations({
    tobit: (value = 0) => toInt32(value),
    bnot: (value = 0) => ~toInt32(value),
    band: (...values) => values.map(toInt32).reduce((all, each) => all & each),
    bor: (...values) => values.map(toInt32).reduce((all, each) => all | each),
    bxor: (...values) => values.map(toInt32).reduce((all, each) => all ^ each),
    lshift: (value = 0, by = 0) => toInt32(value) << (by & 31),
    rshift: (value = 0, by = 0) => (toInt32(value) >>> (by & 31)) | 0,
    arshift: (value = 0, by = 0) => toInt32(value) >> (by & 31),
    rol: (value = 0, by = 0) => rotated(value, by & 31),
    ror: (value = 0, by = 0) => rotated(value, 32 - (by & 31)),
    bswap: (value = 0) => {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(toInt32(value));
      return bytes.readInt32LE();
    },
  }),
  tohex: ([value, digits]) => {
    const number = toInt32(expectNumber(value, 'tohex')) >>> 0;
    const count = digits === undefined ? 8 : expectNumber(digits, 'tohex');
    const text = number
      .toString(16)
      .padStart(8, '0')
      .slice(-Math.min(Math.abs(count), 8));
    return [count < 0 ? text.toUpperCase() : text];
  },
};

function toInt32(value: number): number {
  return Number(BigInt.asIntN(32, BigInt(Number.isFinite(value) ? Math.round(value) : 0)));
}

function rotated(value: number, by: number): number {
  const bits = toInt32(value) >>> 0;
  return by % 32 === 0 ? bits | 0 : (bits << by) | (bits >>> (32 - by));
}
