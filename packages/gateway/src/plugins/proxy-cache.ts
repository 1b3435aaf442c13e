import { createHash } from 'node:crypto';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { type StoredResponse, StoredResponses } from './stored-responses.ts';

interface Config {
  readonly response_code: readonly number[];
  readonly request_method: readonly string[];
  readonly content_type: readonly string[];
  readonly cache_ttl: number;
  readonly cache_control: boolean;
  readonly ignore_uri_case: boolean;
  readonly storage_ttl: number | null;
  readonly vary_query_params: readonly string[] | null;
  readonly vary_headers: readonly string[] | null;
  readonly response_headers: {
    readonly age: boolean;
    readonly 'X-Cache-Status': boolean;
    readonly 'X-Cache-Key': boolean;
  };
}

interface CacheState {
  readonly status: 'Miss' | 'Bypass' | 'Refresh' | 'Hit';
  readonly key: string | undefined;
  ttlSeconds?: number;
}

/** What is asked of the one store that all workers share. */
type CacheRequest =
  | { readonly action: 'get'; readonly key: string; readonly now: number }
  | { readonly action: 'set'; readonly key: string; readonly response: StoredResponse }
  | { readonly action: 'delete'; readonly key: string }
  | { readonly action: 'clear' };

type Found = StoredResponse | undefined | Promise<StoredResponse | undefined>;

const stateKey = 'proxy-cache';
/** These belong to one connection or one answer, and are never stored. */
const unstored: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'content-length',
  'date',
  'x-kong-request-id',
  'x-kong-upstream-latency',
  'x-kong-proxy-latency',
  'via',
  'server',
]);

/** Answers again what was answered a moment ago, without asking the upstream. */
export function proxyCache(): AnyPlugin {
  const stored = new StoredResponses(64 * 1_024 * 1_024);
  return definePlugin<Config>({
    name: 'proxy-cache',
    priority: 100,
    access(context, config) {
      const asked = directives(
        config.cache_control ? context.headers.get('cache-control') : undefined,
      );
      if (
        !config.request_method.includes(context.method) ||
        asked.has('no-store') ||
        asked.has('no-cache')
      ) {
        context.shared.set(stateKey, { status: 'Bypass', key: undefined } satisfies CacheState);
        return undefined;
      }
      const key = cacheKey(context, config);
      const now = context.runtime.now();
      const found = context.runtime.ask('proxy-cache', { action: 'get', key, now }) as Found;
      if (found instanceof Promise) {
        return found.then((response) => decide(context, config, asked, key, response));
      }
      decide(context, config, asked, key, found);
      return undefined;
    },
    headerFilter(context, config) {
      const state = context.shared.get(stateKey) as CacheState | undefined;
      const headers = context.response?.headers;
      if (state === undefined || headers === undefined) return;
      if (state.key !== undefined && state.status !== 'Hit') {
        const ttl = storableSeconds(context, config);
        if (ttl !== undefined) state.ttlSeconds = ttl;
      }
      const isBypass =
        state.key !== undefined && state.status === 'Miss' && state.ttlSeconds === undefined;
      if (config.response_headers['X-Cache-Status']) {
        headers.set('X-Cache-Status', isBypass ? 'Bypass' : state.status);
      }
      if (config.response_headers['X-Cache-Key'] && state.key !== undefined) {
        headers.set('X-Cache-Key', state.key);
      }
    },
    needsBody(context) {
      return (context.shared.get(stateKey) as CacheState | undefined)?.ttlSeconds !== undefined;
    },
    bodyFilter(context, config, body) {
      const state = context.shared.get(stateKey) as CacheState | undefined;
      const { response } = context;
      if (state?.key !== undefined && state.ttlSeconds !== undefined && response !== undefined) {
        const headers: Record<string, string> = {};
        for (let index = 0; index < response.headers.raw.length; index += 2) {
          const name = response.headers.raw[index] ?? '';
          if (!unstored.has(name.toLowerCase())) {
            headers[name] = response.headers.raw[index + 1] ?? '';
          }
        }
        const storedAt = context.runtime.now();
        const { ttlSeconds } = state;
        const expiresAt = storedAt + (config.storage_ttl ?? ttlSeconds) * 1_000;
        const kept = { status: response.status, headers, body, storedAt, ttlSeconds, expiresAt };
        void context.runtime.ask('proxy-cache', { action: 'set', key: state.key, response: kept });
      }
      return body;
    },
    serve(request) {
      const asked = request as CacheRequest;
      switch (asked.action) {
        case 'get':
          return stored.get(asked.key, asked.now);
        case 'set':
          stored.set(asked.key, { ...asked.response, body: Buffer.from(asked.response.body) });
          return undefined;
        case 'delete':
          return stored.delete(asked.key);
        case 'clear':
          stored.clear();
          return undefined;
      }
    },
  });
}

/** Answers from what is stored, if it is there and fresh enough for the client. */
function decide(
  context: RequestContext,
  config: Config,
  asked: ReadonlyMap<string, string>,
  key: string,
  found: StoredResponse | undefined,
): void {
  if (found === undefined) {
    const status = asked.has('only-if-cached') ? 'Bypass' : 'Miss';
    context.shared.set(stateKey, { status, key } satisfies CacheState);
    if (status === 'Bypass') context.exit(504, { message: 'Gateway Timeout' });
    return;
  }
  const age = Math.floor((context.runtime.now() - found.storedAt) / 1_000);
  if (!isFreshEnough(config, asked, age, found.ttlSeconds)) {
    context.shared.set(stateKey, { status: 'Refresh', key } satisfies CacheState);
    return;
  }
  context.shared.set(stateKey, { status: 'Hit', key } satisfies CacheState);
  const headers: Record<string, string> = { ...found.headers };
  if (config.response_headers.age) headers.Age = String(age);
  context.exitWith = {
    status: found.status,
    body: Buffer.from(found.body),
    contentType: undefined,
    headers,
    isStored: true,
  };
}

/** Whether a client takes an answer of this age; what is kept for longer than it is fresh is stale. */
function isFreshEnough(
  config: Config,
  asked: ReadonlyMap<string, string>,
  age: number,
  ttlSeconds: number,
): boolean {
  if (!config.cache_control) return age <= config.cache_ttl;
  const limit = (name: string) => {
    const value = asked.get(name);
    return value === undefined || !/^\d+$/.test(value) ? undefined : Number(value);
  };
  const maxAge = limit('max-age');
  const maxStale = limit('max-stale');
  const minFresh = limit('min-fresh');
  return (
    (maxAge === undefined || age <= maxAge) &&
    (maxStale === undefined || age - ttlSeconds <= maxStale) &&
    (minFresh === undefined || ttlSeconds - age >= minFresh)
  );
}

/** How long an answer may be kept, or undefined if it may not. */
function storableSeconds(context: RequestContext, config: Config): number | undefined {
  const { response } = context;
  if (response?.source !== 'upstream' || !config.response_code.includes(response.status)) {
    return undefined;
  }
  const type = response.headers.get('content-type');
  if (type === undefined || !config.content_type.some((allowed) => isSameType(allowed, type))) {
    return undefined;
  }
  if (!config.cache_control) return config.cache_ttl;
  const said = directives(response.headers.get('cache-control'));
  if (said.has('private') || said.has('no-store') || said.has('no-cache')) return undefined;
  const seconds = Number(said.get('s-maxage') ?? said.get('max-age') ?? config.cache_ttl);
  return seconds > 0 ? seconds : undefined;
}

/** Type and parameters must agree; only their spelling may differ. */
function isSameType(allowed: string, type: string): boolean {
  const normal = (text: string) =>
    text
      .toLowerCase()
      .split(';')
      .map((part) => part.trim())
      .sort()
      .join(';');
  return allowed === '*/*' || normal(allowed) === normal(type);
}

function directives(header: string | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const part of (header ?? '').split(',')) {
    const [name = '', value = ''] = part.trim().split('=');
    if (name !== '') map.set(name.toLowerCase(), value.replaceAll('"', ''));
  }
  return map;
}

function cacheKey(context: RequestContext, config: Config): string {
  const { match, consumer, upstream } = context;
  const path = upstream?.path ?? '';
  const names = config.vary_query_params ?? context.arguments.names();
  const query = [...names]
    .sort()
    .map((name) => `${name}=${context.arguments.getAll(name).join(',')}`);
  const headers = [...(config.vary_headers ?? [])]
    .sort()
    .map((name) => `${name.toLowerCase()}=${context.headers.getAll(name).join(',')}`);
  const parts = [
    consumer?.id ?? 'default',
    match?.entry.route.id,
    context.method,
    config.ignore_uri_case ? path.toLowerCase() : path,
    ...query,
    ...headers,
  ];
  return createHash('sha256').update(parts.join('|')).digest('hex');
}
