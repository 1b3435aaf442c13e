import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AdminClient, type AdminTls, KongError } from '@waygate/kong';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { adminBeside, chosenAdmin } from '../up/admin-address.ts';
import { cookieHeader } from './gateway-cookie-jar.ts';
import { collectHeaders, positiveInteger, wholeNumber } from './gateway-option-values.ts';
import { refuseOthers } from './gateway-refused.ts';
import { settledOptions } from './gateway-settings.ts';

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
  readonly kongCookieJarPath?: string;
  /** Of verbs that look into a cluster, too: the Admin API of a `waygate up` is known beside it. */
  readonly kubeconfig?: string;
  /** No flag: set by verbs that ask whether a Kong is there, and want to know at once. */
  readonly retries?: number;
}

export function connectionOptions(command: Command): Command {
  return refuseOthers(command)
    .option(
      '--kong-addr <url>',
      'where the Admin API is (default: that of the waygate up whose kubeconfig KUBECONFIG names, or http://localhost:8001)',
    )
    .option('--headers <key:value>', 'a header for every request; may be repeated', collectHeaders)
    .option('--kong-admin-token <token>', 'the value of the Kong-Admin-Token header')
    .option('--kong-cookie-jar-path <file>', 'a cookie file, of a session with the Admin API')
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

async function headersOf(
  options: ConnectionOptions,
  { url, token }: { readonly url: string; readonly token?: string },
  context: CliContext,
): Promise<Readonly<Record<string, string>>> {
  const headers: Record<string, string> = {};
  if (token !== undefined) headers['kong-admin-token'] = token;
  for (const header of options.headers ?? []) {
    const colon = header.indexOf(':');
    if (colon < 1) throw new CliError('--headers wants key:value', { exitCode: 64 });
    headers[header.slice(0, colon).trim().toLowerCase()] = header.slice(colon + 1).trim();
  }
  if (options.kongAdminToken !== undefined) headers['kong-admin-token'] = options.kongAdminToken;
  const jar = await textOrFile(undefined, options.kongCookieJarPath, context);
  const cookies = jar === undefined ? '' : cookieHeader(jar, url, Date.now());
  if (cookies !== '') headers.cookie = cookies;
  return headers;
}

/** Runs a verb with a client, closes it, and turns errors of the Admin API into ones for people. */
export async function withClient(
  given: ConnectionOptions,
  context: CliContext,
  work: (client: AdminClient, settled: ConnectionOptions) => Promise<void>,
  workspace = given.workspace,
): Promise<void> {
  const options = await settledOptions(given, context);
  const chosen = chosenAdmin(options.kongAddr, adminBeside(options.kubeconfig, context));
  const { url } = chosen;
  const isVerbose = (options.verbose ?? 0) > 0;
  let client: AdminClient | undefined;
  try {
    client = new AdminClient({
      url,
      headers: await headersOf(options, chosen, context),
      tls: await tlsOf(options, context),
      timeoutMs: (options.timeout ?? 30) * 1000,
      connections: Math.max(options.parallelism, 16),
      ...(options.retries === undefined ? {} : { retries: options.retries }),
      ...(isVerbose ? { onAnswer: (line) => void context.stderr.write(`${line}\n`) } : {}),
      ...(workspace === undefined || workspace === 'default' ? {} : { workspace }),
    });
    await work(client, options);
  } catch (error) {
    if (!(error instanceof KongError)) throw error;
    throw new CliError(error.message, {
      cause: error,
      ...hintFor(error, url),
    });
  } finally {
    await client?.close();
  }
}

/**
 * The same for a verb that can do without a gateway: it gets one when an address was given, or when that of
 * a `waygate up` lies beside the kubeconfig.
 */
export async function withChosenGateway(
  given: ConnectionOptions,
  context: CliContext,
  isSkipped: boolean,
  work: (client: AdminClient | undefined) => Promise<void>,
): Promise<void> {
  const { kongAddr, kubeconfig } = await settledOptions(given, context);
  const isNamed = kongAddr !== undefined || adminBeside(kubeconfig, context) !== undefined;
  if (isSkipped || !isNamed) await work(undefined);
  else await withClient(given, context, work);
}

function hintFor({ code, status }: KongError, url: string): { readonly hint?: string } {
  if (code === 'WG_KONG_UNREACHABLE')
    return {
      hint: `is a Kong Admin API running at ${url}? --kong-addr says where; waygate up DIR runs one here`,
    };
  if (status !== 401) return {};
  return {
    hint: 'For a waygate up, set KUBECONFIG to the file it printed: the token lies beside it. Else give --kong-admin-token or --headers.',
  };
}
