import { HeaderList } from '../../http/header-list.ts';
import { fromLua } from '../../lua/lua-data.ts';
import { LuaTableValue } from '../../lua/lua-table.ts';
import {
  expectNumber,
  expectText,
  type LuaBudget,
  LuaFailure,
  type LuaTable,
  type LuaValue,
  toText,
} from '../../lua/lua-value.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { FunctionExit, type FunctionHost, type FunctionPhase, hostTable } from './function-host.ts';
import { headerTable } from './kit-request.ts';

const late: readonly FunctionPhase[] = ['header_filter', 'body_filter', 'log'];
const before: readonly FunctionPhase[] = ['rewrite', 'access', 'header_filter'];
const exiting: readonly FunctionPhase[] = ['rewrite', 'access', 'header_filter'];

/** `kong.response`: the answer on its way to the client. */
export const kitResponse: LuaTable = hostTable(
  {
    get_status: ({ context }) => context.response?.status ?? 200,
    get_source: ({ context }) => {
      const { source } = context.response ?? {};
      return source === 'upstream' ? 'service' : (source ?? 'error');
    },
    get_header: ({ context }, [name]) =>
      context.response?.headers.get(expectText(name, 'get_header')),
    get_headers: ({ context }) => headerTable(context.response?.headers.raw ?? []),
    set_status: ({ context }, [status]) => {
      if (context.response !== undefined) {
        context.response.status = expectNumber(status, 'set_status');
      }
    },
    set_header: (host, [name, value]) =>
      setHeader(answerHeaders(host), expectText(name, 'set_header'), value),
    add_header: (host, [name, value]) =>
      answerHeaders(host).add(headerName(name), headerValue(value)),
    clear_header: (host, [name]) => answerHeaders(host).remove(headerName(name)),
    set_headers: (host, [headers]) => {
      for (const [name, value] of entriesOf(headers)) {
        setHeader(answerHeaders(host), expectText(name, 'set_headers'), value);
      }
    },
    get_raw_body: (host) => host.responseBody?.toString('latin1'),
    set_raw_body: (host, [body]) => {
      host.responseBody = Buffer.from(expectText(body, 'set_raw_body'), 'latin1');
    },
    exit: (host, args, budget) => exitWith(host, args, budget),
    error: ({ context }, [status, message, headers]) => {
      const number = expectNumber(status, 'error');
      const text = message === undefined ? errorText(number) : expectText(message, 'error');
      context.fail(number, text, headerRecord(headers));
      throw new FunctionExit();
    },
  },
  {},
  {
    get_raw_body: ['body_filter'],
    set_raw_body: ['body_filter'],
    set_status: ['header_filter'],
    get_source: late,
    set_header: before,
    add_header: before,
    clear_header: before,
    set_headers: before,
    exit: exiting,
    error: exiting,
  },
);

function errorText(status: number): string {
  return status === 404 ? 'Not found' : 'An unexpected error occurred';
}

const waitingKey = 'headers of functions';

/** What is set before the answer is there waits for it. */
export function answerHeaders({ context }: FunctionHost): HeaderList {
  if (context.response !== undefined) return context.response.headers;
  const known = context.shared.get(waitingKey) as HeaderList | undefined;
  const waiting = known ?? new HeaderList();
  context.shared.set(waitingKey, waiting);
  return waiting;
}

/** Puts what waited into the answer, in place of what the upstream set under the same names. */
export function applyWaitingHeaders({ shared, response }: RequestContext): void {
  const waiting = shared.get(waitingKey) as HeaderList | undefined;
  if (waiting === undefined || response === undefined) return;
  shared.delete(waitingKey);
  for (const [name, value] of Object.entries(waiting.toObject())) {
    response.headers.remove(name);
    for (const each of typeof value === 'string' ? [value] : value)
      response.headers.add(name, each);
  }
}

export function setHeader(headers: HeaderList, name: string, value: LuaValue): void {
  const plain = headerName(name);
  headers.remove(plain);
  for (const each of value instanceof LuaTableValue ? value.list : [value]) {
    headers.add(plain, headerValue(each));
  }
}

/** Nothing that ends a line or a name can get into a head. */
export function headerName(name: LuaValue): string {
  const text = expectText(name, 'header');
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)) throw new LuaFailure('invalid header name');
  return text;
}

export function headerValue(value: LuaValue): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return toText(value).replace(/[\r\n\0]/g, '');
  }
  throw new LuaFailure(
    `invalid header value: got ${typeof value}, expected string, number or boolean`,
  );
}

export function entriesOf(value: LuaValue): readonly (readonly [LuaValue, LuaValue])[] {
  if (value instanceof LuaTableValue) return [...value.entries()];
  throw new LuaFailure('headers must be a table');
}

function headerRecord(headers: LuaValue): Record<string, string> {
  if (headers === undefined) return {};
  return Object.fromEntries(
    entriesOf(headers).map(([name, value]) => [
      headerName(name),
      value instanceof LuaTableValue ? value.list.map(headerValue).join(', ') : headerValue(value),
    ]),
  );
}

function exitWith(
  { context }: FunctionHost,
  [status, body, headers]: readonly LuaValue[],
  budget: LuaBudget,
): never {
  const code = expectNumber(status, 'exit');
  if (!Number.isInteger(code) || code < 100 || code > 599) {
    throw new LuaFailure('code must be a number between 100 and 599');
  }
  const given = headerRecord(headers);
  if (typeof body === 'object') {
    context.exit(code, fromLua(body, budget) as object, given);
  } else {
    context.exit(code, body === undefined ? '' : Buffer.from(toText(body), 'latin1'), given);
  }
  throw new FunctionExit();
}
