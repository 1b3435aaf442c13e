import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gitAccess } from './git-credentials.ts';

const url = 'https://git.example:8443/r.git';

async function settingsOf(secret: Record<string, string> | undefined, at = url, proxy?: object) {
  await using access = await gitAccess(at, secret, proxy as never);
  const { settings = [] } = access.call;
  return settings.map(([name, value]) => {
    if (!value.startsWith('/')) return [name, value];
    expect(statSync(value).mode & 0o777).toBe(0o600);
    return [name, `file: ${readFileSync(value, 'utf8')}`];
  });
}

describe('over https', () => {
  const origin = 'http.https://git.example:8443/';

  test.each([
    ['nothing', undefined, []],
    ['an empty Secret', {}, []],
    [
      'a token goes to this server only, and follows nobody elsewhere',
      { bearerToken: 't', username: 'u', password: 'p' },
      [
        [`${origin}.extraHeader`, 'Authorization: Bearer t'],
        [`${origin}.followRedirects`, 'false'],
      ],
    ],
    ['an authority', { 'ca.crt': 'A', caFile: 'B' }, [['http.sslCAInfo', 'file: A']]],
    ['an authority by its older name', { caFile: 'B' }, [['http.sslCAInfo', 'file: B']]],
    [
      'a certificate',
      { 'tls.crt': 'C', 'tls.key': 'K', certFile: 'x', keyFile: 'y' },
      [
        ['http.sslCert', 'file: C'],
        ['http.sslKey', 'file: K'],
      ],
    ],
    [
      'a certificate by its older names',
      { certFile: 'C', keyFile: 'K' },
      [
        ['http.sslCert', 'file: C'],
        ['http.sslKey', 'file: K'],
      ],
    ],
    ['a certificate without its key', { 'tls.crt': 'C' }, []],
    ['a key without its certificate', { 'tls.key': 'K' }, []],
  ])('%s', async (_name, secret, wanted) => {
    expect(await settingsOf(secret as Record<string, string> | undefined)).toEqual(wanted);
  });

  test('a name and a password are in a file that a helper of this server prints', async () => {
    const access = await gitAccess(url, { username: 'u', password: 'p', bearerToken: '' });
    const [[name, helper] = ['', '']] = access.call.settings ?? [];
    expect(name).toBe('credential.https://git.example:8443.helper');
    const [, path = ''] = /cat '([^']+)'/.exec(helper) ?? [];
    expect(readFileSync(path, 'utf8')).toBe('username=u\npassword=p\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await access[Symbol.asyncDispose]();
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    [{ username: 'u' }, "'username' requires 'password' to be set"],
    [{ password: 'p' }, "'password' requires 'username' to be set"],
    [{ username: 'u\n', password: 'p' }, "the 'username' of the Secret has a line break in it"],
    [{ username: 'u', password: 'p\r' }, "the 'password' of the Secret has a line break in it"],
    [{ bearerToken: 't\0' }, "the 'bearerToken' of the Secret has a line break in it"],
  ])('%j is refused', async (secret, message) => {
    await expect(gitAccess(url, secret as never)).rejects.toThrow(message);
  });

  test('a directory of this machine needs none of it', async () => {
    expect(await settingsOf({ username: 'u' }, 'file:///srv/r')).toEqual([]);
  });

  test('a proxy is named behind all else', async () => {
    const proxy = { address: 'http://proxy:3128', username: 'm', password: 's' };
    const settings = await settingsOf({ caFile: 'B' }, url, proxy);
    expect(settings.at(-1)).toEqual(['http.proxy', 'http://m:s@proxy:3128/']);
    expect(settings).toHaveLength(2);
    await expect(gitAccess(url, undefined, {})).rejects.toThrow("key 'address' is missing");
  });
});

describe('over ssh', () => {
  const secret = { identity: 'KEY', known_hosts: 'HOSTS' };

  async function ssh(at: string, more: Record<string, string> = {}) {
    await using access = await gitAccess(at, { ...secret, ...more });
    const { environment = {}, settings } = access.call;
    const command = environment.GIT_SSH_COMMAND ?? '';
    const fileOf = (pattern: RegExp) => {
      const path = pattern.exec(command)?.[1] ?? '';
      expect(statSync(path).mode & 0o777).toBe(0o600);
      return readFileSync(path, 'utf8');
    };
    const { SSH_ASKPASS: ask } = environment;
    return {
      command,
      environment,
      settings,
      key: fileOf(/ -i (\S+)/),
      hosts: fileOf(/UserKnownHostsFile=(\S+)/),
      ask: ask === undefined ? undefined : readFileSync(ask, 'utf8'),
      askMode: ask === undefined ? undefined : statSync(ask).mode & 0o777,
    };
  }

  test('the key and the hosts are files, and nothing else of this user counts', async () => {
    const found = await ssh('ssh://me@git.example/r');
    expect(found.key).toBe('KEY\n');
    expect(found.hosts).toBe('HOSTS');
    expect(found.command).toMatch(/^ssh -F \/dev\/null -i \S+ -o IdentitiesOnly=yes -o Strict/);
    expect(found.command).toContain('-o BatchMode=yes');
    expect(found.command).not.toContain('User=git');
    expect(found.environment.GIT_SSH_VARIANT).toBe('ssh');
    expect(found.settings).toEqual([]);
    expect(found.ask).toBeUndefined();
    expect((await ssh('ssh://git.example/r')).command).toContain('-o User=git');
    expect((await ssh('ssh://git.example/r', { identity: 'KEY\n' })).key).toBe('KEY\n');
  });

  test('the words that open a key are printed by a script when ssh asks', async () => {
    const found = await ssh('ssh://git.example/r', { password: 'words' });
    expect(found.command).not.toContain('BatchMode');
    expect(found.ask).toContain('passphrase');
    expect(found.ask).not.toContain('words');
    expect(found.askMode).toBe(0o700);
    expect(found.environment).toMatchObject({ SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' });
  });

  test.each([
    [undefined, 'identity'],
    [{ identity: '', known_hosts: 'x' }, 'identity'],
    [{ identity: 'x' }, 'known_hosts'],
    [{ identity: 'x', known_hosts: '' }, 'known_hosts'],
  ])('%j lacks something', async (data, key) => {
    await expect(gitAccess('ssh://git.example/r', data as never)).rejects.toThrow(
      `failed to configure authentication options: invalid 'ssh' auth option: '${key}' is required`,
    );
  });
});
