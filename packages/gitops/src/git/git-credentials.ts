import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecretData } from '../api/secret-data.ts';
import { GitOpsError } from '../gitops-error.ts';
import { proxyUrlOf } from '../http/proxy-secret.ts';
import type { GitCall } from './git-program.ts';
import { askingScript, hasShell, printingScript, wrapperScript } from './shell-less.ts';

/** Which algorithms of SSH are used, the best first; where none are named, those that `ssh` likes. */
export interface SshAlgorithms {
  readonly keyExchange?: readonly string[] | undefined;
  readonly hostKey?: readonly string[] | undefined;
}

/** What goes with every call of git on one repository. Dispose of it: keys lie on disk meanwhile. */
interface GitAccess extends AsyncDisposable {
  readonly call: Pick<GitCall, 'settings' | 'environment'>;
}

/**
 * Turns a Secret into what git needs: a helper or a header for https, files and a command for ssh. Keys are on
 * disk, for this user alone, only while they are in use.
 *
 * @throws GitOpsError `WG_GITOPS_AUTH` when the Secret lacks what its use needs
 */
export async function gitAccess(
  url: string,
  secret: SecretData | undefined,
  proxy?: SecretData | undefined,
  algorithms?: SshAlgorithms,
): Promise<GitAccess> {
  const directory = await mkdtemp(join(tmpdir(), 'waygate-git-'));
  const dispose = () => rm(directory, { recursive: true, force: true });
  try {
    const call = url.startsWith('ssh://')
      ? await sshCall(url, secret, directory, algorithms)
      : await httpCall(url, secret, directory);
    const settings = [...(call.settings ?? []), ...proxySettings(proxy)];
    return { call: { ...call, settings }, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function proxySettings(proxy: SecretData | undefined): [string, string][] {
  const url = proxyUrlOf(proxy);
  return url === undefined ? [] : [['http.proxy', url.href]];
}

async function httpCall(url: string, secret: SecretData | undefined, directory: string) {
  const settings: [string, string][] = [];
  const environment: Record<string, string> = {};
  const file = async (name: string, content: string) => {
    const path = join(directory, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  if (secret !== undefined && !url.startsWith('file://')) {
    const { username, password, bearerToken } = secret;
    // Both are for this server alone: neither a submodule elsewhere nor a redirect may carry them off.
    const { origin } = new URL(url);
    if (bearerToken !== undefined && bearerToken !== '') {
      const header = `Authorization: Bearer ${oneLine(bearerToken, 'bearerToken')}`;
      settings.push([`http.${origin}/.extraHeader`, header]);
      // After a redirect git would send the header to whatever server it was led to.
      settings.push([`http.${origin}/.followRedirects`, 'false']);
    } else if (username !== undefined || password !== undefined) {
      if (username === undefined) {
        throw invalid("invalid 'http' auth option: 'password' requires 'username' to be set");
      }
      if (password === undefined) {
        throw invalid("invalid 'http' auth option: 'username' requires 'password' to be set");
      }
      const lines = [
        `username=${oneLine(username, 'username')}`,
        `password=${oneLine(password, 'password')}`,
      ];
      const path = await file('credentials', `${lines.join('\n')}\n`);
      if (hasShell) {
        const helper = `!f() { if test "$1" = get; then cat '${path}'; fi; }; f`;
        settings.push([`credential.${origin}.helper`, helper]);
      } else {
        environment.GIT_ASKPASS = join(directory, 'ask');
        await writeFile(environment.GIT_ASKPASS, askingScript(path, origin), { mode: 0o700 });
      }
    }
    const authority = secret['ca.crt'] ?? secret.caFile;
    if (authority !== undefined) settings.push(['http.sslCAInfo', await file('ca', authority)]);
    const certificate = secret['tls.crt'] ?? secret.certFile;
    const key = secret['tls.key'] ?? secret.keyFile;
    if (certificate !== undefined && key !== undefined) {
      settings.push(['http.sslCert', await file('certificate', certificate)]);
      settings.push(['http.sslKey', await file('key', key)]);
    }
  }
  return { settings, environment };
}

async function sshCall(
  url: string,
  secret: SecretData | undefined,
  directory: string,
  { keyExchange = [], hostKey = [] }: SshAlgorithms = {},
) {
  const { identity, known_hosts: knownHosts, password } = secret ?? {};
  if (identity === undefined || identity === '') throw required('identity');
  if (knownHosts === undefined || knownHosts === '') throw required('known_hosts');
  const keyFile = join(directory, 'identity');
  const hostsFile = join(directory, 'known_hosts');
  await writeFile(keyFile, identity.endsWith('\n') ? identity : `${identity}\n`, { mode: 0o600 });
  await writeFile(hostsFile, knownHosts, { mode: 0o600 });
  const options = [
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${hostsFile}`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    'PasswordAuthentication=no',
    'KbdInteractiveAuthentication=no',
    'ForwardAgent=no',
    'ConnectTimeout=30',
    ...(keyExchange.length === 0 ? [] : [`KexAlgorithms=${keyExchange.join(',')}`]),
    ...(hostKey.length === 0 ? [] : [`HostKeyAlgorithms=${hostKey.join(',')}`]),
    ...(password === undefined ? ['BatchMode=yes'] : []),
    ...(new URL(url).username === '' ? ['User=git'] : []),
  ];
  const words = ['-F', '/dev/null', '-i', keyFile, ...options.flatMap((one) => ['-o', one])];
  const environment: Record<string, string> = { GIT_SSH_VARIANT: 'ssh' };
  if (hasShell) environment.GIT_SSH_COMMAND = ['ssh', ...words].join(' ');
  else {
    environment.GIT_SSH = join(directory, 'ssh');
    await writeFile(environment.GIT_SSH, wrapperScript('ssh', words), { mode: 0o700 });
  }
  if (password !== undefined) {
    const askFile = join(directory, 'ask');
    const secretFile = join(directory, 'passphrase');
    await writeFile(secretFile, password, { mode: 0o600 });
    await writeFile(askFile, printingScript(secretFile), { mode: 0o700 });
    environment.SSH_ASKPASS = askFile;
    environment.SSH_ASKPASS_REQUIRE = 'force';
    environment.DISPLAY = ':0';
  }
  return { environment, settings: [] };
}

function oneLine(text: string, key: string): string {
  if (/[\r\n\0]/.test(text)) {
    throw new GitOpsError('WG_GITOPS_AUTH', `the '${key}' of the Secret has a line break in it`);
  }
  return text;
}

function required(key: string): GitOpsError {
  return invalid(`invalid 'ssh' auth option: '${key}' is required`);
}

function invalid(why: string): GitOpsError {
  return new GitOpsError('WG_GITOPS_AUTH', `failed to configure authentication options: ${why}`);
}
