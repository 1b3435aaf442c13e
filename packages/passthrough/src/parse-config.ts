import { isAddressOrNetwork, isObject } from '@waygate/text';
import {
  type Backend,
  defaultLimits,
  type Endpoint,
  type HostRule,
  type PassthroughLimits,
  type PassthroughTable,
} from './config.ts';
import { normalizeHost } from './route-table.ts';

/** A configuration file: the table, and how connections are treated. */
export interface PassthroughConfig {
  readonly table: PassthroughTable;
  readonly limits: Partial<PassthroughLimits>;
  readonly proxyProtocol?: {
    readonly mode: 'optional' | 'required';
    readonly trusted: readonly string[];
  };
}

/** What is wrong with a configuration, and where. */
export interface ConfigProblem {
  /** Where, as in `hosts[2].backend.endpoints[0]`. */
  readonly field: string;
  readonly message: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a configuration from data. With any problem the configuration must not be used.
 *
 * ```ts
 * const { problems } = parseConfig({ hosts: 'none' });
 * for (const problem of problems) console.error(problem);
 * ```
 */
export function parseConfig(value: unknown): {
  config: PassthroughConfig;
  problems: readonly ConfigProblem[];
} {
  const parser = new ConfigParser();
  return { config: parser.config(value), problems: parser.problems };
}

class ConfigParser {
  readonly problems: ConfigProblem[] = [];

  config(value: unknown): PassthroughConfig {
    const fields = this.#fields(value, '', ['hosts', 'defaultBackend', 'limits', 'proxyProtocol']);
    const hosts = this.#list(fields.hosts, 'hosts').map((rule, index) =>
      this.#hostRule(rule, `hosts[${index}]`),
    );
    this.#refuseDoubles(hosts);
    const table: PassthroughTable = {
      hosts,
      ...(fields.defaultBackend === undefined
        ? {}
        : { defaultBackend: this.#backend(fields.defaultBackend, 'defaultBackend', 'default') }),
    };
    return {
      table,
      limits: this.#limits(fields.limits),
      ...this.#proxyProtocol(fields.proxyProtocol),
    };
  }

  #hostRule(value: unknown, at: string): HostRule {
    const fields = this.#fields(value, at, ['host', 'alpn', 'backend', 'allowSources']);
    const host = this.#string(fields.host, `${at}.host`);
    if (host !== '' && !isHostPattern(host))
      this.#problem(
        `${at}.host`,
        `'${host}' is not a host name or a wildcard of one label like *.example.com`,
      );
    const alpn = this.#list(fields.alpn, `${at}.alpn`).map((name, index) =>
      this.#string(name, `${at}.alpn[${index}]`),
    );
    const allowSources = this.#addresses(fields.allowSources, `${at}.allowSources`);
    return {
      host,
      backend: this.#backend(fields.backend, `${at}.backend`, host),
      ...(alpn.length > 0 ? { alpn } : {}),
      ...(allowSources.length > 0 ? { allowSources } : {}),
    };
  }

  #refuseDoubles(hosts: readonly HostRule[]): void {
    const seen = new Set<string>();
    hosts.forEach((rule, index) => {
      const key = `${normalizeHost(rule.host)} ${(rule.alpn ?? []).join(',')}`;
      if (seen.has(key))
        this.#problem(`hosts[${index}].host`, `'${rule.host}' is there already with the same ALPN`);
      seen.add(key);
    });
  }

  #backend(value: unknown, at: string, defaultName: string): Backend {
    const fields = this.#fields(value, at, ['name', 'endpoints', 'balance', 'proxyProtocol']);
    const endpoints = this.#list(fields.endpoints, `${at}.endpoints`).map((endpoint, index) =>
      this.#endpoint(endpoint, `${at}.endpoints[${index}]`),
    );
    if (endpoints.length === 0) this.#problem(`${at}.endpoints`, 'needs at least one endpoint');
    const balance = this.#choice(fields.balance, `${at}.balance`, [
      'round-robin',
      'least-connections',
    ]);
    const proxyProtocol = this.#choice(fields.proxyProtocol, `${at}.proxyProtocol`, ['v1', 'v2']);
    return {
      name: fields.name === undefined ? defaultName : this.#string(fields.name, `${at}.name`),
      endpoints,
      ...(balance === undefined ? {} : { balance }),
      ...(proxyProtocol === undefined ? {} : { proxyProtocol }),
    };
  }

  /** `10.0.0.1:8443`, `[::1]:8443`, or an object with address, port and weight. */
  #endpoint(value: unknown, at: string): Endpoint {
    if (typeof value === 'string') {
      const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(value);
      if (match !== null && isPort(Number(match[3])))
        return { address: (match[1] ?? match[2])!, port: Number(match[3]) };
      this.#problem(at, `'${value}' is not address:port`);
      return { address: '', port: 0 };
    }
    const fields = this.#fields(value, at, ['address', 'port', 'weight']);
    const port = fields.port;
    if (!isPort(port)) this.#problem(`${at}.port`, 'must be a number from 1 to 65535');
    const weight = fields.weight;
    const isWeight = weight === undefined || (Number.isInteger(weight) && (weight as number) >= 0);
    if (!isWeight) this.#problem(`${at}.weight`, 'must be a whole number, 0 or more');
    return {
      address: this.#string(fields.address, `${at}.address`),
      port: Number(port),
      ...(weight === undefined ? {} : { weight: Number(weight) }),
    };
  }

  #limits(value: unknown): Partial<PassthroughLimits> {
    if (value === undefined) return {};
    const names = Object.keys(defaultLimits) as (keyof PassthroughLimits)[];
    const fields = this.#fields(value, 'limits', names);
    const limits: Partial<Record<keyof PassthroughLimits, number>> = {};
    for (const name of names) {
      const limit = fields[name];
      if (limit === undefined) continue;
      if (Number.isInteger(limit) && (limit as number) > 0) limits[name] = limit as number;
      else this.#problem(`limits.${name}`, 'must be a whole number above 0');
    }
    return limits;
  }

  #proxyProtocol(value: unknown): Pick<PassthroughConfig, 'proxyProtocol'> {
    if (value === undefined) return {};
    const fields = this.#fields(value, 'proxyProtocol', ['mode', 'trusted']);
    const mode = this.#choice(fields.mode, 'proxyProtocol.mode', ['optional', 'required']);
    const trusted = this.#addresses(fields.trusted, 'proxyProtocol.trusted');
    if (trusted.length === 0)
      this.#problem('proxyProtocol.trusted', 'must name the networks that may send a PROXY header');
    return { proxyProtocol: { mode: mode ?? 'required', trusted } };
  }

  #addresses(value: unknown, at: string): string[] {
    return this.#list(value, at).map((entry, index) => {
      const text = this.#string(entry, `${at}[${index}]`);
      if (text !== '' && !isAddressOrNetwork(text))
        this.#problem(`${at}[${index}]`, `'${text}' is not an address or a network`);
      return text;
    });
  }

  #fields(value: unknown, at: string, known: readonly string[]): Fields {
    if (!isObject(value)) {
      this.#problem(at, 'must be an object');
      return {};
    }
    for (const name of Object.keys(value))
      if (!known.includes(name))
        this.#problem(
          at === '' ? name : `${at}.${name}`,
          `is not known here; there are ${known.join(', ')}`,
        );
    return value as Fields;
  }

  #list(value: unknown, at: string): readonly unknown[] {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.#problem(at, 'must be a list');
    return [];
  }

  #string(value: unknown, at: string): string {
    if (typeof value === 'string' && value !== '') return value;
    this.#problem(at, 'must be a text that is not empty');
    return '';
  }

  #choice<T extends string>(value: unknown, at: string, choices: readonly T[]): T | undefined {
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) this.#problem(at, `must be one of ${choices.join(', ')}`);
    return found;
  }

  #problem(field: string, message: string): void {
    this.problems.push({ field, message });
  }
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= 65535;
}

function isHostPattern(host: string): boolean {
  const name = host.startsWith('*.') ? host.slice(2) : host;
  return (
    name.length <= 253 &&
    /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i.test(name)
  );
}
