import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { QueryArguments } from '../../http/query-arguments.ts';
import { luaNull, toBytes } from '../../lua/lua-data.ts';
import { LuaTableValue, readOnlyTable } from '../../lua/lua-table.ts';
import {
  expectNumber,
  expectText,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
  toText,
} from '../../lua/lua-value.ts';
import { FunctionExit, hostOf, hostTable } from './function-host.ts';
import { logger } from './kit-client.ts';
import { argumentTable, headerTable, queryOf } from './kit-request.ts';
import { answerHeaders, headerName, setHeader } from './kit-response.ts';
import { draftOf, escaped, queryText } from './kit-service.ts';
import { ngxPatterns } from './ngx-patterns.ts';
import { ngxVariables } from './ngx-variables.ts';

const statuses: Readonly<Record<string, number>> = {
  OK: 200,
  CREATED: 201,
  ACCEPTED: 202,
  NO_CONTENT: 204,
  MOVED_PERMANENTLY: 301,
  MOVED_TEMPORARILY: 302,
  SEE_OTHER: 303,
  NOT_MODIFIED: 304,
  TEMPORARY_REDIRECT: 307,
  PERMANENT_REDIRECT: 308,
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  NOT_ALLOWED: 405,
  CONFLICT: 409,
  GONE: 410,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  NOT_IMPLEMENTED: 501,
  BAD_GATEWAY: 502,
  SERVICE_UNAVAILABLE: 503,
  GATEWAY_TIMEOUT: 504,
};
const logLevels = ['stderr', 'emerg', 'alert', 'crit', 'err', 'warn', 'notice', 'info', 'debug'];
const constantLevels = [
  'STDERR',
  'EMERG',
  'ALERT',
  'CRIT',
  'ERR',
  'WARN',
  'NOTICE',
  'INFO',
  'DEBUG',
];

const bytesOf = (text: LuaValue, name: string) => Buffer.from(expectText(text, name), 'latin1');

/** A function of one text. */
function ofText(name: string, run: (bytes: Buffer) => string | undefined): LuaFunction {
  return ([text], budget) => {
    const bytes = bytesOf(text, name);
    budget.spend(bytes.length);
    const made = run(bytes);
    if (made !== undefined) budget.take(made.length);
    return [made];
  };
}

const requestPart: LuaTable = hostTable({
  get_method: ({ context }) => context.method,
  set_method: () => {
    throw new LuaFailure('use kong.service.request.set_method');
  },
  get_headers: ({ context }) => headerTable(context.headers.raw),
  set_header: (host, [name, value]) =>
    setHeader(draftOf(host).headers, expectText(name, 'set_header'), value),
  clear_header: (host, [name]) => draftOf(host).headers.remove(headerName(name)),
  get_uri_args: (host) => queryOf(host),
  set_uri_args: (host, [args]) => {
    draftOf(host).query =
      typeof args === 'object' ? queryText(args) : expectText(args, 'set_uri_args');
  },
  read_body: () => undefined,
  get_body_data: ({ body }) =>
    body === undefined || body.length === 0 ? undefined : body.toString('latin1'),
  get_post_args: ({ body }) => argumentTable(new QueryArguments(body?.toString('utf8') ?? '')),
  http_version: ({ context }) => Number(context.request.httpVersion),
  start_time: ({ context }) =>
    (context.runtime.now() - (performance.now() - context.timings.startedAt)) / 1_000,
});

/** `ngx.header`: read and written as a table. */
const answerHeader: LuaTable = {
  length: 0,
  get: (key, budget) => {
    if (budget === undefined || typeof key !== 'string') return undefined;
    const { response } = hostOf(budget).context;
    return response?.headers.get(key.replaceAll('_', '-'));
  },
  set: (key, value, budget) => {
    const name = expectText(key, 'ngx.header').replaceAll('_', '-');
    const headers = answerHeaders(hostOf(budget));
    if (value === undefined) headers.remove(headerName(name));
    else setHeader(headers, name, value);
  },
};

/** `ngx.arg`: the piece of the answer that a body filter looks at, and whether it is the last. */
const bodyPart: LuaTable = {
  length: 2,
  get: (key, budget) => {
    const body = budget === undefined ? undefined : hostOf(budget).responseBody;
    if (key === 2) return true;
    return key === 1 ? (body?.toString('latin1') ?? '') : undefined;
  },
  set: (key, value, budget) => {
    if (key !== 1) return;
    hostOf(budget).responseBody = Buffer.from(
      value === undefined ? '' : expectText(value, 'ngx.arg'),
      'latin1',
    );
  },
};

const printed = 'text that functions print';

const functions: LuaTable = hostTable({
  time: ({ context }) => Math.floor(context.runtime.now() / 1_000),
  now: ({ context }) => context.runtime.now() / 1_000,
  update_time: () => undefined,
  today: ({ context }) => new Date(context.runtime.now()).toISOString().slice(0, 10),
  utctime: ({ context }) =>
    new Date(context.runtime.now()).toISOString().slice(0, 19).replace('T', ' '),
  localtime: ({ context }) =>
    new Date(context.runtime.now()).toISOString().slice(0, 19).replace('T', ' '),
  http_time: (_host, [seconds]) =>
    new Date(expectNumber(seconds, 'http_time') * 1_000).toUTCString(),
  parse_http_time: (_host, [text]) => {
    const time = Date.parse(expectText(text, 'parse_http_time'));
    return Number.isNaN(time) ? undefined : time / 1_000;
  },
  get_phase: ({ phase }) => phase,
  escape_uri: (_host, [text]) => escaped(expectText(text, 'escape_uri')),
  encode_args: (_host, [args]) => queryText(args),
  decode_args: (_host, [text]) =>
    argumentTable(new QueryArguments(expectText(text, 'decode_args'))),
  say: ({ context }, args) => print(context.shared, args, '\n'),
  print: ({ context }, args) => print(context.shared, args, ''),
  exit: ({ context }, [status]) => {
    const text = (context.shared.get(printed) as string | undefined) ?? '';
    const code = expectNumber(status, 'exit');
    if (code >= 200) context.exit(code, Buffer.from(text, 'latin1'));
    throw new FunctionExit();
  },
  redirect: ({ context }, [location, status]) => {
    const to = expectText(location, 'redirect').replace(/[\r\n\0]/g, '');
    context.exit(status === undefined ? 302 : expectNumber(status, 'redirect'), '', {
      Location: to,
    });
    throw new FunctionExit();
  },
});

function print(shared: Map<string, unknown>, args: readonly LuaValue[], end: string): void {
  const known = (shared.get(printed) as string | undefined) ?? '';
  const text = known + args.map(toText).join('') + end;
  if (text.length > 1_048_576) throw new LuaFailure('functions print more than 1 MiB');
  shared.set(printed, text);
}

const plainFunctions: Readonly<Record<string, LuaFunction>> = {
  encode_base64: ofText('encode_base64', (bytes) => bytes.toString('base64')),
  decode_base64: ofText('decode_base64', (bytes) => {
    const text = bytes.toString('latin1');
    return /^[A-Za-z0-9+/]*={0,2}$/.test(text)
      ? Buffer.from(text, 'base64').toString('latin1')
      : undefined;
  }),
  md5: ofText('md5', (bytes) => createHash('md5').update(bytes).digest('hex')),
  md5_bin: ofText('md5_bin', (bytes) =>
    createHash('md5').update(bytes).digest().toString('latin1'),
  ),
  sha1_bin: ofText('sha1_bin', (bytes) =>
    createHash('sha1').update(bytes).digest().toString('latin1'),
  ),
  hmac_sha1: ([key, text]) => [
    createHmac('sha1', bytesOf(key, 'hmac_sha1'))
      .update(bytesOf(text, 'hmac_sha1'))
      .digest()
      .toString('latin1'),
  ],
  crc32_short: ([text]) => [crc32(bytesOf(text, 'crc32_short'))],
  crc32_long: ([text]) => [crc32(bytesOf(text, 'crc32_long'))],
  unescape_uri: ofText('unescape_uri', (bytes) =>
    bytes
      .toString('latin1')
      .replaceAll('+', ' ')
      .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
  ),
  log: ([level, ...args], budget) =>
    logger(logLevels[expectNumber(level, 'log')] ?? 'notice')(args, budget),
};

/** `ngx`: what people use of OpenResty. */
export const ngx: LuaTable = {
  length: 0,
  get: (key, budget) => {
    if (budget !== undefined) {
      if (key === 'ctx') return hostOf(budget).shared;
      if (key === 'status') return hostOf(budget).context.response?.status ?? 0;
    }
    return constants.get(key as string) ?? functions.get(key);
  },
  set: (key, value, budget) => {
    const { response } = hostOf(budget).context;
    if (key !== 'status') throw new LuaFailure('this table cannot be changed');
    if (response !== undefined) response.status = expectNumber(value, 'ngx.status');
  },
};

const constants: ReadonlyMap<string, LuaValue> = new Map<string, LuaValue>([
  ...Object.entries(plainFunctions),
  ...Object.entries(statuses).map(([name, status]) => [`HTTP_${name}`, status] as const),
  ...constantLevels.map((name, level) => [name, level] as const),
  ...['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH'].map(
    (name, index) => [`HTTP_${name}`, 2 ** (index + 1)] as const,
  ),
  ['OK', 0],
  ['ERROR', -1],
  ['DECLINED', -5],
  ['null', luaNull],
  ['var', ngxVariables],
  ['req', requestPart],
  ['header', answerHeader],
  ['arg', bodyPart],
  ['re', ngxPatterns],
  [
    'worker',
    readOnlyTable({
      id: () => [0],
      pid: () => [process.pid],
      count: () => [1],
      exiting: () => [false],
    }),
  ],
  [
    'config',
    readOnlyTable({ subsystem: 'http', ngx_lua_version: 10_026, nginx_version: 1_025_003 }),
  ],
]);

/** The functions of `os` that only tell the time. */
export const clock: LuaTable = hostTable({
  time: ({ context }, [at]) => {
    if (!(at instanceof LuaTableValue)) return Math.floor(context.runtime.now() / 1_000);
    const part = (name: string, otherwise: number) => {
      const value = at.get(name);
      return value === undefined ? otherwise : expectNumber(value, 'time');
    };
    const date = [part('year', 1970), part('month', 1) - 1, part('day', 1)] as const;
    return Date.UTC(...date, part('hour', 12), part('min', 0), part('sec', 0)) / 1_000;
  },
  clock: () => process.cpuUsage().user / 1_000_000,
  difftime: (_host, [one, two]) => expectNumber(one, 'difftime') - expectNumber(two, 'difftime'),
  date: ({ context }, [format, seconds]) => {
    const at =
      seconds === undefined ? context.runtime.now() : expectNumber(seconds, 'date') * 1_000;
    return toBytes(
      dateText(format === undefined ? '%c' : expectText(format, 'date'), new Date(at)),
    );
  },
});

/** In UTC: whose time a gateway keeps is nobody's business. */
function dateText(format: string, date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const [day, , ,] = date.toUTCString().split(',');
  const month = date.toUTCString().slice(8, 11);
  const parts: Readonly<Record<string, () => string>> = {
    Y: () => String(date.getUTCFullYear()),
    y: () => two(date.getUTCFullYear() % 100),
    m: () => two(date.getUTCMonth() + 1),
    d: () => two(date.getUTCDate()),
    H: () => two(date.getUTCHours()),
    M: () => two(date.getUTCMinutes()),
    S: () => two(date.getUTCSeconds()),
    a: () => day ?? '',
    b: () => month,
    Z: () => 'UTC',
    z: () => '+0000',
    X: () => date.toISOString().slice(11, 19),
    T: () => date.toISOString().slice(11, 19),
    F: () => date.toISOString().slice(0, 10),
    c: () => date.toUTCString(),
    '%': () => '%',
  };
  return format
    .replace(/^!/, '')
    .replace(/%([\s\S])/g, (whole, letter: string) => parts[letter]?.() ?? whole);
}
