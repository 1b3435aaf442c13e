import { execFile, spawnSync } from 'node:child_process';
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
  writeYaml,
} from '@waygate/kong';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const hasDeck = spawnSync('deck', ['version']).status === 0;

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
- username: bob
  hmacauth_credentials:
  - username: bob
    secret: bob-secret
plugins:
- name: correlation-id
  service: shop
  consumer: alice
  config: {header_name: X-Id}
- name: prometheus
upstreams:
- name: shop-upstream
  targets:
  - target: 10.0.0.1:80
    weight: 10
  - target: 10.0.0.2:80
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
    const result = await applyPlan(client, prepared.plan, prepared.current);
    expect(result.failed.map(({ error }) => error.message)).toEqual([]);
    return result.done.length;
  }

  it('decK finds nothing to do after ours, and dumps the same bytes', async () => {
    expect(await syncOurs(everything)).toBe(18);
    const state = await readState(client);
    const ours = writeYaml(dumpConfig(state, { formatVersion: '1.1' }));
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
