import type { AskPlugin } from '../plugin/plugin-runtime.ts';
import type { StoredResponse } from '../plugins/stored-responses.ts';
import { type AdminHandler, message, notFound, ok } from './admin-message.ts';
import type { Endpoint, Methods } from './endpoint-table.ts';

const logLevels = new Set(['debug', 'info', 'notice', 'warn', 'error', 'crit', 'alert', 'emerg']);
const onlyWithWasm = message(400, 'this endpoint is only available when wasm is enabled');
const noAcme = message(404, 'Not found');

/** What Kong's plugins and debugging tools add to the Admin API. */
export function pluginEndpoints(ask: AskPlugin): Endpoint[] {
  return [...cacheEndpoints(ask), ...otherEndpoints()];
}

/** `/proxy-cache`: looks at and drops what the plugin keeps. */
function cacheEndpoints(ask: AskPlugin): Endpoint[] {
  const one: Methods = {
    GET: async (_request, { cache_key: key = '' }) => {
      const found = (await ask('proxy-cache', { action: 'get', key, now: Date.now() })) as
        | StoredResponse
        | undefined;
      return found === undefined
        ? notFound
        : ok({
            status: found.status,
            headers: found.headers,
            body: found.body.toString('utf8'),
            body_len: found.body.length,
            timestamp: Math.floor(found.storedAt / 1_000),
            ttl: found.ttlSeconds,
            version: 1,
          });
    },
    DELETE: async (_request, { cache_key: key = '' }) =>
      (await ask('proxy-cache', { action: 'delete', key })) === true ? { status: 204 } : notFound,
  };
  const all: AdminHandler = async () => {
    await ask('proxy-cache', { action: 'clear' });
    return { status: 204 };
  };
  return [
    { pattern: '/proxy-cache', methods: { DELETE: all } },
    { pattern: '/proxy-cache/{cache_key}', methods: one },
    { pattern: '/proxy-cache/{plugin_id}/caches/{cache_key}', methods: one },
  ];
}

function otherEndpoints(): Endpoint[] {
  const wasmList: Methods = { GET: () => onlyWithWasm, POST: () => onlyWithWasm };
  const wasmOne: Methods = {
    GET: () => onlyWithWasm,
    PUT: () => onlyWithWasm,
    PATCH: () => onlyWithWasm,
    DELETE: () => onlyWithWasm,
  };
  const wasmRead: Methods = { GET: () => onlyWithWasm };
  const chains = ['routes', 'services'].flatMap((name): Endpoint[] => [
    { pattern: `/${name}/{${name}}/filter-chains`, methods: wasmList },
    { pattern: `/${name}/{${name}}/filter-chains/{filter_chains}`, methods: wasmOne },
  ]);
  const hidden: Methods = {
    GET: () => notFound,
    PUT: () => notFound,
    PATCH: () => notFound,
    DELETE: () => notFound,
  };
  const setLevel: AdminHandler = (_request, { log_level: level = '' }) =>
    logLevels.has(level)
      ? message(200, `log level: ${level}`)
      : message(400, `unknown log level: ${level}`);
  return [
    ...chains,
    ...['all', 'disabled', 'enabled'].map((kind) => ({
      pattern: `/routes/{routes}/filters/${kind}`,
      methods: wasmRead,
    })),
    { pattern: '/filter-chains/{filter_chains}/route', methods: wasmRead },
    { pattern: '/filter-chains/{filter_chains}/service', methods: wasmRead },
    { pattern: '/schemas/filters/{name}', methods: wasmRead },
    { pattern: '/targets/{targets}/upstream', methods: hidden },
    { pattern: '/cache', methods: { DELETE: () => ({ status: 204 }) } },
    { pattern: '/cache/{key}', methods: { DELETE: () => ({ status: 204 }) } },
    { pattern: '/debug/node/log-level/{log_level}', methods: { PUT: setLevel } },
    { pattern: '/debug/cluster/log-level/{log_level}', methods: { PUT: setLevel } },
    { pattern: '/acme', methods: { POST: () => noAcme, PATCH: () => noAcme } },
    { pattern: '/acme/certificates', methods: { GET: () => noAcme } },
    { pattern: '/acme/certificates/{certificates}', methods: { GET: () => noAcme } },
  ];
}
