import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printYaml } from '@waygate/text';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-context-'));
  await writeFile(join(directory, 'token'), 'from-file\n');
});
afterAll(() => rm(directory, { recursive: true }));

async function load(user: object, cluster: object = {}, context: object = {}) {
  const kubeconfig = join(directory, 'config');
  const text = printYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server: 'https://a.test', ...cluster } }],
    users: [{ name: 'a', user }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a', ...context } }],
  });
  await writeFile(kubeconfig, text);
  return loadConfig({ kubeconfig });
}

// Who says who one is, when several do: as kubectl takes them.
it.each<[string, object, object]>([
  ['a file before a token', { tokenFile: 'FILE', token: 't' }, { token: 'from-file' }],
  ['a token before a password', { token: 't', username: 'u', password: 'p' }, { token: 't' }],
  ['an empty file is none', { tokenFile: '', token: 't' }, { token: 't' }],
  [
    'an empty token is none',
    { token: '', username: 'u', password: 'p' },
    { basic: { username: 'u', password: 'p' } },
  ],
  ['a user without a password', { username: 'u' }, { basic: { username: 'u', password: '' } }],
  ['an empty user is none', { username: '', password: 'p' }, {}],
  ['nobody', {}, {}],
])('%s', async (_what, user, expected) => {
  const filled = Object.fromEntries(
    Object.entries(user).map(([key, value]) => [
      key,
      value === 'FILE' ? join(directory, 'token') : value,
    ]),
  );
  const { credentials } = await load(filled);
  expect((await credentials?.get()) ?? {}).toEqual(expected);
});

it.each<[string, object, RegExp]>([
  [
    'two ways at once',
    {
      exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1' },
      'auth-provider': { name: 'oidc' },
    },
    /both exec and auth-provider/,
  ],
  [
    'no command',
    { exec: { apiVersion: 'client.authentication.k8s.io/v1' } },
    /exec of the user "a" has no command/,
  ],
  ['an empty command', { exec: { command: '' } }, /has no command/],
  ['a command that is no text', { exec: { command: 3 } }, /has no command/],
])('%s is refused', async (_what, user, message) => {
  await expect(load(user)).rejects.toThrow(message);
});

it('reads certificates, keys and what else a cluster and a context say', async () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const user = { 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') };
  const cluster = {
    'certificate-authority-data': base64('ca'),
    'tls-server-name': 'api.internal',
    'proxy-url': 'http://proxy.test',
    'disable-compression': true,
  };
  expect(await load(user, cluster, { namespace: 'shop' })).toMatchObject({
    namespace: 'shop',
    proxyUrl: 'http://proxy.test',
    disableCompression: true,
    tls: {
      caData: 'ca',
      certificateData: 'cert',
      keyData: 'key',
      serverName: 'api.internal',
      insecureSkipTlsVerify: false,
    },
  });
  const bare = await load({}, { 'insecure-skip-tls-verify': true }, { namespace: '' });
  expect(bare).toMatchObject({
    namespace: 'default',
    tls: { caData: undefined, insecureSkipTlsVerify: true },
  });
});

it.each([[{ 'certificate-authority-data': 'eA==' }], [{ 'certificate-authority': 'ca.pem' }]])(
  'a cluster that is verified by %j and not verified is refused',
  async (authority) => {
    await expect(load({}, { 'insecure-skip-tls-verify': true, ...authority })).rejects.toThrow(
      'skips verification',
    );
    const { tls } = await load(
      {},
      { 'insecure-skip-tls-verify': true, 'certificate-authority': '' },
    );
    expect(tls?.insecureSkipTlsVerify).toBe(true);
  },
);
