/** The arguments of a query in their order. An argument without `=` has no value. */
export class QueryArguments {
  readonly #pairs: [string, string | undefined][] = [];

  constructor(query: string) {
    for (const part of query === '' ? [] : query.split('&')) {
      if (part !== '') {
        const equals = part.indexOf('=');
        const name = decode(equals === -1 ? part : part.slice(0, equals));
        this.#pairs.push([name, equals === -1 ? undefined : decode(part.slice(equals + 1))]);
      }
    }
  }

  get(name: string): string | undefined {
    const pair = this.#pairs.find(([key]) => key === name);
    return pair === undefined ? undefined : (pair[1] ?? '');
  }

  getAll(name: string): string[] {
    return this.#pairs.filter(([key]) => key === name).map(([, value]) => value ?? '');
  }

  has(name: string): boolean {
    return this.#pairs.some(([key]) => key === name);
  }

  set(name: string, value: string): void {
    this.remove(name);
    this.#pairs.push([name, value]);
  }

  add(name: string, value: string): void {
    this.#pairs.push([name, value]);
  }

  remove(name: string): void {
    const kept = this.#pairs.filter(([key]) => key !== name);
    this.#pairs.length = 0;
    this.#pairs.push(...kept);
  }

  rename(from: string, to: string): void {
    for (const pair of this.#pairs) {
      if (pair[0] === from) pair[0] = to;
    }
  }

  names(): string[] {
    return [...new Set(this.#pairs.map(([name]) => name))];
  }

  entries(): readonly (readonly [string, string | undefined])[] {
    return this.#pairs;
  }

  toString(): string {
    return this.#pairs
      .map(([name, value]) =>
        value === undefined
          ? encodeURIComponent(name)
          : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
      )
      .join('&');
  }
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
