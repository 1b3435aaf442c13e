import { randomBytes } from 'node:crypto';
import { open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { isObject, parseYaml, setYamlText } from '@waygate/text';
import { KubeError } from '../error.ts';
import { maxKubeconfigBytes } from './kubeconfig.ts';
import type { OidcTokens } from './oidc-credentials.ts';

/**
 * Writes new tokens of an OIDC user to the kubeconfig that they came from, as kubectl does: a refresh
 * token may be good only once, and without this the next program would have to log in again. The rest
 * of the file stays as it is, and nobody sees half of it.
 *
 * @param files in the order in which they count: the first that has the user is written
 * @throws KubeError `WG_KUBE_CONFIG`, without the tokens in its message
 */
export async function writeOidcTokens(
  files: readonly string[],
  user: string,
  tokens: OidcTokens,
): Promise<void> {
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined || placeOf(text, file, user) < 0) continue;
    // A link stays a link: what it leads to is replaced.
    await inLock(await realpath(file), (path) => rewrite(path, user, tokens));
    return;
  }
  throw problem(`no kubeconfig has the user "${user}" any more`);
}

async function rewrite(path: string, user: string, tokens: OidcTokens): Promise<void> {
  // Read again inside of the lock: somebody else may have been quicker.
  let text = await readFile(path, 'utf8');
  const place = placeOf(text, path, user);
  if (place < 0) throw problem(`${path} no longer has the user "${user}"`);
  const config = ['users', place, 'user', 'auth-provider', 'config'];
  const options = { name: path, maxBytes: maxKubeconfigBytes, duplicateKeys: 'last' } as const;
  text = setYamlText(text, [...config, 'id-token'], tokens.idToken, options);
  if (tokens.refreshToken !== undefined)
    text = setYamlText(text, [...config, 'refresh-token'], tokens.refreshToken, options);
  await replace(path, text);
}

/** The place of a user in its list, or -1. */
function placeOf(text: string, name: string, user: string): number {
  const value = parseYaml(text, { name, maxBytes: maxKubeconfigBytes, duplicateKeys: 'last' });
  if (!isObject(value) || !Array.isArray(value.users)) return -1;
  return value.users.findIndex((entry) => isObject(entry) && entry.name === user);
}

/** kubectl's own lock, so that the two never write at the same time. */
async function inLock(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const lock = `${path}.lock`;
  try {
    await (await open(lock, 'wx', 0o600)).close();
  } catch (cause) {
    throw problem(`${lock} cannot be made: another program is writing, or left it behind`, cause);
  }
  try {
    await write(path);
  } finally {
    await rm(lock, { force: true });
  }
}

async function replace(path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(fresh, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

function problem(message: string, cause?: unknown): KubeError {
  return new KubeError('WG_KUBE_CONFIG', `OIDC tokens were not kept: ${message}`, { cause });
}
