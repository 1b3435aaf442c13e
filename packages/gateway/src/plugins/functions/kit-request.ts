import { QueryArguments } from '../../http/query-arguments.ts';
import { toBytes, toGroups, toLua } from '../../lua/lua-data.ts';
import { LuaTableValue } from '../../lua/lua-table.ts';
import {
  expectText,
  type LuaBudget,
  LuaFailure,
  type LuaTable,
  type LuaValue,
} from '../../lua/lua-value.ts';
import { normalizePath } from '../../router/request-path.ts';
import { type FunctionHost, hostTable } from './function-host.ts';

/** `kong.request`: the request as the client sent it. */
export const kitRequest: LuaTable = hostTable({
  get_scheme: ({ context }) => (context.client.isTls ? 'https' : 'http'),
  get_host: ({ context }) =>
    hostName(context.headers.get('host') ?? context.headers.get(':authority')),
  get_port: ({ context }) => context.client.localPort,
  get_forwarded_scheme: ({ context }) => context.client.forwardedProto,
  get_forwarded_host: ({ context }) => context.client.forwardedHost,
  get_forwarded_port: ({ context }) => context.client.forwardedPort,
  get_forwarded_path: (host) => pathOf(host),
  get_forwarded_prefix: () => '/',
  get_http_version: ({ context }) => Number(context.request.httpVersion),
  get_method: ({ context }) => context.method,
  get_path: (host) => toBytes(normalizePath(host.context.target).path),
  get_raw_path: (host) => pathOf(host),
  get_path_with_query: ({ context }) => context.target,
  get_raw_query: ({ context }) => context.query ?? '',
  get_query_arg: (host, [name], budget) =>
    first(queryOf(host).get(expectText(name, 'get_query_arg')), budget),
  get_query: (host) => queryOf(host),
  get_header: ({ context }, [name]) => context.headers.get(expectText(name, 'get_header')),
  get_headers: ({ context }) => headerTable(context.headers.raw),
  get_raw_body: ({ body }) => body?.toString('latin1') ?? '',
  get_body: (host, [mimetype], budget) => parsedBody(host, mimetype, budget),
  get_start_time: ({ context }) =>
    Math.round(context.runtime.now() - (performance.now() - context.timings.startedAt)),
  get_uri_captures: ({ context }) => {
    const { numbered = [], named = {} } = context.match?.captures ?? {};
    return LuaTableValue.from([
      ['unnamed', LuaTableValue.of(numbered.map((each) => toBytes(each ?? '')))],
      [
        'named',
        LuaTableValue.from(Object.entries(named).map(([key, each]) => [key, toBytes(each ?? '')])),
      ],
    ]);
  },
});

/** Without a port and in lower case. */
function hostName(header: string | undefined): string {
  return (header ?? '').replace(/:\d+$/, '').toLowerCase();
}

function pathOf({ context }: FunctionHost): string {
  return context.target.split('?')[0] ?? '';
}

export function queryOf({ context }: FunctionHost): LuaTableValue {
  return argumentTable(context.arguments);
}

/** An argument without a value is true. */
export function argumentTable(list: QueryArguments): LuaTableValue {
  return toGroups(
    list
      .entries()
      .map(([name, value]) => [toBytes(name), value === undefined ? true : toBytes(value)]),
  );
}

/** Names in lower case, and found however they are written, with `_` for `-`, too. */
export function headerTable(raw: readonly string[]): LuaTableValue {
  const pairs: [string, LuaValue][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (!name.startsWith(':')) pairs.push([name.toLowerCase(), raw[at + 1] ?? '']);
  }
  return toGroups(pairs);
}

function first(value: LuaValue, budget: LuaBudget): LuaValue {
  budget.spend(1);
  return value instanceof LuaTableValue ? value.get(1) : value;
}

function parsedBody(
  { context, body }: FunctionHost,
  mimetype: LuaValue,
  budget: LuaBudget,
): readonly LuaValue[] {
  const type =
    mimetype === undefined ? context.headers.get('content-type') : expectText(mimetype, 'get_body');
  const kind = (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const text = body?.toString('utf8') ?? '';
  if (kind === 'application/json') {
    try {
      return [toLua(JSON.parse(text), budget), undefined, kind];
    } catch (error) {
      if (error instanceof LuaFailure) throw error;
      return [undefined, 'invalid json body', kind];
    }
  }
  if (kind === 'application/x-www-form-urlencoded') {
    budget.take(text.length);
    return [argumentTable(new QueryArguments(text)), undefined, kind];
  }
  return [undefined, `unsupported content type '${kind}'`, kind];
}
