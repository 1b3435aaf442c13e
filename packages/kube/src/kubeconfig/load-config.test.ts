import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { printYaml } from '@waygate/text';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { impersonationHeaders } from '../config/connection-config.ts';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';
import { loadConfig } from './load-config.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-kubeconfig-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

async function file(name: string, content: unknown): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, typeof content === 'string' ? content : printYaml(content));
  return path;
}

const config = (name: string, user: object = { token: `token-${name}` }, cluster: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': name,
  clusters: [{ name, cluster: { server: `https://${name}.example.com`, ...cluster } }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name, namespace: `ns-${name}` } }],
});

describe('loadConfig', () => {
  it('merges the files of KUBECONFIG, the first to say something wins', async () => {
    const a = await file('a', config('a'));
    const b = await file('b', {
      ...config('b'),
      clusters: [
        { name: 'a', cluster: { server: 'https://other' } },
        { name: 'b', cluster: { server: 'https://b' } },
      ],
    });
    const environment = { KUBECONFIG: [a, join(directory, 'missing'), '', b].join(delimiter) };
    expect(await loadConfig({ environment })).toMatchObject({
      server: 'https://a.example.com',
      namespace: 'ns-a',
    });
    const other = await loadConfig({ environment, context: 'b', namespace: 'mine' });
    expect(other).toMatchObject({ server: 'https://b', namespace: 'mine' });
    expect(await other.credentials?.get()).toEqual({ token: 'token-b' });
  });

  it.each([
    ['nothing', {}, true],
    ['users only', { users: [{ name: 'a', user: { token: 't' } }] }, true],
    ['a current context', { 'current-context': 'a' }, false],
    ['clusters', { clusters: [{ name: 'a', cluster: { server: 'https://a' } }] }, false],
    ['contexts', { contexts: [{ name: 'a', context: { cluster: 'a' } }] }, false],
  ])('with %s in it, a file leaves room for the Pod’s own: %#', async (_what, content, isLeft) => {
    const KUBECONFIG = await file('some', { apiVersion: 'v1', kind: 'Config', ...content });
    await file('token', 'of-the-pod');
    const loaded = loadConfig({
      environment: {
        KUBECONFIG,
        KUBERNETES_SERVICE_HOST: '10.0.0.1',
        KUBERNETES_SERVICE_PORT: '443',
      },
      serviceAccountDirectory: directory,
    }).then(
      ({ server }) => server,
      () => 'refused',
    );
    expect(await loaded).toBe(isLeft ? 'https://10.0.0.1:443' : 'refused');
  });

  it('reads ~/.kube/config, and a file that is named', async () => {
    const named = await file('named', config('named'));
    await expect(loadConfig({ environment: {}, home: directory })).rejects.toThrow(
      /no cluster is configured/,
    );
    expect((await loadConfig({ kubeconfig: named })).server).toBe('https://named.example.com');
    await expect(loadConfig({ kubeconfig: join(directory, 'nope') })).rejects.toThrow(
      /cannot read/,
    );
  });

  it('knows the Pod that it runs in, and rereads its token when that is refused', async () => {
    await file('token', 'one\n');
    await file('namespace', 'shop');
    await file('ca.crt', 'CA');
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const loaded = await loadConfig({
      environment,
      home: '/nonexistent',
      serviceAccountDirectory: directory,
    });
    expect(loaded).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'shop' });
    expect(await loaded.credentials?.get()).toEqual({ token: 'one' });
    await file('token', 'two\n');
    expect(await loaded.credentials?.get()).toEqual({ token: 'one' });
    expect(await loaded.credentials?.refresh?.({ token: 'one' })).toBe(true);
    expect(await loaded.credentials?.get()).toEqual({ token: 'two' });
    expect(await loaded.credentials?.refresh?.({ token: 'two' })).toBe(false);
  });

  it('resolves paths beside the file', async () => {
    const path = await file(
      'paths',
      config(
        'p',
        { 'client-certificate': 'c.pem', 'client-key': '/k.pem' },
        { 'certificate-authority': 'ca/ca.pem' },
      ),
    );
    expect((await loadConfig({ kubeconfig: path })).tls).toMatchObject({
      caFile: join(directory, 'ca/ca.pem'),
      certificateFile: join(directory, 'c.pem'),
      keyFile: '/k.pem',
    });
  });

  it('reads impersonation, basic, tokenFile, proxy and TLS settings', async () => {
    const user = {
      as: 'jane',
      'as-uid': '7',
      'as-groups': ['g1', 'g2'],
      'as-user-extra': { 'acme.com/Scope': ['x'] },
      username: 'u',
      password: 'p',
    };
    const cluster = {
      'proxy-url': 'socks5://h:1',
      'tls-server-name': 'api',
      'insecure-skip-tls-verify': true,
      'disable-compression': true,
    };
    const loaded = await loadConfig({ kubeconfig: await file('all', config('x', user, cluster)) });
    expect(loaded).toMatchObject({
      proxyUrl: 'socks5://h:1',
      disableCompression: true,
      tls: { serverName: 'api', insecureSkipTlsVerify: true },
    });
    expect(await loaded.credentials?.get()).toEqual({ basic: { username: 'u', password: 'p' } });
    expect(impersonationHeaders(loaded.impersonation)).toEqual({
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': ['g1', 'g2'],
      'impersonate-extra-acme.com%2Fscope': ['x'],
    });
  });

  it.each([
    [{ 'current-context': 'gone' }, /no context "gone"/],
    [{ ...config('a'), 'current-context': '' }, /no current context/],
    [{ ...config('a'), clusters: [{ name: 'a', cluster: {} }] }, /no server/],
    [{ ...config('a'), clusters: [] }, /no cluster "a"/],
    [{ ...config('a'), users: [] }, /no user "a"/],
    [{ ...config('a'), users: [{ user: {} }] }, /without a name/],
    [config('a', { 'auth-provider': { name: 'gcp' } }), /not supported/],
    [
      config('a', {}, { 'insecure-skip-tls-verify': true, 'certificate-authority': 'x' }),
      /skips verification/,
    ],
    ['a: b: c', /not a kubeconfig/],
    ['- a', /not a kubeconfig/],
  ])('refuses %j', async (content, message) => {
    const kubeconfig = await file('bad', content);
    await expect(loadConfig({ kubeconfig, context: undefined })).rejects.toThrow(message);
  });
});

describe('mergeKubeconfigs', () => {
  it('is what one file after the other says, the first winning', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const one = fc
      .record({
        current: fc.constantFrom('', 'a', 'b'),
        clusters: fc.uniqueArray(fc.tuple(name, fc.nat()), { selector: ([key]) => key }),
      })
      .map(
        ({ current, clusters }): Kubeconfig =>
          parseKubeconfig(
            printYaml({
              'current-context': current,
              clusters: clusters.map(([key, at]) => ({ name: key, cluster: { server: `s${at}` } })),
            }),
            '/config',
          ),
      );
    fc.assert(
      fc.property(fc.array(one), (configs) => {
        const merged = mergeKubeconfigs(configs);
        expect(merged.currentContext).toBe(
          configs.map((c) => c.currentContext).find((c) => c !== '') ?? '',
        );
        for (const key of ['a', 'b', 'c']) {
          expect(merged.clusters.get(key)).toBe(
            configs.find((c) => c.clusters.has(key))?.clusters.get(key),
          );
        }
        const half = Math.floor(configs.length / 2);
        const inTwo = mergeKubeconfigs([
          mergeKubeconfigs(configs.slice(0, half)),
          mergeKubeconfigs(configs.slice(half)),
        ]);
        expect(inTwo).toEqual(merged);
      }),
    );
  });
});
