import { hostname } from 'node:os';
import type { KongConsumer } from '@waygate/kong';
import { toLua } from '../../lua/lua-data.ts';
import { shownText } from '../../lua/lua-operators.ts';
import { LuaTableValue, readOnlyTable } from '../../lua/lua-table.ts';
import {
  expectText,
  type LuaBudget,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
} from '../../lua/lua-value.ts';
import { nodeId } from '../../node-id.ts';
import { logEntry } from '../../plugin/log-entry.ts';
import { kongVersion } from '../../version.ts';
import { hostOf, hostTable } from './function-host.ts';
import { kitRequest } from './kit-request.ts';
import { kitResponse } from './kit-response.ts';
import { kitService } from './kit-service.ts';

/** `kong.client`: who asks. */
const kitClient: LuaTable = hostTable({
  get_ip: ({ context }) => context.client.remoteAddress,
  get_forwarded_ip: ({ context }) => context.client.ip,
  get_port: ({ context }) => context.client.remotePort,
  get_forwarded_port: ({ context }) => context.client.remotePort,
  get_protocol: ({ context }) => (context.client.isTls ? 'https' : 'http'),
  get_credential: ({ context }, _args, budget) =>
    context.credential === undefined ? undefined : toLua({ ...context.credential }, budget),
  get_consumer: ({ context }, _args, budget) =>
    context.consumer === undefined ? undefined : toLua(context.consumer, budget),
  load_consumer: ({ context }, [id], budget) => {
    const consumer = context.snapshot.consumers.consumer(expectText(id, 'load_consumer'));
    return consumer === undefined ? [undefined, 'not found'] : toLua(consumer, budget);
  },
  authenticate: ({ context }, [consumer, credential]) => {
    if (consumer === undefined && credential === undefined) {
      throw new LuaFailure('either credential or consumer must be provided');
    }
    const id = fieldOf(consumer, 'id');
    context.consumer =
      id === undefined
        ? undefined
        : (context.snapshot.consumers.consumer(id) as KongConsumer | undefined);
    const credentialId = fieldOf(credential, 'id');
    context.credential =
      credentialId === undefined
        ? undefined
        : { id: credentialId, identifier: fieldOf(credential, 'key') ?? credentialId };
  },
});

function fieldOf(table: LuaValue, name: string): string | undefined {
  const value = typeof table === 'object' ? table.get(name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

const levels = ['debug', 'info', 'notice', 'warn', 'err', 'crit', 'alert', 'emerg'];

/** What functions may write into the gateway's log for one request: it is not theirs to fill. */
const maximumLogLines = 20;

function writeLog(level: string, args: readonly LuaValue[], budget: LuaBudget): void {
  const { context, plugin } = hostOf(budget);
  const lines = (context.shared.get(linesKey) as number | undefined) ?? 0;
  context.shared.set(linesKey, lines + 1);
  if (lines >= maximumLogLines) return;
  const text = args
    .map((each) => shownText(each, budget))
    .join('')
    .slice(0, 2_048);
  const write = ['err', 'crit', 'alert', 'emerg'].includes(level) ? 'error' : 'warn';
  if (level !== 'debug' && level !== 'info') {
    context.runtime.log[write](text, { plugin, level, requestId: context.requestId });
  }
}

const linesKey = 'log lines of functions';

/** A function that writes what it is given into the log. */
export function logger(level: string): LuaFunction {
  return (args, budget) => {
    writeLog(level, args, budget);
    return [];
  };
}

/** `kong.log`, which can be called itself. */
const kitLog: LuaTable = readOnlyTable(
  {
    ...Object.fromEntries(levels.map((level) => [level, logger(level)])),
    inspect: logger('debug'),
    deprecation: logger('warn'),
    serialize: ((_args, budget) => {
      const { context } = hostOf(budget);
      return [toLua(plain({ ...logEntry(context), ...serializedOf(budget) }), budget)];
    }) satisfies LuaFunction,
    set_serialize_value: (([key, value], budget) => {
      serializedOf(budget)[expectText(key, 'set_serialize_value')] = value as never;
      return [];
    }) satisfies LuaFunction,
  },
  { call: ([, ...args], budget) => logger('notice')(args, budget) },
);

function plain(entry: object): unknown {
  return JSON.parse(JSON.stringify(entry)) as unknown;
}

function serializedOf(budget: LuaBudget): Record<string, unknown> {
  const { shared } = hostOf(budget).context;
  const known = shared.get('serialized values') as Record<string, unknown> | undefined;
  const values = known ?? {};
  shared.set('serialized values', values);
  return values;
}

const router: LuaTable = hostTable({
  get_route: ({ context }, _args, budget) =>
    context.match === undefined ? undefined : toLua(context.match.entry.route, budget),
  get_service: ({ context }, _args, budget) =>
    context.service === undefined ? undefined : toLua(context.service, budget),
});

/** `kong`: what people use of Kong's plugin development kit. */
export const kit: LuaTable = readOnlyTable({
  version: kongVersion,
  version_num: 3_009_001,
  request: kitRequest,
  response: kitResponse,
  service: kitService,
  client: kitClient,
  log: kitLog,
  router,
  node: hostTable({ get_id: () => nodeId, get_hostname: () => hostname() }),
  ip: hostTable({ is_trusted: ({ context }) => context.client.isTrusted }),
  nginx: hostTable({ get_subsystem: () => 'http' }),
  table: readOnlyTable({
    new: () => [new LuaTableValue()],
    clear: ([table]: readonly LuaValue[]) => {
      if (table instanceof LuaTableValue) {
        for (const [key] of [...table.entries()].reverse()) table.put(key, undefined);
      }
      return [];
    },
  }),
  ctx: {
    length: 0,
    get: (key, budget) => {
      if (budget === undefined) return undefined;
      const { own, shared } = hostOf(budget);
      return key === 'plugin' ? own : key === 'shared' ? shared : undefined;
    },
  },
});
