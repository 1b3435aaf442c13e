import { toBytes } from '../../lua/lua-data.ts';
import {
  expectText,
  LuaFailure,
  type LuaTable,
  type LuaValue,
  toText,
} from '../../lua/lua-value.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { escapePath, normalizePath } from '../../router/request-path.ts';
import { cookieValue } from '../nginx/variable-text.ts';
import { hostOf } from './function-host.ts';

/** nginx's variables that people read, by name. */
const variables: Readonly<Record<string, (context: RequestContext) => LuaValue>> = {
  args: (context) => context.query,
  query_string: (context) => context.query,
  is_args: (context) => (context.query === undefined ? '' : '?'),
  request_uri: (context) => context.target,
  uri: (context) => toBytes(normalizePath(context.target).path),
  document_uri: (context) => toBytes(normalizePath(context.target).path),
  request_method: (context) => context.method,
  request_id: (context) => context.requestId,
  kong_request_id: (context) => context.requestId,
  scheme: ({ client }) => (client.isTls ? 'https' : 'http'),
  https: ({ client }) => (client.isTls ? 'on' : ''),
  host: ({ headers }) =>
    (headers.get('host') ?? headers.get(':authority') ?? '').replace(/:\d+$/, '').toLowerCase(),
  remote_addr: ({ client }) => client.ip,
  realip_remote_addr: ({ client }) => client.remoteAddress,
  remote_port: ({ client }) => String(client.remotePort),
  server_addr: ({ client }) => client.localAddress,
  server_port: ({ client }) => String(client.localPort),
  server_protocol: ({ request }) => `HTTP/${request.httpVersion}`,
  ssl_server_name: ({ client }) => client.sni,
  content_type: ({ headers }) => headers.get('content-type'),
  content_length: ({ headers }) => headers.get('content-length'),
  request_length: (context) => String(context.requestBytes),
  bytes_sent: (context) => String(context.responseBytes),
  body_bytes_sent: (context) => String(context.responseBytes),
  status: ({ response }) => (response === undefined ? undefined : String(response.status)),
  request_time: ({ timings }) => ((performance.now() - timings.startedAt) / 1_000).toFixed(3),
  upstream_status: ({ upstreamStatus }) =>
    upstreamStatus === undefined ? undefined : String(upstreamStatus),
  upstream_uri: ({ upstream }) =>
    upstream === undefined
      ? ''
      : upstream.path + (upstream.query === undefined ? '' : `?${upstream.query}`),
  upstream_scheme: ({ upstream }) => upstream?.scheme,
  upstream_host: ({ upstream }) => upstream?.headers.get('host') ?? '',
};

/** Those of the request to the upstream that can be set. */
const settable: Readonly<Record<string, (context: RequestContext, value: string) => void>> = {
  upstream_uri: ({ upstream }, value) => {
    if (upstream === undefined) return;
    const question = value.indexOf('?');
    const path = question === -1 ? value : value.slice(0, question);
    if (!path.startsWith('/')) throw new LuaFailure('a path starts with a slash');
    upstream.path = escapePath(path, false);
    if (question !== -1) upstream.query = value.slice(question + 1).replace(/[^\x21-\x7e]/g, '');
  },
  upstream_host: ({ upstream }, value) =>
    upstream?.headers.set('Host', value.replace(/[^\x21-\x7e]/g, '')),
  args: ({ upstream }, value) => {
    if (upstream !== undefined) upstream.query = value.replace(/[^\x21-\x7e]/g, '');
  },
};

/** `ngx.var`. */
export const ngxVariables: LuaTable = {
  length: 0,
  get: (key, budget) => {
    if (budget === undefined || typeof key !== 'string') return undefined;
    const { context } = hostOf(budget);
    const known = Object.hasOwn(variables, key) ? variables[key] : undefined;
    if (known !== undefined) return known(context);
    const [, kind, name = ''] = /^(http|sent_http|upstream_http|arg|cookie)_(.+)$/.exec(key) ?? [];
    const header = name.replaceAll('_', '-');
    switch (kind) {
      case 'http':
        return context.headers.get(header);
      case 'sent_http':
      case 'upstream_http':
        return context.response?.headers.get(header);
      case 'arg': {
        const value = context.arguments.get(name);
        return value === undefined ? undefined : toBytes(value);
      }
      case 'cookie':
        return cookieValue(context.headers.getAll('cookie'), name);
      default:
        return undefined;
    }
  },
  set: (key, value, budget) => {
    const name = expectText(key, 'ngx.var');
    const put = Object.hasOwn(settable, name) ? settable[name] : undefined;
    if (put === undefined) throw new LuaFailure(`variable "${name}" not changeable`);
    put(hostOf(budget).context, toText(value));
  },
};
