import { splitTraditionalHost } from './host-port.ts';

/** A host with an asterisk, which stands for one character or more. */
export class WildcardHost {
  readonly value: string;
  /** What stands between the asterisks. */
  readonly #parts: readonly string[];
  readonly #hasPort: boolean;

  constructor(value: string) {
    this.value = value;
    this.#parts = value.split('*');
    this.#hasPort = splitTraditionalHost(value).hasPort;
  }

  /** @param host - with its port */
  matches(host: string): boolean {
    return this.#matches(host) || (!this.#hasPort && this.#matches(host.replace(/:\d+$/, '')));
  }

  #matches(host: string): boolean {
    const first = this.#parts[0] as string;
    const last = this.#parts.at(-1) as string;
    if (!host.startsWith(first) || !host.endsWith(last)) return false;
    // Each part is taken where it is first found: that leaves the most for those behind it.
    let index = first.length;
    for (const part of this.#parts.slice(1, -1)) {
      const at = host.indexOf(part, index + 1);
      if (at === -1) return false;
      index = at + part.length;
    }
    return index < host.length - last.length;
  }
}
