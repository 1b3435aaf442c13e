import { fromLua } from '../../lua/lua-data.ts';
import { LuaTableValue } from '../../lua/lua-table.ts';
import {
  expectNumber,
  expectText,
  LuaFailure,
  type LuaTable,
  type LuaValue,
  toText,
} from '../../lua/lua-value.ts';
import type { UpstreamDraft } from '../../plugin/request-context.ts';
import { escapePath } from '../../router/request-path.ts';
import { type FunctionHost, type FunctionPhase, hostTable } from './function-host.ts';
import { headerTable } from './kit-request.ts';
import { entriesOf, headerName, headerValue, setHeader } from './kit-response.ts';

/** The request on its way to the upstream; it is there from the access phase on. */
export function draftOf({ context }: FunctionHost): UpstreamDraft {
  if (context.upstream !== undefined) return context.upstream;
  throw new LuaFailure('the request has no route yet: it can be changed in the access phase');
}

const toUpstream: readonly FunctionPhase[] = ['rewrite', 'access'];

/** `kong.service.request`: what the upstream gets. */
const serviceRequest: LuaTable = hostTable(
  {
    set_scheme: (host, [scheme]) => {
      const text = expectText(scheme, 'set_scheme');
      if (text !== 'http' && text !== 'https') throw new LuaFailure(`invalid scheme: ${text}`);
      draftOf(host).scheme = text;
    },
    set_path: (host, [path]) => {
      const text = expectText(path, 'set_path');
      if (!text.startsWith('/')) throw new LuaFailure('path must start with /');
      draftOf(host).path = escapePath(text, false);
    },
    set_raw_query: (host, [query]) => {
      draftOf(host).query = expectText(query, 'set_raw_query').replace(
        /[^\x21-\x7e]/g,
        encodeURIComponent,
      );
    },
    set_query: (host, [args]) => {
      draftOf(host).query = queryText(args);
    },
    set_method: (host, [method]) => {
      const text = expectText(method, 'set_method').toUpperCase();
      if (!/^[A-Z]+$/.test(text)) throw new LuaFailure(`invalid method: ${text}`);
      draftOf(host).method = text;
    },
    set_header: (host, [name, value]) =>
      setHeader(draftOf(host).headers, expectText(name, 'set_header'), value),
    add_header: (host, [name, value]) =>
      draftOf(host).headers.add(headerName(name), headerValue(value)),
    clear_header: (host, [name]) => draftOf(host).headers.remove(headerName(name)),
    set_headers: (host, [headers]) => {
      for (const [name, value] of entriesOf(headers)) {
        setHeader(draftOf(host).headers, expectText(name, 'set_headers'), value);
      }
    },
    set_raw_body: (host, [body]) =>
      setBody(host, Buffer.from(expectText(body, 'set_raw_body'), 'latin1')),
    set_body: (host, [args, mimetype], budget) => {
      const draft = draftOf(host);
      const given =
        mimetype === undefined
          ? draft.headers.get('content-type')
          : expectText(mimetype, 'set_body');
      const type =
        given?.split(';')[0]?.trim().toLowerCase() ?? 'application/x-www-form-urlencoded';
      if (type === 'application/json') {
        setBody(host, Buffer.from(JSON.stringify(fromLua(args, budget))));
      } else if (type === 'application/x-www-form-urlencoded') {
        setBody(host, Buffer.from(queryText(args)));
      } else {
        return [undefined, `unsupported content type ${type}`];
      }
      draft.headers.set('Content-Type', given ?? type);
      return true;
    },
    enable_buffering: () => undefined,
  },
  {},
  Object.fromEntries(
    [
      'set_scheme',
      'set_path',
      'set_raw_query',
      'set_query',
      'set_method',
      'set_header',
      'add_header',
      'clear_header',
      'set_headers',
      'set_raw_body',
      'set_body',
    ].map((name) => [name, toUpstream]),
  ),
);

function setBody(host: FunctionHost, body: Buffer): void {
  const draft = draftOf(host);
  draft.body = body;
  draft.headers.set('Content-Length', String(body.length));
}

/** `kong.service.response`: what the upstream answered. */
const serviceResponse: LuaTable = hostTable({
  get_status: ({ context }) => context.upstreamStatus,
  get_header: ({ context }, [name]) =>
    context.upstreamStatus === undefined
      ? undefined
      : context.response?.headers.get(expectText(name, 'get_header')),
  get_headers: ({ context }) =>
    headerTable(context.upstreamStatus === undefined ? [] : (context.response?.headers.raw ?? [])),
  get_raw_body: (host) => host.responseBody?.toString('latin1'),
});

/** `kong.service`: where a request goes. */
export const kitService: LuaTable = hostTable(
  {
    set_target: ({ context }, [host, port]) => {
      const entry = context.match?.entry;
      if (context.match === undefined || entry === undefined) {
        throw new LuaFailure('the request has no route yet');
      }
      const service = {
        ...(entry.service ?? { protocol: 'http' }),
        host: expectText(host, 'set_target'),
        port: expectNumber(port, 'set_target'),
      };
      context.match = { ...context.match, entry: { ...entry, service } };
    },
    set_upstream: ({ context }, [name]) => {
      const entry = context.match?.entry;
      if (context.match === undefined || entry?.service === undefined) {
        return [undefined, 'could not find an Upstream named that'];
      }
      const service = { ...entry.service, host: expectText(name, 'set_upstream') };
      context.match = { ...context.match, entry: { ...entry, service } };
      return true;
    },
    set_timeouts: ({ context }, [connect, write, read]) => {
      const entry = context.match?.entry;
      if (context.match === undefined || entry?.service === undefined) return;
      const service = {
        ...entry.service,
        connect_timeout: expectNumber(connect, 'set_timeouts'),
        write_timeout: expectNumber(write, 'set_timeouts'),
        read_timeout: expectNumber(read, 'set_timeouts'),
      };
      context.match = { ...context.match, entry: { ...entry, service } };
    },
    set_retries: ({ context }, [count]) => {
      const entry = context.match?.entry;
      if (context.match === undefined || entry?.service === undefined) return;
      const service = { ...entry.service, retries: expectNumber(count, 'set_retries') };
      context.match = { ...context.match, entry: { ...entry, service } };
    },
  },
  { request: serviceRequest, response: serviceResponse },
  {
    set_target: ['access'],
    set_upstream: ['access'],
    set_timeouts: ['access'],
    set_retries: ['access'],
  },
);

/** Arguments in the order of their names, as Kong sorts them. */
export function queryText(args: LuaValue): string {
  const pairs = entriesOf(args).map(([name, value]) => [toText(name), value] as const);
  pairs.sort(([one], [two]) => (one < two ? -1 : 1));
  return pairs
    .flatMap(([name, value]) =>
      (value instanceof LuaTableValue ? value.list : [value]).flatMap((each) => {
        if (each === false) return [];
        return [each === true ? escaped(name) : `${escaped(name)}=${escaped(toText(each))}`];
      }),
    )
    .join('&');
}

/** Bytes as a query holds them. */
export function escaped(bytes: string): string {
  return bytes.replace(
    /[^A-Za-z0-9._~-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
