import { execFile, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Gateway } from '@waygate/gateway';
import {
  AdminClient,
  applyPlan,
  type DeclarativeConfig,
  dumpConfig,
  parseContent,
  prepareSync,
  readState,
  writeDeckYaml,
} from '@waygate/kong';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const hasDeck = spawnSync('deck', ['version']).status === 0;

/** A certificate with its key, as a file has them. */
function certificate(name: string): { readonly cert: string; readonly key: string } {
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  const rest = ['-nodes', '-keyout', '-', '-days', '30', '-subj', `/CN=${name}`];
  const made = spawnSync('openssl', [...request, ...rest], { encoding: 'utf8' });
  const block = (kind: string) =>
    new RegExp(`-----BEGIN ${kind}-----[^]*?-----END ${kind}-----`).exec(made.stdout)?.[0] ?? '';
  return { cert: block('CERTIFICATE'), key: block('PRIVATE KEY') };
}

function indented(pem: string): string {
  return pem.replaceAll('\n', '\n    ');
}

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const server = certificate('shop.test');
const authority = certificate('authority.test');

/**
 * What both programs know of: every kind that decK 1.4 does, but for those of Kong Enterprise.
 * `strip_path` is said, as decK has a default of its own for it.
 */
const everything = `_format_version: "1.1"
services:
- name: shop
  host: shop.internal
  tags: [team-a]
  routes:
  - name: shop
    paths: [/shop, /store]
    methods: [GET, POST]
    strip_path: true
    headers:
      x-version: ["1"]
    plugins:
    - name: rate-limiting
      config: {minute: 5, policy: local}
  plugins:
  - name: key-auth
- name: blog
  url: https://blog.internal:8443/posts
routes:
- name: free
  hosts: [free.test]
  strip_path: true
consumers:
- username: alice
  custom_id: a-1
  keyauth_credentials:
  - key: alice-key
  basicauth_credentials:
  - username: alice
    password: alice-password
  acls:
  - group: gold
  jwt_secrets:
  - key: alice-jwt
    secret: alice-secret
    algorithm: HS256
  oauth2_credentials:
  - name: app
    client_id: alice-app
    client_secret: alice-app-secret
    redirect_uris: [https://app.test/]
  plugins:
  - name: request-size-limiting
    config: {allowed_payload_size: 4}
- username: bob
  tags: [team-a, team-b]
  hmacauth_credentials:
  - username: bob
    secret: bob-secret
plugins:
- name: correlation-id
  service: shop
  consumer: alice
  config: {header_name: X-Id}
- name: ip-restriction
  route: free
  consumer: bob
  config: {deny: [10.0.0.0/8]}
- name: prometheus
  tags: [team-b]
upstreams:
- name: shop-upstream
  tags: [team-a]
  targets:
  - target: 10.0.0.1:80
    weight: 10
  - target: 10.0.0.2:80
    tags: [team-b]
certificates:
- id: 5d04a1a8-7f0e-4f0d-9a28-6c7f0d3f8a11
  tags: [team-a]
  cert: |-
    ${indented(server.cert)}
  key: |-
    ${indented(server.key)}
  snis:
  - name: shop.test
  - name: www.shop.test
    tags: [team-b]
ca_certificates:
- id: 0b9f5c2e-1d3a-4b9e-8d56-2f6a7c1e9b22
  cert: |-
    ${indented(authority.cert)}
`;

/** What decK 1.4 does not know of: it neither sees it nor takes it away. */
const newer = `vaults:
- {name: env, prefix: my-env, config: {prefix: APP_}, tags: [team-a]}
key_sets:
- name: set
  tags: [team-a]
keys:
- name: key
  kid: one
  set: {name: set}
  jwk: '${JSON.stringify({ kid: 'one', ...publicKey.export({ format: 'jwk' }) })}'
`;

describe.skipIf(!hasDeck)('the real decK and ours on one Admin API', () => {
  let gateway: Gateway;
  let client: AdminClient;
  let address: string;
  let directory: string;

  beforeEach(async () => {
    gateway = new Gateway({ mode: 'database' });
    const { admin } = await gateway.start();
    address = `http://127.0.0.1:${admin?.port}`;
    client = new AdminClient({ url: address });
    directory = await mkdtemp(join(tmpdir(), 'deck-'));
  });

  afterEach(async () => {
    await client.close();
    await gateway.stop();
    await rm(directory, { recursive: true });
  });

  /** Runs decK; its exit code and output. Without the variable it calls home. */
  async function deck(...args: readonly string[]) {
    const env = { ...process.env, DECK_ANALYTICS: 'off', HOME: directory };
    try {
      const { stdout } = await run('deck', [...args, '--kong-addr', address], {
        cwd: directory,
        env,
      });
      return { exitCode: 0, output: stdout };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { exitCode: code, output: stdout + stderr };
    }
  }

  async function syncOurs(text: string) {
    const { content } = parseContent(text);
    const prepared = await prepareSync(client, content as DeclarativeConfig);
    expect(prepared.problems).toEqual([]);
    const result = await applyPlan(client, prepared.plan);
    expect(result.failed.map(({ error }) => error.message)).toEqual([]);
    return result.done.length;
  }

  it('decK finds nothing to do after ours, and dumps the same bytes', async () => {
    expect(await syncOurs(everything)).toBe(25);
    const state = await readState(client);
    const ours = writeDeckYaml(dumpConfig(state, { formatVersion: '1.1' }));
    await deck('dump', '-o', 'theirs.yaml');
    expect(await readFile(join(directory, 'theirs.yaml'), 'utf8')).toBe(ours);
    await writeFile(join(directory, 'ours.yaml'), ours);
    const diff = await deck('diff', '-s', 'ours.yaml', '--non-zero-exit-code');
    expect(diff).toMatchObject({ exitCode: 0 });
  });

  it('ours finds nothing to do after decK', async () => {
    await writeFile(join(directory, 'all.yaml'), everything);
    expect(await deck('sync', '-s', 'all.yaml')).toMatchObject({ exitCode: 0 });
    const { content } = parseContent(everything);
    const { plan } = await prepareSync(client, content as DeclarativeConfig);
    expect(plan.operations.map(({ op, label, changes }) => ({ op, label, changes }))).toEqual([]);
  });

  it('decK leaves alone what it does not know, and ours finds it again', async () => {
    const all = `${everything.replace('"1.1"', '"3.0"')}${newer}`;
    await syncOurs(all);
    const dumped = writeDeckYaml(dumpConfig(await readState(client), { formatVersion: '1.1' }));
    const known = dumped.slice(0, dumped.search(/^(?:vaults|key_sets|keys):/m));
    await writeFile(join(directory, 'known.yaml'), known);
    const diff = await deck('diff', '-s', 'known.yaml', '--non-zero-exit-code');
    expect(diff).toMatchObject({ exitCode: 0 });
    expect(await deck('sync', '-s', 'known.yaml')).toMatchObject({ exitCode: 0 });
    const { plan } = await prepareSync(client, parseContent(all).content as DeclarativeConfig);
    expect(plan.operations).toEqual([]);
  });

  it('each removes what the other made', async () => {
    await syncOurs(everything);
    expect(await deck('reset', '-f')).toMatchObject({ exitCode: 0 });
    expect((await readState(client)).size).toBe(0);
    await writeFile(join(directory, 'all.yaml'), everything);
    await deck('sync', '-s', 'all.yaml');
    await syncOurs('_format_version: "1.1"\nconsumers:\n- username: alice\n');
    expect(await deck('dump', '-o', '-')).toMatchObject({
      output: '_format_version: "1.1"\nconsumers:\n- username: alice\n',
    });
  });
});
