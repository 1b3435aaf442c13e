import { isObject } from '@waygate/text';
/** How a recorded answer and ours differ, or undefined if they agree in all that is not volatile. */
export type Difference = string | undefined;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const times: ReadonlySet<string> = new Set(['created_at', 'updated_at']);
/** Fields that Kong fills by chance when the request leaves them out. */
const secrets: ReadonlySet<string> = new Set(['key', 'secret', 'client_id', 'client_secret']);

/**
 * Compares answers of one recording. Ids that the server chose are matched to ours when they are first
 * seen, and must stay the same from then on; ids that a request named must come back as they are.
 */
export class AnswerComparison {
  /** Recorded id → ours. */
  readonly #ids = new Map<string, string>();
  /** Texts that requests gave: never volatile. */
  #given = '';

  /** A request in our ids. */
  translate(text: string): string {
    return text.replace(uuids, (id) => this.#ids.get(id.toLowerCase()) ?? id);
  }

  noteRequest(text: string): void {
    this.#given += `${text}\n`;
  }

  compare(expected: unknown, actual: unknown, path = '$'): Difference {
    if (typeof expected === 'string' && typeof actual === 'string') {
      return this.#compareText(expected, actual, path);
    }
    if (Array.isArray(expected)) {
      return this.#compareList(expected, actual, path);
    }
    if (isObject(expected)) {
      return this.#compareObject(expected, actual, path);
    }
    const key = path.split('.').at(-1) ?? '';
    if (times.has(key) && typeof expected === 'number' && typeof actual === 'number') {
      return this.#given.includes(String(expected)) && expected !== actual
        ? differ(path, expected, actual)
        : undefined;
    }
    return Object.is(expected, actual) ? undefined : differ(path, expected, actual);
  }

  #compareText(expected: string, actual: string, path: string): Difference {
    if (expected === actual) {
      this.#learn(expected, actual);
      return undefined;
    }
    const key = path.split('.').at(-1) ?? '';
    if (uuid.test(expected) && uuid.test(actual)) {
      return this.#learn(expected, actual) ? undefined : differ(path, expected, actual);
    }
    if (secrets.has(key) && !this.#given.includes(expected)) {
      return undefined;
    }
    if (key === 'password' && /^[0-9a-f]{40}$/.test(expected) && /^[0-9a-f]{40}$/.test(actual)) {
      return undefined;
    }
    if (this.#plain(expected) === normalize(actual)) {
      return undefined;
    }
    if (isSameParseError(expected, actual)) {
      return undefined;
    }
    return differ(path, expected, actual);
  }

  #plain(text: string): string {
    return normalize(this.translate(text));
  }

  /** False if the id stands for another of ours already. */
  #learn(expected: string, actual: string): boolean {
    if (!uuid.test(expected)) {
      return true;
    }
    const known = this.#ids.get(expected.toLowerCase());
    if (known !== undefined) {
      return known === actual.toLowerCase();
    }
    if (this.#given.toLowerCase().includes(expected.toLowerCase())) {
      return expected.toLowerCase() === actual.toLowerCase();
    }
    this.#ids.set(expected.toLowerCase(), actual.toLowerCase());
    return true;
  }

  #compareList(expected: readonly unknown[], actual: unknown, path: string): Difference {
    if (!Array.isArray(actual)) {
      // An empty Lua table may be printed as a list or as an object.
      return expected.length === 0 && isObject(actual) && Object.keys(actual).length === 0
        ? undefined
        : differ(path, expected, actual);
    }
    if (expected.length !== actual.length) {
      return `${path}: ${expected.length} items expected, got ${actual.length}: ${cut(actual)}`;
    }
    // The order of entities and of messages is not defined; that of values in a field is its author's.
    if (expected.length > 1 && expected.every(isScalar) && !isSetOfServer(path)) {
      const position = expected.findIndex((item, at) => !this.#isSame(item, actual[at]));
      return position === -1 ? undefined : differ(`${path}[${position}]`, expected, actual);
    }
    const rest = [...actual];
    for (const [index, item] of expected.entries()) {
      let at = this.#isSame(item, rest[0]) ? 0 : -1;
      if (at === -1) {
        at = rest.findIndex((candidate) => this.#isSame(item, candidate));
      }
      if (at === -1) {
        return this.compare(item, rest[0], `${path}[${index}]`) ?? differ(path, item, rest[0]);
      }
      this.compare(item, rest[at], `${path}[${index}]`);
      rest.splice(at, 1);
    }
    return undefined;
  }

  #isSame(expected: unknown, actual: unknown): boolean {
    const before = new Map(this.#ids);
    const isSame = this.compare(expected, actual) === undefined;
    if (!isSame) {
      this.#ids.clear();
      for (const [key, value] of before) this.#ids.set(key, value);
    }
    return isSame;
  }

  #compareObject(
    expected: Readonly<Record<string, unknown>>,
    actual: unknown,
    path: string,
  ): Difference {
    if (!isObject(actual)) {
      return Object.keys(expected).length === 0 && Array.isArray(actual) && actual.length === 0
        ? undefined
        : differ(path, expected, actual);
    }
    // Entities by id, as POST /config answers them: the ids may be ones that the server chose.
    const keys = Object.keys(expected);
    if (keys.length > 0 && keys.every((key) => uuid.test(key))) {
      return this.#compareList(Object.values(expected), Object.values(actual), path);
    }
    for (const key of keys) {
      const difference = this.compare(expected[key], actual[key], `${path}.${key}`);
      if (difference !== undefined) return difference;
    }
    const extra = Object.keys(actual).filter(
      (key) => !(key in expected) && actual[key] !== undefined,
    );
    return extra.length === 0 ? undefined : `${path}: unexpected ${extra.join(', ')}`;
  }
}

/** The wording of expression errors differs between builds of Kong: the place must be the same. */
function isSameParseError(expected: string, actual: string): boolean {
  const place = /Router Expression failed validation: +--> (\d+:\d+)/;
  const wanted = place.exec(expected)?.[1];
  return wanted !== undefined && wanted === place.exec(actual)?.[1];
}

/** The order of parts in a message is not defined: parts are compared as a set. */
function normalize(text: string): string {
  return text
    .split(/[;,{}()]|\s+-->/)
    .map((part) => part.trim())
    .sort()
    .join('|');
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Kong makes this list itself, out of a table that has no order. */
function isSetOfServer(path: string): boolean {
  return path.endsWith('.enabled_plugins');
}

function differ(path: string, expected: unknown, actual: unknown): string {
  return `${path}: expected ${cut(expected)}, got ${cut(actual)}`;
}

function cut(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
