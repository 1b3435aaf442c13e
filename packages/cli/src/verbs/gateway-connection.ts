import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AdminClient, type AdminTls, KongError, parseYaml } from '@waygate/kong';
import { type Command, InvalidArgumentError } from 'commander';
import { type CliContext, CliError } from '../context.ts';

/** Options of every verb that talks to a Kong, with decK's names. */
export interface ConnectionOptions {
  readonly config?: string;
  readonly kongAddr?: string;
  readonly headers?: readonly string[];
  readonly kongAdminToken?: string;
  readonly workspace?: string;
  readonly tlsSkipVerify?: boolean;
  readonly tlsServerName?: string;
  readonly caCert?: string;
  readonly caCertFile?: string;
  readonly tlsClientCert?: string;
  readonly tlsClientCertFile?: string;
  readonly tlsClientKey?: string;
  readonly tlsClientKeyFile?: string;
  readonly timeout?: number;
  readonly parallelism: number;
  readonly skipWorkspaceCrud?: boolean;
  readonly verbose?: number;
  /** No flag: set by verbs that ask whether a Kong is there, and want to know at once. */
  readonly retries?: number;
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('must be 1 or more');
  return value;
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('must be 0 or more');
  return value;
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The same for lists: values may also be put together with commas. */
export function collectList(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...value.split(',').filter((part) => part !== '')];
}

/** Several headers may stand in one value; a comma inside of a header's value stays. */
function collectHeaders(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...value.split(/,(?=[A-Za-z0-9-]+:)/)];
}

export function connectionOptions(command: Command): Command {
  return command
    .option('--kong-addr <url>', 'where the Admin API is (default: http://localhost:8001)')
    .option('--headers <key:value>', 'a header for every request; may be repeated', collectHeaders)
    .option('--kong-admin-token <token>', 'the value of the Kong-Admin-Token header')
    .option('-w, --workspace <name>', 'the workspace (Kong Enterprise)')
    .option('--skip-workspace-crud', 'neither look for the workspace nor make it')
    .option('--tls-skip-verify', 'take any certificate of the server')
    .option('--tls-server-name <name>', 'the name to expect in the server certificate')
    .option('--ca-cert <pem>', 'certificates to trust, as text')
    .option('--ca-cert-file <file>', 'certificates to trust')
    .option('--tls-client-cert <pem>', 'the client certificate, as text')
    .option('--tls-client-cert-file <file>', 'the client certificate')
    .option('--tls-client-key <pem>', 'the key of the client certificate, as text')
    .option('--tls-client-key-file <file>', 'the key of the client certificate')
    .option('--timeout <seconds>', 'how long to wait for an answer (default: 30)', positiveInteger)
    .option('--parallelism <number>', 'how many requests at a time', positiveInteger, 10)
    .option('--verbose <level>', 'from 1 on, name every request on the error output', wholeNumber)
    .option(
      '--config <file>',
      'a file with values for these options (default: ~/.deck.yaml); DECK_KONG_ADDR and the like in the environment come before it',
    );
}

/** Options that the environment and the configuration file may give, beside the command line. */
const settable = [
  'kongAddr',
  'kongAdminToken',
  'tlsSkipVerify',
  'tlsServerName',
  'caCert',
  'caCertFile',
  'tlsClientCert',
  'tlsClientCertFile',
  'tlsClientKey',
  'tlsClientKeyFile',
  'timeout',
  'headers',
] as const satisfies readonly (keyof ConnectionOptions)[];

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A value of the environment or of the file as the option has it. */
function typed(name: (typeof settable)[number], value: unknown): unknown {
  if (name === 'tlsSkipVerify') return value === true || /^(1|t|true)$/i.test(String(value));
  if (name === 'timeout') return positiveInteger(String(value));
  if (name !== 'headers') return String(value);
  return Array.isArray(value) ? value.map(String) : collectHeaders(String(value));
}

async function readConfigFile(
  options: ConnectionOptions,
  context: CliContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { HOME: home } = context.env;
  const path = options.config ?? (home === undefined ? undefined : join(home, '.deck.yaml'));
  if (path === undefined) return {};
  let content: string;
  try {
    content = await readFile(resolve(context.cwd, path), 'utf8');
  } catch (cause) {
    if (options.config === undefined) return {};
    throw new CliError(`cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
  const parsed = parseYaml(content);
  if (!parsed.isValid) throw new CliError(`${path}: ${parsed.message}`);
  const { value } = parsed;
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** The options with what the environment and the configuration file say on those not given. */
async function settledOptions(
  options: ConnectionOptions,
  context: CliContext,
): Promise<ConnectionOptions> {
  const file = await readConfigFile(options, context);
  const settled: Record<string, unknown> = { ...options };
  for (const name of settable) {
    if (settled[name] !== undefined) continue;
    const key = dashed(name);
    const value = context.env[`DECK_${key.replaceAll('-', '_').toUpperCase()}`] ?? file[key];
    if (value !== undefined && value !== null && value !== '') settled[name] = typed(name, value);
  }
  return settled as unknown as ConnectionOptions;
}

async function textOrFile(
  text: string | undefined,
  file: string | undefined,
  context: CliContext,
): Promise<string | undefined> {
  if (text !== undefined || file === undefined) return text;
  try {
    return await readFile(resolve(context.cwd, file), 'utf8');
  } catch (cause) {
    throw new CliError(`cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}

async function tlsOf(options: ConnectionOptions, context: CliContext): Promise<AdminTls> {
  const ca = await textOrFile(options.caCert, options.caCertFile, context);
  const certificate = await textOrFile(options.tlsClientCert, options.tlsClientCertFile, context);
  const key = await textOrFile(options.tlsClientKey, options.tlsClientKeyFile, context);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(options.tlsServerName === undefined ? {} : { serverName: options.tlsServerName }),
    isUnverified: options.tlsSkipVerify === true,
  };
}

function headersOf(options: ConnectionOptions): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const header of options.headers ?? []) {
    const colon = header.indexOf(':');
    if (colon < 1) throw new CliError('--headers wants key:value', { exitCode: 64 });
    headers[header.slice(0, colon).trim()] = header.slice(colon + 1).trim();
  }
  if (options.kongAdminToken !== undefined) headers['kong-admin-token'] = options.kongAdminToken;
  return headers;
}

/** Runs a verb with a client, closes it, and turns errors of the Admin API into ones for people. */
export async function withClient(
  given: ConnectionOptions,
  context: CliContext,
  work: (client: AdminClient) => Promise<void>,
  workspace = given.workspace,
): Promise<void> {
  const options = await settledOptions(given, context);
  const url = options.kongAddr ?? 'http://localhost:8001';
  const isVerbose = (options.verbose ?? 0) > 0;
  let client: AdminClient | undefined;
  try {
    client = new AdminClient({
      url,
      headers: headersOf(options),
      tls: await tlsOf(options, context),
      timeoutMs: (options.timeout ?? 30) * 1000,
      connections: Math.max(options.parallelism, 16),
      ...(options.retries === undefined ? {} : { retries: options.retries }),
      ...(isVerbose ? { onAnswer: (line) => void context.stderr.write(`${line}\n`) } : {}),
      ...(workspace === undefined || workspace === 'default' ? {} : { workspace }),
    });
    await work(client);
  } catch (error) {
    if (!(error instanceof KongError)) throw error;
    throw new CliError(error.message, {
      cause: error,
      ...(error.code === 'WG_KONG_UNREACHABLE'
        ? { hint: `is a Kong Admin API running at ${url}? --kong-addr says where` }
        : {}),
    });
  } finally {
    await client?.close();
  }
}
