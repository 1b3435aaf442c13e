import { headerValue } from './header-value.ts';

/** What is no name is not sent: it could end a line. */
const isName = /^:?[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Headers in the order and spelling in which they came, as one flat list of names and values: the form
 * that is read and written without converting. Names compare without regard to case.
 */
export class HeaderList {
  /** Name, value, name, value… */
  readonly raw: string[];

  constructor(raw: string[] = []) {
    this.raw = raw;
  }

  get(name: string): string | undefined {
    const { raw } = this;
    for (let index = 0; index < raw.length; index += 2) {
      if (isSame(raw[index], name)) return raw[index + 1];
    }
    return undefined;
  }

  getAll(name: string): string[] {
    const values: string[] = [];
    for (let index = 0; index < this.raw.length; index += 2) {
      if (isSame(this.raw[index], name)) values.push(this.raw[index + 1] ?? '');
    }
    return values;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Replaces all values of a header by one. */
  set(name: string, value: string): void {
    this.remove(name);
    this.add(name, value);
  }

  add(name: string, value: string): void {
    if (isName.test(name)) this.raw.push(name, headerValue(value));
  }

  remove(name: string): void {
    const { raw } = this;
    let to = 0;
    while (to < raw.length && !isSame(raw[to], name)) to += 2;
    for (let from = to; from < raw.length; from += 2) {
      if (!isSame(raw[from], name)) {
        raw[to] = raw[from] ?? '';
        raw[to + 1] = raw[from + 1] ?? '';
        to += 2;
      }
    }
    raw.length = to;
  }

  /** Each name once, in lower case; a header that came more than once has an array. */
  toObject(): Record<string, string | string[]> {
    const object: Record<string, string | string[]> = Object.create(null) as Record<
      string,
      string | string[]
    >;
    for (let index = 0; index < this.raw.length; index += 2) {
      const name = (this.raw[index] ?? '').toLowerCase();
      const value = this.raw[index + 1] ?? '';
      const before = object[name];
      if (before === undefined) {
        object[name] = value;
      } else if (Array.isArray(before)) {
        before.push(value);
      } else {
        object[name] = [before, value];
      }
    }
    return object;
  }
}

/** About as many bytes as a head takes on the wire. */
export function headBytes(raw: readonly string[]): number {
  let bytes = 0;
  for (let index = 0; index < raw.length; index += 1) bytes += (raw[index]?.length ?? 0) + 2;
  return bytes;
}

function isSame(a: string | undefined, b: string): boolean {
  return (
    a !== undefined && a.length === b.length && (a === b || a.toLowerCase() === b.toLowerCase())
  );
}
