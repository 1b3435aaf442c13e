import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../context.ts';
import { runProgram } from '../run-program.ts';
import { type CreatedObject, type CreateInput, refused } from './created-object.ts';
import type { FluxFlag } from './flux-flags.ts';
import { generatedKeyPair, givenKeyPair, type SshKeyPair } from './ssh-key.ts';

/** What says which key a deploy key is. */
export const sshKeyFlags: readonly FluxFlag[] = [
  {
    name: 'ssh-key-algorithm',
    summary: 'of a deploy key that is made',
    choices: ['rsa', 'ecdsa', 'ed25519'],
    default: 'ecdsa',
  },
  { name: 'ssh-rsa-bits', summary: 'the size of an RSA key', default: '2048' },
  {
    name: 'ssh-ecdsa-curve',
    summary: 'the curve of an ECDSA key',
    choices: ['p256', 'p384', 'p521'],
    default: 'p384',
  },
  { name: 'private-key-file', summary: 'a private key that is there already' },
];

/** A Secret of a type; `undefined` is one without, as flux writes those for Git. */
export function basicSecret(
  { name, namespace, labels }: Pick<CreateInput, 'name' | 'namespace' | 'labels'>,
  type: string | undefined,
  data: Readonly<Record<string, string | undefined>>,
  annotations?: Readonly<Record<string, string>>,
): CreatedObject {
  const kept = Object.entries(data).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      ...(annotations === undefined ? {} : { annotations }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    },
    ...(kept.length === 0 ? {} : { stringData: Object.fromEntries(kept) }),
    ...(type === undefined ? {} : { type }),
  };
}

/** A file that a flag names, as text. */
export function fileOf(
  { values, context }: CreateInput,
  flag: string,
  problem: string,
): string | undefined {
  const path = values.text(flag);
  if (path === undefined) return undefined;
  try {
    return readFileSync(resolve(context.cwd, path), 'utf8');
  } catch (cause) {
    throw new CliError(`${problem}: ${(cause as Error).message}`, { cause });
  }
}

/** The credentials of a Git repository, and what to say of them; undefined when there are none. */
export async function gitSecret(
  input: CreateInput,
  scheme: string,
  authorityFlag: string,
): Promise<{ secret: CreatedObject; notes: readonly string[] } | undefined> {
  if (scheme === 'ssh') return sshSecret(input);
  const { values } = input;
  const username = values.text('username');
  const password = values.text('password');
  const isBoth = username !== undefined && password !== undefined;
  const data = {
    username: isBoth ? username : undefined,
    password: isBoth ? password : undefined,
    bearerToken: values.text('bearer-token'),
    'ca.crt':
      scheme === 'http' && authorityFlag === 'ca-file'
        ? undefined
        : fileOf(input, authorityFlag, 'unable to read TLS CA file'),
  };
  if (Object.values(data).every((each) => each === undefined)) return undefined;
  return { secret: basicSecret(input, undefined, data), notes: [] };
}

async function sshSecret(input: CreateInput) {
  const { values } = input;
  const password = values.text('password');
  const url = values.text('url') ?? '';
  const pair = await keyPair(input, password);
  const knownHosts = await hostKeys(url, input);
  const secret = basicSecret(input, undefined, {
    identity: pair.privateKey,
    'identity.pub': pair.publicKey,
    known_hosts: knownHosts,
    password,
  });
  return {
    secret,
    notes: [
      `✔ collected public key from SSH server:\n${knownHosts}`,
      `✚ deploy key: ${pair.publicKey}`,
    ],
  };
}

function keyPair(input: CreateInput, password: string | undefined): SshKeyPair {
  const { values } = input;
  const given = fileOf(input, 'private-key-file', 'failed to open private key file');
  if (given !== undefined) return givenKeyPair(given, password);
  const bits = Number(values.text('ssh-rsa-bits'));
  if (!Number.isInteger(bits) || bits < 1024 || bits % 8 !== 0) {
    throw refused('RSA key bit size must be a multiple of 8, and 1024 at least');
  }
  return generatedKeyPair(values.text('ssh-key-algorithm') ?? '', {
    bits,
    curve: values.text('ssh-ecdsa-curve') ?? '',
  });
}

/** What the host's server shows as its keys, in the form of a known_hosts file. */
async function hostKeys(url: string, { context }: CreateInput): Promise<string> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const host = parsed?.hostname ?? '';
  const args = [...(parsed?.port ? ['-p', parsed.port] : []), '-T', '30', host];
  const shown = `${host}:${parsed?.port || '22'}`;
  if (host === '' || host.startsWith('-')) throw refused(`there is no host in ${url}`);
  const limits = { timeoutMs: 35_000, maxOutputBytes: 1024 * 1024 };
  const outcome = await runProgram('ssh-keyscan', args, context, limits, context.signal);
  const lines = outcome.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length > 0) return lines.join('\n');
  throw new CliError(`SSH key scan for host ${shown} failed`, {
    hint: `ssh-keyscan ${args.join(' ')} said: ${outcome.stderr.trim() || 'nothing'}`,
  });
}
