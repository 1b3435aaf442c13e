import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiServerFlagKinds, meaningfulFlags } from './api-server-flag-table.ts';
import { apiServerOptions } from './api-server-flags.ts';
import { readFlags } from './flag-reader.ts';
import { helpText } from './help-text.ts';

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-flags-'));
  writeFileSync(join(directory, 'apiserver.crt'), 'the certificate');
  writeFileSync(join(directory, 'apiserver.key'), 'the key');
  writeFileSync(join(directory, 'tokens.csv'), 'abc,eve,7,"a,b"\n\ndef,bob,8\n');
});

afterAll(() => rmSync(directory, { recursive: true }));

const read = (args: string[], environment: Record<string, string> = {}) =>
  apiServerOptions(readFlags(args, apiServerFlagKinds), environment);

test('what envtest passes is taken', () => {
  const options = read([
    ...['--allow-privileged=true', '--authorization-mode=RBAC', '--bind-address=127.0.0.1'],
    ...[`--cert-dir=${directory}`, '--client-ca-file', join(directory, 'apiserver.crt')],
    ...['--disable-admission-plugins=ServiceAccount', '--etcd-servers=http://127.0.0.1:2379'],
    ...['--secure-port=4567', '--service-account-issuer=https://127.0.0.1:4567/'],
    ...['--service-cluster-ip-range=10.0.0.0/24', '-v=4', '--watch-cache'],
  ]);
  expect(options).toMatchObject({
    port: 4567,
    authorization: 'RBAC',
    serving: { certificate: 'the certificate', privateKey: 'the key' },
    clientAuthorities: 'the certificate',
    controllers: [],
    serviceAccountTokens: { issuers: ['https://127.0.0.1:4567/'] },
    cluster: {
      serviceAddresses: { first: 0x0a000001, last: 0x0a0000fe },
      disabledPlugins: new Set(['ServiceAccount']),
    },
  });
});

test('no client is believed by a certificate unless it is said who signs them', () => {
  expect(read([]).clientAuthorities).toBe('');
  expect(read([]).authorization).toBe('AlwaysAllow');
});

test.each([
  [['--tokens'], 'unknown flag: --tokens'],
  [['serve'], 'unknown command "serve"'],
  [['--secure-port'], 'flag needs an argument: --secure-port'],
  [['--secure-port=x'], '--secure-port: x is no port'],
  [['--authorization-mode=RBAC,Webhook'], '--authorization-mode: Webhook is not here'],
  [['--service-cluster-ip-range=fd00::/108'], 'fd00::/108 is no IPv4 network'],
  [['--service-node-port-range=9-1'], '9-1 is no range of ports'],
  [['--client-ca-file=/nowhere/ca.crt'], '--client-ca-file: ENOENT'],
  [['--tls-cert-file=/dev/null'], 'go together'],
  [['--controllers=kubelet'], '"kubelet" is not in the list of controllers'],
])('%j is refused', (args, why) => {
  expect(() => read(args)).toThrow(why);
});

test('controllers are chosen by the command line, or where it cannot be changed by the environment', () => {
  const all = read([], { WAYGATE_ENVTEST_CONTROLLERS: '*' }).controllers ?? [];
  expect(all).toContain('garbage-collector-controller');
  expect(read(['--controllers=*,-namespace-controller']).controllers).toEqual(
    all.filter((name) => name !== 'namespace-controller'),
  );
  expect(read(['--controllers='], { WAYGATE_ENVTEST_CONTROLLERS: '*' }).controllers).toEqual([]);
});

test('tokens of a file have users and groups', () => {
  expect(read([`--token-auth-file=${directory}/tokens.csv`]).tokens).toEqual([
    { token: 'abc', username: 'eve', uid: '7', groups: ['a', 'b'] },
    { token: 'def', username: 'bob', uid: '8', groups: [] },
  ]);
});

test('the help names flags where suites look for them', () => {
  const help = helpText('kube-apiserver', meaningfulFlags, []);
  expect(help).toMatch(/^\s*--secure-port\b/m);
  expect(help).not.toMatch(/^\s*--insecure-port\b/m);
});
