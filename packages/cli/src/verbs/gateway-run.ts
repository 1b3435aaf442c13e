import { resolve } from 'node:path';
import {
  type AdminListenOptions,
  type AnyPlugin,
  Gateway,
  GatewayError,
  type GatewayOptions,
  loadPlugins,
  workersForThisMachine,
} from '@waygate/gateway';
import { parseKongYaml } from '@waygate/kong';
import { isObject, StorageError } from '@waygate/text';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addClientLimits, clientLimitsOf } from '../client-limit-options.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { corsOriginOption } from '../cors-origin-option.ts';
import { followFile } from '../follow-file.ts';
import { listenOption, parseListenAddress } from '../listen-address.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

interface Flags {
  readonly config?: string;
  readonly database?: string;
  readonly proxyListen: Address;
  readonly proxyTlsListen: Address;
  readonly adminListen: Address;
  readonly statusListen?: Address;
  readonly adminOriginCheck: boolean;
  readonly adminCorsOrigin: readonly string[];
  readonly tcpListen: readonly Address[];
  readonly tlsListen: readonly Address[];
  readonly udpListen: readonly Address[];
  readonly routerFlavor: 'traditional' | 'traditional_compatible' | 'expressions';
  readonly trustedIp: readonly string[];
  readonly proxyProtocol?: boolean;
  readonly accessLog?: boolean;
  readonly allowFileLog?: boolean;
  readonly workers: number;
  readonly plugin: readonly string[];
  readonly removePlugin: readonly string[];
  readonly slowStart: number;
  readonly drain: number;
}

export function configure(command: Command, context: CliContext): void {
  const collect = (text: string, before: readonly Address[]) => [
    ...before,
    parseListenAddress(text),
  ];
  command
    .option('-c, --config <file>', 'a declarative configuration, followed while running')
    .option('--database <directory>', 'keep entities there and take writes, instead of a file')
    .addOption(listenOption('--proxy-listen', 'HTTP', '127.0.0.1:8000'))
    .addOption(listenOption('--proxy-tls-listen', 'HTTPS', '127.0.0.1:8443'))
    .addOption(listenOption('--admin-listen', 'the Admin API', '127.0.0.1:8001'))
    .option('--status-listen <host:port>', '/status and /metrics', parseListenAddress)
    .addOption(corsOriginOption())
    .option(
      '--no-admin-origin-check',
      'let any web page use the Admin API on loopback, as Kong does',
    )
    .option('--tcp-listen <host:port>', 'a TCP stream port (repeatable)', collect, [])
    .option('--tls-listen <host:port>', 'a TLS stream port (repeatable)', collect, [])
    .option('--udp-listen <host:port>', 'a UDP stream port (repeatable)', collect, [])
    .addOption(
      new Option('--router-flavor <flavor>', 'which of Kong’s routers decides')
        .choices(['traditional_compatible', 'traditional', 'expressions'])
        .default('traditional_compatible'),
    )
    .option(
      '--trusted-ip <cidr>',
      'a proxy whose X-Forwarded-* headers are believed (repeatable)',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option('--proxy-protocol', 'expect a PROXY protocol header on each proxied connection')
    .option('--access-log', 'print a line for each request')
    .option('--allow-file-log', 'let the file-log plugin write the files that it names')
    .option(
      '--workers <count>',
      'processes that carry requests, or auto for one a core; 0 for this one alone',
      parseWorkers,
      0,
    )
    .option(
      '--plugin <module>',
      'a module that exports plugins of your own (repeatable)',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option(
      '--remove-plugin <id>',
      'take this plugin out of the database first (repeatable)',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option(
      '--slow-start <seconds>',
      'how long a new target takes to its full share',
      parseSeconds,
      0,
    )
    .option('--drain <seconds>', 'how long requests may take when told to stop', parseSeconds, 5);
  addClientLimits(command);
  command
    .addHelpText(
      'after',
      `
The Admin API has no password unless WAYGATE_ADMIN_TOKEN is set; keep it on loopback without one. There
it refuses web pages, by their Host and Origin, but for those that --admin-cors-origin names.

What a client may cost is limited by nginx's names, with the values that Kong's nginx has.

Examples:
  waygate gateway run --config kong.yaml
  waygate gateway run --database ./data --admin-listen 127.0.0.1:8001
  waygate gateway run --config kong.yaml --workers auto
  waygate gateway run --config kong.yaml --client-header-timeout 10 --worker-connections 4096
  deck gateway sync kong.yaml --kong-addr http://127.0.0.1:8001`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  if (flags.config !== undefined && flags.database !== undefined) {
    throw new CliError('--config and --database exclude each other', { exitCode: exitCode.usage });
  }
  const say = (text: string): void => {
    context.stderr.write(`${text}\n`);
  };
  const file =
    flags.config === undefined
      ? undefined
      : await followFile(resolve(context.cwd, flags.config), context.signal).catch(
          (error: Error) => {
            throw new CliError(`cannot read ${flags.config}: ${error.message}`);
          },
        );
  const config = file === undefined ? undefined : readDocument(file.text, flags.config ?? '');
  const modules = flags.plugin.map((name) => resolve(context.cwd, name));
  const plugins = await loadPlugins(modules).catch((error: Error) => {
    throw new CliError(error.message, { cause: error });
  });
  const own = { plugins, modules };
  const gateway = new Gateway(optionsOf(flags, context, config, own, say));
  const { proxy, admin } = await gateway.start().catch((error: unknown) => {
    if (error instanceof StorageError) throw error;
    const hint =
      error instanceof GatewayError ? undefined : 'Choose other ports with the --*-listen flags.';
    throw new CliError(`the gateway cannot start: ${(error as Error).message}`, {
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  });
  say(
    `proxy: ${proxy.map((at) => `${at.isTls ? 'https' : 'http'}://${at.host}:${at.port}`).join(', ')}`,
  );
  if (flags.workers > 0) say(`workers: ${flags.workers}`);
  say(`Admin API: http://${admin?.host}:${admin?.port}`);
  if (file === undefined) {
    await untilAborted(context.signal);
  } else {
    for await (const text of file.changes) {
      applyChange(gateway, text, flags.config ?? '', say);
    }
  }
  say('stopping');
  await gateway.stop();
}

function applyChange(
  gateway: Gateway,
  text: string,
  name: string,
  say: (text: string) => void,
): void {
  try {
    const problem = gateway.admin.configure(readDocument(text, name));
    say(problem === undefined ? `${name} changed` : `${name} is refused: ${problem}`);
    if (problem !== undefined) say('the configuration before stays in force');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    say(`${error.message}\nthe configuration before stays in force`);
  }
}

function optionsOf(
  flags: Flags,
  context: CliContext,
  config: object | undefined,
  own: { readonly plugins: readonly AnyPlugin[]; readonly modules: readonly string[] },
  say: (text: string) => void,
): GatewayOptions {
  const token = context.env.WAYGATE_ADMIN_TOKEN;
  const isProxyProtocol = flags.proxyProtocol === true;
  const streams = [
    ...flags.tcpListen.map((at) => ({ ...at, kind: 'tcp' as const })),
    ...flags.tlsListen.map((at) => ({ ...at, kind: 'tls' as const })),
    ...flags.udpListen.map((at) => ({ ...at, kind: 'udp' as const })),
  ];
  const pages = pagesOf(flags);
  const tell = (message: string, details?: Readonly<Record<string, unknown>>) =>
    say(details === undefined ? message : `${message} ${JSON.stringify(details)}`);
  return {
    mode: flags.database === undefined ? 'dbless' : 'database',
    ...(flags.database === undefined ? {} : { directory: resolve(context.cwd, flags.database) }),
    ...(config === undefined ? {} : { config }),
    proxy: [
      { ...flags.proxyListen, isProxyProtocol },
      { ...flags.proxyTlsListen, isProxyProtocol, isTls: true },
    ],
    streams,
    admin: { ...flags.adminListen, ...pages, ...(token ? { token } : {}) },
    ...(flags.statusListen === undefined ? {} : { status: { ...flags.statusListen, ...pages } }),
    flavor: flags.routerFlavor,
    trustedIps: flags.trustedIp,
    isFileAccessAllowed: flags.allowFileLog ?? false,
    workers: flags.workers,
    plugins: own.plugins,
    pluginModules: own.modules,
    removePlugins: flags.removePlugin,
    limits: clientLimitsOf(flags),
    slowStartMs: flags.slowStart * 1_000,
    drainMs: flags.drain * 1_000,
    log: { warn: tell, error: tell },
    ...(flags.accessLog
      ? { accessLog: (line: string) => void context.stdout.write(`${line}\n`) }
      : {}),
  };
}

/** Which web pages may use the Admin API; without a word on it, the gateway's own default. */
function pagesOf({ adminOriginCheck, adminCorsOrigin }: Flags): Pick<AdminListenOptions, 'pages'> {
  if (!adminOriginCheck) return { pages: 'any' };
  return adminCorsOrigin.length === 0 ? {} : { pages: adminCorsOrigin };
}

function parseWorkers(text: string): number {
  if (text === 'auto') return workersForThisMachine();
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0 || count > 1_024) {
    throw new InvalidArgumentError('It must be a number, or auto.');
  }
  return count;
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds < 0) {
    throw new InvalidArgumentError('It must be a number of seconds.');
  }
  return seconds;
}

function readDocument(text: string, name: string): object {
  const parsed = parseKongYaml(text);
  if (!parsed.isValid) throw new CliError(`${name}: ${parsed.message}`);
  const { value } = parsed;
  if (!isObject(value)) {
    throw new CliError(`${name} is no declarative configuration: it is not a mapping`);
  }
  return value;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}
