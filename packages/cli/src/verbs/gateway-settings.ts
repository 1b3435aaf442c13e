import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseDeckYaml } from '@waygate/kong';
import { isObject } from '@waygate/text';
import { type CliContext, CliError } from '../context.ts';
import type { ConnectionOptions } from './gateway-connection.ts';
import { collectHeaders, positiveInteger, wholeNumber } from './gateway-option-values.ts';

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
  'kongCookieJarPath',
  'skipWorkspaceCrud',
  'verbose',
] as const satisfies readonly (keyof ConnectionOptions)[];

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A value of the environment or of the file as the option has it. */
function typed(name: (typeof settable)[number], value: unknown): unknown {
  if (name === 'tlsSkipVerify' || name === 'skipWorkspaceCrud')
    return value === true || /^(1|t|true)$/i.test(String(value));
  if (name === 'timeout') return positiveInteger(String(value));
  if (name === 'verbose') return wholeNumber(String(value));
  if (name !== 'headers') return String(value);
  return Array.isArray(value) ? value.map(String) : collectHeaders(String(value));
}

/** Where the file is looked for when none is named, in the home directory. */
const defaultFiles = ['.deck.yaml', '.deck.yml', '.deck.json'];

async function readConfigFile(
  options: ConnectionOptions,
  context: CliContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { HOME: home } = context.env;
  const paths =
    options.config !== undefined
      ? [resolve(context.cwd, options.config)]
      : home === undefined
        ? []
        : defaultFiles.map((name) => join(home, name));
  for (const path of paths) {
    let content: string;
    try {
      content = await readFile(path, 'utf8');
    } catch (cause) {
      if (options.config === undefined) continue;
      throw new CliError(`cannot read ${options.config}: ${(cause as Error).message}`, { cause });
    }
    const parsed = parseDeckYaml(content);
    if (!parsed.isValid) throw new CliError(`${path}: ${parsed.message}`);
    const { value } = parsed;
    return isObject(value) ? (value as Readonly<Record<string, unknown>>) : {};
  }
  return {};
}

/** The options with what the environment and the configuration file say on those not given. */
export async function settledOptions(
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
