import { readFileSync } from 'node:fs';
import { AdminClient, type AdminTls } from '@waygate/kong';
import { CliError } from '../context.ts';

/** Makes a client for each Admin API that the flags name, with its credentials. */
export function adminClients(value: (flag: string) => string): AdminClient[] {
  const urls = listOf(value('kong-admin-url'));
  if (urls.length === 0) throw new CliError('--kong-admin-url names no Admin API');
  const connect = adminConnector(value);
  return urls.map((url) => connect({ url: url.replace(/\/$/, '') }));
}

/** How an Admin API is spoken to; the name in its certificate is the user's to say, else its own. */
export function adminConnector(
  value: (flag: string) => string,
): (address: { readonly url: string; readonly tlsServerName?: string }) => AdminClient {
  const headers = Object.fromEntries(listOf(value('kong-admin-header')).map(parseHeader));
  const token = textOrFile(value, 'kong-admin-token');
  if (token !== '') headers['Kong-Admin-Token'] = token;
  const workspace = value('kong-workspace');
  const tls = tlsOf(value);
  const timeoutMs = Number(value('proxy-timeout-seconds')) * 1_000;
  return ({ url, tlsServerName }) =>
    new AdminClient({
      url,
      headers,
      timeoutMs,
      tls: tlsServerName === undefined ? tls : { serverName: tlsServerName, ...tls },
      ...(workspace === '' ? {} : { workspace }),
    });
}

function tlsOf(value: (flag: string) => string): AdminTls {
  const ca = textOrFile(value, 'kong-admin-ca-cert');
  const certificate = textOrFile(value, 'kong-admin-tls-client-cert');
  const key = textOrFile(value, 'kong-admin-tls-client-key');
  const serverName = value('kong-admin-tls-server-name');
  return {
    isUnverified: value('kong-admin-tls-skip-verify') === 'true',
    ...(ca === '' ? {} : { ca }),
    ...(serverName === '' ? {} : { serverName }),
    ...(certificate === '' ? {} : { certificate }),
    ...(key === '' ? {} : { key }),
  };
}

function textOrFile(value: (flag: string) => string, flag: string): string {
  const file = value(`${flag}-file`);
  if (value(flag) !== '' || file === '') return value(flag);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CliError(`--${flag}-file: ${(error as Error).message}`, { cause: error });
  }
}

function parseHeader(text: string): [string, string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new CliError('--kong-admin-header must be Name:value', { exitCode: 64 });
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
