import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AdminClient, type AdminTls, KongError } from '@waygate/kong';
import { type Command, InvalidArgumentError } from 'commander';
import { type CliContext, CliError } from '../context.ts';

/** Options of every verb that talks to a Kong, with decK's names. */
export interface ConnectionOptions {
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
  readonly timeout: number;
  readonly parallelism: number;
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('must be 1 or more');
  return value;
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function connectionOptions(command: Command): Command {
  return command
    .option('--kong-addr <url>', 'where the Admin API is; DECK_KONG_ADDR, or http://localhost:8001')
    .option('--headers <key:value>', 'a header for every request; may be repeated', collect)
    .option('--kong-admin-token <token>', 'the value of the Kong-Admin-Token header')
    .option('-w, --workspace <name>', 'the workspace (Kong Enterprise)')
    .option('--tls-skip-verify', 'take any certificate of the server')
    .option('--tls-server-name <name>', 'the name to expect in the server certificate')
    .option('--ca-cert <pem>', 'certificates to trust, as text')
    .option('--ca-cert-file <file>', 'certificates to trust')
    .option('--tls-client-cert <pem>', 'the client certificate, as text')
    .option('--tls-client-cert-file <file>', 'the client certificate')
    .option('--tls-client-key <pem>', 'the key of the client certificate, as text')
    .option('--tls-client-key-file <file>', 'the key of the client certificate')
    .option('--timeout <seconds>', 'how long to wait for an answer', positiveInteger, 30)
    .option('--parallelism <number>', 'how many requests at a time', positiveInteger, 10);
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
  options: ConnectionOptions,
  context: CliContext,
  work: (client: AdminClient) => Promise<void>,
  workspace = options.workspace,
): Promise<void> {
  const url = options.kongAddr ?? context.env.DECK_KONG_ADDR ?? 'http://localhost:8001';
  let client: AdminClient | undefined;
  try {
    client = new AdminClient({
      url,
      headers: headersOf(options),
      tls: await tlsOf(options, context),
      timeoutMs: options.timeout * 1000,
      connections: Math.max(options.parallelism, 16),
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
