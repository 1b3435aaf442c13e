import { type ClientHello, parseAddressRanges } from '@waygate/text';
import type { Backend, HostRule, PassthroughTable } from './config.ts';

/** Where a connection goes, and under which name it is counted. */
export interface RouteChoice {
  /** The rule's host, or `default`: never a name that a client made up, so metrics stay bounded. */
  readonly host: string;
  readonly backend: Backend;
}

/** Where a hello goes, or why nowhere. */
export type RouteDecision =
  | { readonly kind: 'route'; readonly choice: RouteChoice }
  | { readonly kind: 'unrecognized-name' }
  | { readonly kind: 'source-denied'; readonly host: string };

interface CompiledRule {
  readonly choice: RouteChoice;
  readonly alpn: readonly string[];
  /** Whether a client may come from this address. */
  readonly admits: (address: string) => boolean;
}

/**
 * Host names are compared in lower case, without the trailing dot.
 *
 * ```ts
 * normalizeHost('Shop.Example.COM.'); // 'shop.example.com'
 * ```
 */
export function normalizeHost(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/**
 * An immutable look-up from the ClientHello to a backend: constant time in the number of hosts.
 *
 * ```ts
 * const backend = { name: 'shop', endpoints: [{ address: '10.0.0.7', port: 8443 }] };
 * const table = new RouteTable({ hosts: [{ host: '*.example.com', backend }] });
 * table.choose({ serverName: 'shop.example.com', alpn: [] }, '203.0.113.7');
 * ```
 */
export class RouteTable {
  /** Rules by exact host, or by the suffix after `*` with its dot; those with ALPN first. */
  readonly #rules = new Map<string, CompiledRule[]>();
  readonly #default: RouteChoice | undefined;

  constructor(table: PassthroughTable) {
    for (const rule of table.hosts) this.#add(rule);
    for (const rules of this.#rules.values())
      rules.sort((a, b) => Number(b.alpn.length > 0) - Number(a.alpn.length > 0));
    if (table.defaultBackend !== undefined)
      this.#default = { host: 'default', backend: table.defaultBackend };
  }

  #add(rule: HostRule): void {
    const host = normalizeHost(rule.host);
    const key = host.startsWith('*.') ? host.slice(1) : host;
    const rules = this.#rules.get(key) ?? [];
    rules.push({
      choice: { host, backend: rule.backend },
      alpn: rule.alpn ?? [],
      admits: sourceCheck(rule.allowSources ?? []),
    });
    this.#rules.set(key, rules);
  }

  /** Exact host, then a wildcard of one label, then the default backend. */
  choose(hello: Pick<ClientHello, 'serverName' | 'alpn'>, sourceAddress: string): RouteDecision {
    if (hello.serverName !== null) {
      const host = normalizeHost(hello.serverName);
      const dot = host.indexOf('.');
      const rule =
        // A key that begins with a dot stands for a wildcard; no client can ask for it by name.
        (host.startsWith('.') ? undefined : this.#match(host, hello.alpn)) ??
        (dot > 0 ? this.#match(host.slice(dot), hello.alpn) : undefined);
      if (rule !== undefined) return admit(rule, sourceAddress);
    }
    return this.chooseDefault();
  }

  /** For connections that say nothing a rule could match. */
  chooseDefault(): RouteDecision {
    return this.#default === undefined
      ? { kind: 'unrecognized-name' }
      : { kind: 'route', choice: this.#default };
  }

  #match(key: string, alpn: readonly string[]): CompiledRule | undefined {
    return this.#rules
      .get(key)
      ?.find((rule) => rule.alpn.length === 0 || rule.alpn.some((name) => alpn.includes(name)));
  }
}

function admit(rule: CompiledRule, sourceAddress: string): RouteDecision {
  if (rule.admits(sourceAddress)) return { kind: 'route', choice: rule.choice };
  return { kind: 'source-denied', host: rule.choice.host };
}

/** No list admits everyone; one that cannot be read admits nobody. */
function sourceCheck(sources: readonly string[]): (address: string) => boolean {
  if (sources.length === 0) return () => true;
  const ranges = parseAddressRanges(sources);
  return (address) => ranges?.contains(address) === true;
}
