import { parseDuration } from '@waygate/text';
import type { ControllerFlag, FlagValues } from './controller-flag.ts';

/** Where a server is to listen. */
export interface FlagAddress {
  readonly host: string;
  readonly port: number;
}

/** What is read besides the command line. */
export interface FlagReaderOptions {
  readonly environment: FlagValues;
}

/**
 * Reads flags of a table from texts, and collects what is wrong with them instead of throwing: people
 * get to see all of it at once. What is not given is looked up in the environment.
 *
 * ```ts
 * const table: ControllerFlag[] = [
 *   { name: 'concurrent', type: 'integer', default: 4, summary: 'how many at a time' },
 * ];
 * const flags = new FlagReader(table, { concurrent: '8' }, { environment: process.env });
 * const concurrent = flags.count('concurrent') ?? 4;
 * if (flags.problems.length > 0) throw new Error(flags.problems.join('\n'));
 * ```
 */
export class FlagReader {
  readonly problems: string[] = [];
  readonly warnings: string[] = [];
  readonly #table: readonly ControllerFlag[];
  readonly #options: FlagReaderOptions;
  readonly #values = new Map<string, string>();

  constructor(table: readonly ControllerFlag[], given: FlagValues, options: FlagReaderOptions) {
    this.#table = table;
    this.#options = options;
    for (const flag of table) {
      const fromEnvironment =
        flag.variable === undefined ? undefined : options.environment[flag.variable];
      const value = given[flag.name] ?? fromEnvironment;
      if (value === undefined) continue;
      if (flag.withoutEffect !== undefined)
        this.warnings.push(`--${flag.name} has no effect: ${flag.withoutEffect}`);
      if (flag.replacedBy !== undefined)
        this.warnings.push(`--${flag.name} is now called --${flag.replacedBy}`);
      this.#values.set(flag.replacedBy ?? flag.name, value);
    }
  }

  /** Whether anybody said anything. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** What was said; nothing when that is empty. */
  text(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  list(name: string): readonly string[] {
    return (this.#values.get(name) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
  }

  /** A list that somebody gave, be it empty; undefined when nobody did. */
  givenList(name: string): readonly string[] | undefined {
    return this.has(name) ? this.list(name) : undefined;
  }

  isOn(name: string, otherwise: boolean): boolean {
    const value = this.#values.get(name)?.toLowerCase();
    if (value === undefined) return otherwise;
    if (['', 'true', '1', 't'].includes(value)) return true;
    if (!['false', '0', 'f'].includes(value)) this.#problem(name, 'must be true or false');
    return false;
  }

  number(name: string): number | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (Number.isFinite(Number(value)) && value !== '') return Number(value);
    this.#problem(name, 'must be a number');
    return undefined;
  }

  /** A whole number from `from` to `to`. */
  count(name: string, from = 1, to = 99_999): number | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    const count = Number(value);
    if (/^\d{1,9}$/u.test(value) && count >= from && count <= to) return count;
    this.#problem(
      name,
      to === 99_999
        ? `must be a whole number ${from === 0 ? 'and not negative' : `above ${from - 1}`}`
        : `must be a number from ${from} to ${to}`,
    );
    return undefined;
  }

  duration(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    try {
      return parseDuration(value);
    } catch {
      this.#problem(name, 'must be a duration, such as 10s');
      return undefined;
    }
  }

  /** A duration of more than nothing. */
  positiveDuration(name: string): number | undefined {
    const milliseconds = this.duration(name);
    if (milliseconds === undefined || milliseconds > 0) return milliseconds;
    this.#problem(name, 'must be a duration above 0, such as 10s');
    return undefined;
  }

  /** `host:port` or `:port`; undefined when it is `off` or `0`. Not said, the table's default. */
  address(name: string): FlagAddress | undefined {
    const given = this.text(name);
    const value = given ?? this.#defaultOf(name);
    if (value === 'off' || value === '0') return undefined;
    const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/u.exec(value);
    const port = Number(match?.[3]);
    if (match === null || port > 65_535) {
      this.#problem(name, 'must be host:port');
      return undefined;
    }
    const { environment } = this.#options;
    // The kubelet and Prometheus come from outside of the Pod; elsewhere nobody has to be let in.
    const isOpen = given !== undefined || Boolean(environment.KUBERNETES_SERVICE_HOST);
    return { host: (match[1] ?? match[2]) || (isOpen ? '::' : '127.0.0.1'), port };
  }

  /** `namespace/name`. */
  objectKey(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || /^[a-z0-9.-]+\/[a-z0-9.-]+$/u.test(value)) return value;
    this.#problem(name, 'must be namespace/name');
    return undefined;
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.text(name);
    const chosen = choices.find((one) => one === value);
    if (value !== undefined && chosen === undefined)
      this.#problem(name, `must be one of ${choices.join(', ')}`);
    return chosen;
  }

  url(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (/^https?:\/\//u.test(value) && URL.canParse(value)) return value;
    this.#problem(name, 'must be an http or https URL');
    return undefined;
  }

  #problem(name: string, what: string): void {
    this.problems.push(`--${name} ${what}`);
  }

  #defaultOf(name: string): string {
    return String(this.#table.find((flag) => flag.name === name)?.default ?? '');
  }
}
