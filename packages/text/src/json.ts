import { TextError } from './error.ts';

/**
 * What JSON can carry. Integers beyond 2^53 are `bigint`: a resource that came in with
 * 9007199254740993 goes out with 9007199254740993.
 */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonValue[]
  | { [key: string]: JsonValue };

/** An object of JSON. */
export type JsonObject = { [key: string]: JsonValue };

/**
 * A plain object: not null, not an array.
 *
 * ```ts
 * isObject({ a: 1 }); // true
 * isObject([1]); // false
 * isObject(null); // false
 * ```
 */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The own property, so that `constructor` or `__proto__` never finds something inherited.
 *
 * ```ts
 * getOwn({ app: 'web' }, 'app'); // 'web'
 * getOwn({ app: 'web' }, 'toString'); // undefined
 * ```
 */
export function getOwn(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}

/**
 * Sets an own property, also one called `__proto__`.
 *
 * ```ts
 * const labels = {};
 * setOwn(labels, '__proto__', 'x'); // a key like any other: nobody's prototype is changed
 * ```
 */
export function setOwn(object: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    return;
  }
  (object as Record<string, unknown>)[key] = value;
}

/**
 * A deep copy of JSON data.
 *
 * ```ts
 * const copy = cloneJson({ labels: { app: 'web' } });
 * copy.labels.app = 'api'; // the original still says web
 * ```
 */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]));
  return copy as T;
}

/**
 * Deep equality of JSON data. `1` and `1n` are equal; a property that is `undefined` is as if it
 * were not there, as in JSON.stringify.
 *
 * ```ts
 * equalJson({ a: 1, b: [2] }, { b: [2], a: 1 }); // true
 * ```
 */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left === 'bigint' || typeof right === 'bigint') {
    // biome-ignore lint/suspicious/noDoubleEquals: == compares a bigint with a number by value
    return isNumeric(left) && isNumeric(right) && left == right;
  }
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => equalJson(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  let present = 0;
  for (const key of Object.keys(left)) {
    if (left[key] === undefined) continue;
    present++;
    if (!equalJson(left[key], getOwn(right, key))) return false;
  }
  return Object.keys(right).filter((key) => right[key] !== undefined).length === present;
}

/**
 * JSON text of a value, `bigint` as a plain integer; in lines, where it is said by how many spaces they go in.
 *
 * ```ts
 * encodeJson({ id: 12345678901234567890n }); // '{"id":12345678901234567890}'
 * ```
 */
export function encodeJson(value: unknown, indent = 0): string {
  try {
    const text = JSON.stringify(value, undefined, indent);
    if (text !== undefined) return text;
  } catch (error) {
    if (!(error instanceof TypeError) || !/BigInt/.test(error.message)) {
      throw new TextError('WG_TEXT_JSON', 'the value cannot be written as JSON', {
        cause: error,
      });
    }
    return encodeWithBigInts(value, indent, '');
  }
  throw new TextError('WG_TEXT_JSON', `a ${typeof value} cannot be written as JSON`);
}

/**
 * JSON text to a value, integers beyond 2^53 as `bigint`. A text without sixteen digits in a row costs hardly
 * more than JSON.parse takes for it.
 *
 * ```ts
 * decodeJson('{"id": 12345678901234567890}'); // { id: 12345678901234567890n }
 * ```
 */
export function decodeJson(text: string): unknown {
  try {
    if (!hasSixteenDigits(text)) return JSON.parse(text);
    return parseKeepingIntegers(text);
  } catch (error) {
    throw new TextError('WG_TEXT_JSON', `not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Looks at every sixteenth character, and around it only where it is a digit: such a run cannot lie between two of them. */
function hasSixteenDigits(text: string): boolean {
  for (let at = 15; at < text.length; at += 16) {
    if (!isDigit(text, at)) continue;
    let from = at;
    while (isDigit(text, from - 1)) from--;
    while (isDigit(text, at + 1)) at++;
    if (at - from >= 15) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** `margin` is what stands before the line that the value is in. */
function encodeWithBigInts(value: unknown, indent: number, margin: string): string {
  if (typeof value === 'bigint') return value.toString();
  const inner = margin + ' '.repeat(indent);
  const within = (parts: readonly string[], open: string, close: string): string => {
    if (indent === 0 || parts.length === 0) return `${open}${parts.join(',')}${close}`;
    return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`;
  };
  if (Array.isArray(value)) {
    const items = value.map((item) => encodeWithBigInts(item ?? null, indent, inner));
    return within(items, '[', ']');
  }
  if (isObject(value)) {
    const colon = indent === 0 ? ':' : ': ';
    const fields = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .map(
        (key) => `${JSON.stringify(key)}${colon}${encodeWithBigInts(value[key], indent, inner)}`,
      );
    return within(fields, '{', '}');
  }
  return JSON.stringify(value);
}

/**
 * Marks long integers before parsing and puts them back after: JSON.parse of Node 20 does not
 * show a reviver the source text. The mark is a string that the text does not contain.
 */
function parseKeepingIntegers(text: string): unknown {
  let mark = '\u0001n';
  while (text.includes(mark)) mark += 'n';
  const quoted = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
  const marked = text.replace(quoted, (token) => {
    if (token.charCodeAt(0) === 0x22 || !/^-?\d{16,}$/.test(token)) return token;
    return Number.isSafeInteger(Number(token)) ? token : JSON.stringify(mark + token);
  });
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/**
 * The same data with the keys of every object in order, as Go prints maps. A key may have any name,
 * `__proto__` too.
 *
 * ```ts
 * JSON.stringify(withSortedKeys({ b: 1, a: { d: 2, c: 3 } })); // '{"a":{"c":3,"d":2},"b":1}'
 * ```
 */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value).sort()) copy[key] = withSortedKeys(value[key]);
  return copy;
}
