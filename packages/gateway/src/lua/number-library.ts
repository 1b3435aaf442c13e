import { expectNumber, LuaFailure, type LuaFunction, type LuaValue } from './lua-value.ts';

/** A function of numbers. */
function calculation(name: string, run: (...numbers: number[]) => number): LuaFunction {
  return (args, budget) => {
    budget.spend(args.length);
    // `run.length` counts what has no default: the least that is needed.
    const numbers = args.length < run.length ? [...args, undefined] : args;
    return [run(...numbers.map((each) => expectNumber(each, name)))];
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
      log: (value: number, base = Math.E) => Math.log(value) / Math.log(base),
      log10: Math.log10,
      pow: (value: number, power: number) => value ** power,
      sin: Math.sin,
      cos: Math.cos,
      tan: Math.tan,
      asin: Math.asin,
      acos: Math.acos,
      atan: Math.atan,
      atan2: Math.atan2,
      deg: (value: number) => (value * 180) / Math.PI,
      rad: (value: number) => (value * Math.PI) / 180,
      sinh: Math.sinh,
      cosh: Math.cosh,
      tanh: Math.tanh,
      ldexp: (value: number, power: number) => value * 2 ** power,
      fmod: (value: number, by: number) => value % by,
      max: (first: number, ...values) => Math.max(first, ...values),
      min: (first: number, ...values) => Math.min(first, ...values),
    }),
    modf: ([value]: readonly LuaValue[]) => {
      const number = expectNumber(value, 'modf');
      return [Math.trunc(number), number - Math.trunc(number)];
    },
    frexp: ([value]: readonly LuaValue[]) => halved(expectNumber(value, 'frexp')),
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
    tobit: (value: number) => toInt32(value),
    bnot: (value: number) => ~toInt32(value),
    band: (first: number, ...rest) =>
      rest.reduce((all, each) => all & toInt32(each), toInt32(first)),
    bor: (first: number, ...rest) =>
      rest.reduce((all, each) => all | toInt32(each), toInt32(first)),
    bxor: (first: number, ...rest) =>
      rest.reduce((all, each) => all ^ toInt32(each), toInt32(first)),
    lshift: (value: number, by: number) => toInt32(value) << (by & 31),
    rshift: (value: number, by: number) => (toInt32(value) >>> (by & 31)) | 0,
    arshift: (value: number, by: number) => toInt32(value) >> (by & 31),
    rol: (value: number, by: number) => rotated(value, by & 31),
    ror: (value: number, by: number) => rotated(value, 32 - (by & 31)),
    bswap: (value: number) => {
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
      .slice(8 - Math.min(Math.abs(count), 8));
    return [count < 0 ? text.toUpperCase() : text];
  },
};

/** A number as a fraction from a half to one, and the power of two that makes it whole again. */
function halved(value: number): readonly [number, number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0];
  const power = Math.floor(Math.log2(Math.abs(value))) + 1;
  return [value / 2 ** power, power];
}

function toInt32(value: number): number {
  return Number(BigInt.asIntN(32, BigInt(Number.isFinite(value) ? Math.round(value) : 0)));
}

function rotated(value: number, by: number): number {
  const bits = toInt32(value) >>> 0;
  return by % 32 === 0 ? bits | 0 : (bits << by) | (bits >>> (32 - by));
}
