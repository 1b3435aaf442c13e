import type { HeaderList } from '../../http/header-list.ts';
import { configSchema, record } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import { escapePath } from '../../router/request-path.ts';
import { matchedPrefix, withPrefixReplaced } from './prefix-replacement.ts';

interface Header {
  readonly name: string;
  readonly value: string;
}

interface HeaderChanges {
  readonly set: readonly Header[];
  readonly add: readonly Header[];
  readonly remove: readonly string[];
}

interface Backend {
  /** An upstream, or any host. */
  readonly host: string;
  readonly port: number;
  readonly weight: number;
  readonly request: HeaderChanges;
  readonly response: HeaderChanges;
  readonly rewrite: {
    readonly host: string | null;
    readonly full_path: string | null;
    /** What stands for the prefix that the rule matched by. */
    readonly prefix: string | null;
  } | null;
  /** Answers with this instead: there is no such backend. */
  readonly status: number | null;
}

interface Config {
  readonly backends: readonly Backend[];
  /** By which prefixes of paths the rule matches. */
  readonly prefixes: readonly string[];
}

const chosenKey = 'http-route-backends';

const headers = {
  type: 'array',
  required: true,
  default: [],
  elements: record({
    name: { type: 'string', required: true },
    value: { type: 'string', required: true, len_min: 0 },
  }),
};
const changes = record(
  {
    set: headers,
    add: headers,
    remove: { type: 'array', required: true, default: [], elements: { type: 'string' } },
  },
  { required: true },
);

/**
 * Leads each request to one of several backends, by their weights, and changes headers, host and path for
 * that backend alone. A Kong upstream does not say which of its targets a request goes to, so that backends with filters
 * of their own have an upstream each.
 */
export function httpRouteBackends(random: () => number = Math.random) {
  return definePlugin<Config>({
    name: 'http-route-backends',
    isUnlisted: true,
    // After request-transformer: what a rule changes for all is changed before.
    priority: 93,
    schema: configSchema({
      backends: {
        type: 'array',
        required: true,
        elements: record({
          host: { type: 'string', required: true },
          port: { type: 'integer', between: [0, 65535], required: true },
          weight: { type: 'integer', default: 1, between: [0, 1_000_000], required: true },
          request: changes,
          response: changes,
          rewrite: record({
            host: { type: 'string' },
            full_path: { type: 'string' },
            prefix: { type: 'string', len_min: 0 },
          }),
          status: { type: 'integer', between: [400, 599] },
        }),
      },
      prefixes: { type: 'array', required: true, default: ['/'], elements: { type: 'string' } },
    }),
    access(context, { backends, prefixes }) {
      const backend = chosen(backends, random());
      if (backend === undefined || backend.status !== null) {
        context.fail(backend?.status ?? 500, 'no existing backendRef provided');
        return;
      }
      const { host, port } = backend;
      context.manner = { ...context.manner, destination: { host, port } };
      context.shared.set(chosenKey, backend);
      if (context.upstream !== undefined) {
        change(context.upstream.headers, backend.request);
        rewrite(context.upstream, backend.rewrite, prefixes);
      }
    },
    headerFilter(context) {
      const backend = context.shared.get(chosenKey) as Backend | undefined;
      if (backend !== undefined && context.response?.source === 'upstream') {
        change(context.response.headers, backend.response);
      }
    },
  });
}

/** Undefined if none has a weight. */
function chosen(backends: readonly Backend[], random: number): Backend | undefined {
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  let left = random * total;
  return backends.find(({ weight }) => {
    left -= weight;
    return weight > 0 && left < 0;
  });
}

/** The path is as it goes to the backend: without what the gateway does not send there, and escaped. */
function rewrite(
  upstream: { path: string; readonly headers: HeaderList },
  changes: Backend['rewrite'],
  prefixes: readonly string[],
): void {
  const { host = null, full_path: whole = null, prefix = null } = changes ?? {};
  if (host !== null) upstream.headers.set('Host', host);
  if (whole !== null) {
    upstream.path = escapePath(whole, true);
  } else if (prefix !== null) {
    const known = prefixes.map((each) => escapePath(each, true));
    const matched = matchedPrefix(upstream.path, known);
    if (matched !== undefined)
      upstream.path = withPrefixReplaced(upstream.path, matched, escapePath(prefix, true));
  }
}

function change(list: HeaderList, { set, add, remove }: HeaderChanges): void {
  for (const { name, value } of set) list.set(name, value);
  for (const { name, value } of add) list.add(name, value);
  for (const name of remove) list.remove(name);
}
