import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gateway } from '@waygate/gateway';
import { EntityStore, entityKinds, type JsonObject } from '@waygate/kong';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

/** As much of an Admin API as these verbs call: lists, PUT, PATCH and DELETE of top-level kinds. */
function adminServer(store: EntityStore): Server {
  return createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = (status: number, body?: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body === undefined ? '' : JSON.stringify(body));
    };
    const url = new URL(request.url ?? '/', 'http://kong');
    const [path = '', id = '', ...deeper] = url.pathname.split('/').slice(1);
    if (path === '')
      return answer(200, { version: '3.9.1', configuration: { database: 'postgres' } });
    const kind = entityKinds.find((candidate) => candidate.path === path);
    if (kind === undefined || kind.isEnterprise) return answer(404, { message: 'Not found' });
    if (deeper.length > 0) return answer(200, { data: [] });
    if (request.method === 'GET') {
      const page = store.list(kind.collection, Object.fromEntries(url.searchParams));
      return page.kind === 'page' ? answer(200, page.page) : answer(400, page.error.body);
    }
    if (request.method === 'DELETE') {
      const result = store.delete(kind.collection, id);
      return result.kind === 'error' ? answer(result.error.status, result.error.body) : answer(204);
    }
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject;
    const isPatch = request.method === 'PATCH';
    const result = isPatch
      ? store.update(kind.collection, id, body)
      : store.upsert(kind.collection, id, body);
    if (result.kind === 'error') return answer(result.error.status, result.error.body);
    return answer(200, result.entity);
  });
}

let store: EntityStore;
let server: Server;
let directory: string;
let address: string;

beforeEach(async () => {
  store = new EntityStore();
  server = adminServer(store);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  directory = await mkdtemp(join(tmpdir(), 'gateway-'));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

function run(
  args: readonly string[],
  options: { stdin?: string; env?: Record<string, string> } = {},
) {
  const { env = {}, ...rest } = options;
  return runInProcess(['gateway', ...args], {
    cwd: directory,
    env: { DECK_KONG_ADDR: address, ...env },
    ...rest,
  });
}

const shop = `_format_version: "3.0"
services:
- name: shop
  host: shop.internal
  routes:
  - name: shop
    paths:
    - /shop
plugins:
- name: key-auth
  service: shop
`;

describe('waygate gateway', () => {
  it('pings', async () => {
    const { stdout, exitCode } = await run(['ping']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe('Successfully connected to Kong!\nKong version:  3.9.0\n');
  });

  it('says what to do when no Kong answers', async () => {
    server.closeAllConnections();
    const { exitCode, stderr } = await runInProcess(
      ['gateway', 'ping', '--kong-addr', 'not a url'],
      { cwd: directory },
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('invalid URL');
  });

  it('diffs, syncs, and then sees no difference', async () => {
    await writeFile(join(directory, 'kong.yaml'), shop);
    const diff = await run(['diff', 'kong.yaml', '--exit-code']);
    expect(diff.exitCode).toBe(2);
    expect(diff.stdout).toBe(
      'creating service shop\ncreating route shop\ncreating plugin key-auth for service shop\nSummary:\n  Created: 3\n  Updated: 0\n  Deleted: 0\n',
    );
    expect(store.count()).toBe(0);
    expect((await run(['sync', 'kong.yaml'])).exitCode).toBe(0);
    expect(store.count()).toBe(3);
    expect((await run(['diff', 'kong.yaml', '--non-zero-exit-code'])).exitCode).toBe(0);
  });

  it('dumps what it synced, to a file for its owner only', async () => {
    await run(['sync', '-'], { stdin: shop });
    const { exitCode } = await run(['dump', '--output-file', 'out.yaml']);
    expect(exitCode).toBe(0);
    const text = await readFile(join(directory, 'out.yaml'), 'utf8');
    expect(text).toContain('name: key-auth\n');
    expect((await stat(join(directory, 'out.yaml'))).mode & 0o077).toBe(0);
    expect((await run(['diff', 'out.yaml', '--exit-code'])).exitCode).toBe(0);
    expect((await run(['dump', '--output-file', 'out.yaml'])).stderr).toContain('is there already');
  });

  it('shows only what an update changes, and never a secret', async () => {
    const file = (secret: string, port: number) =>
      `_format_version: "3.0"\nservices:\n- {name: a, host: a.test, port: ${port}}\nplugins:\n- name: session\n  config: {secret: "${secret}"}\n`;
    await run(['sync', '-'], { stdin: file('one-secret', 80) });
    const { stdout } = await run(['diff', '-'], { stdin: file('two-secret', 81) });
    expect(stdout).toContain('updating service a  {\n-  "port": 80\n+  "port": 81\n }\n');
    expect(stdout).toContain('"secret": "***"');
    expect(stdout).not.toContain('two-secret');
    const json = await run(['diff', '-', '--json-output'], { stdin: file('two-secret', 81) });
    expect(json.stdout).not.toContain('secret"two');
    expect(JSON.parse(json.stdout)).toMatchObject({ summary: { updating: 2, total: 2 } });
  });

  it('puts the environment in, and refuses what is not set', async () => {
    const file = `_format_version: "3.0"\nservices:\n- name: a\n  host: \${{ env "DECK_HOST" }}\n`;
    expect((await run(['sync', '-'], { stdin: file })).stderr).toContain(
      "environment variable 'DECK_HOST' present in state file but not set",
    );
    await run(['sync', '-'], { stdin: file, env: { DECK_HOST: 'from.env.test' } });
    expect(store.get('services', 'a')?.host).toBe('from.env.test');
  });

  it('isolates a failure and says what is left', async () => {
    const file = `_format_version: "3.0"\nservices:\n- {name: good, host: a.test, routes: [{name: r, paths: [/r]}]}\n- {name: bad, host: "a!", routes: [{name: s, paths: [/s]}]}\n`;
    const { exitCode, stdout, stderr } = await run(['sync', '-'], { stdin: file });
    expect(exitCode).toBe(1);
    // Two of four were made: what failed, and what waited for it, were not.
    expect(stdout).toContain('Summary:\n  Created: 2\n');
    expect(stderr).toContain('{Create} service bad failed: HTTP status 400');
    expect(stderr).toContain('create routes s (waits for create of services bad)');
    expect(store.get('routes', 'r')).toBeDefined();
  });

  it('undoes what it did with --atomic', async () => {
    await run(['sync', '-'], { stdin: shop });
    const file = `_format_version: "3.0"\nservices:\n- {name: shop, host: other.test}\n- {name: bad, host: "a!"}\n`;
    const { stderr } = await run(['sync', '-', '--atomic'], { stdin: file });
    expect(stderr).toContain('undone: 1 of 1');
    expect(store.get('services', 'shop')?.host).toBe('shop.internal');
    expect(store.count()).toBe(3);
  });

  it('saves a plan, carries it out, and refuses it once it no longer fits', async () => {
    await run(['diff', '-', '--plan-out', 'plan.json'], { stdin: shop });
    expect((await run(['sync', '--plan', 'plan.json'])).exitCode).toBe(0);
    expect(store.count()).toBe(3);
    const again = await run(['sync', '--plan', 'plan.json']);
    expect(again.stderr).toContain('the plan no longer fits');
  });

  it('refuses to sync files that declare nothing', async () => {
    const { exitCode, stderr } = await run(['sync', '-'], { stdin: '_format_version: "3.0"\n' });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('would delete everything');
  });

  it('refuses files for Kong 2 on Kong 3, and converts them', async () => {
    const old =
      '_format_version: "1.1"\nservices:\n- name: a\n  host: h\n  routes:\n  - name: r\n    paths: [/a/\\d+, /b]\n';
    const refused = await run(['sync', '-'], { stdin: old });
    expect(refused.stderr).toContain("cannot apply '1.1' config format version");
    const converted = await run(['convert', '-'], { stdin: old });
    expect(converted.stdout).toContain('- ~/a/\\d+\n    - /b\n');
    expect(converted.stdout).toMatch(/^_format_version: "3.0"\n/);
  });

  it('says beforehand what our own gateway cannot run, and fails for nothing that Kong can', async () => {
    const file = (plugin: string) =>
      `_format_version: "3.0"\nservices:\n- name: a\n  host: h\n  plugins:\n  - ${plugin}\n`;
    const prompt = '{name: ai-prompt-guard, config: {allow_patterns: [x]}}';
    const told = await run(['validate', '-'], { stdin: file(prompt) });
    expect(told.exitCode).toBe(0);
    expect(told.stderr).toContain("cannot run the plugin 'ai-prompt-guard'");
    const off = prompt.replace('{', '{enabled: false, ');
    for (const plugin of ['{name: key-auth}', off]) {
      const fine = await run(['validate', '-'], { stdin: file(plugin) });
      expect([fine.exitCode, fine.stderr]).toEqual([0, '']);
    }
  });

  it('validates against the schemas of Kong, without one', async () => {
    const file = '_format_version: "3.0"\nservices:\n- {name: a, host: h, port: 99999}\n';
    const { exitCode, stderr } = await run(['validate', '-'], { stdin: file });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('service a: port: value should be between 0 and 65535');
    expect((await run(['validate', '-'], { stdin: shop })).exitCode).toBe(0);
    const groups = `_format_version: "3.0"
consumer_groups:
- name: gold
  consumers: [{username: ann}]
  plugins: [{name: rate-limiting, config: {minute: 5}}]
consumers: [{username: ann, groups: [{name: gold}]}]
plugins: [{name: request-termination, consumer_group: gold}]
`;
    expect(await run(['validate', '-'], { stdin: groups })).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  it('resets only when it is told twice', async () => {
    await run(['sync', '-'], { stdin: shop });
    expect((await run(['reset'], { stdin: 'no\n' })).exitCode).toBe(0);
    expect(store.count()).toBe(3);
    const { stdout } = await run(['reset', '--force']);
    expect(stdout).toContain('Deleted: 3');
    expect(store.count()).toBe(0);
  });

  it('touches only what has the tag', async () => {
    store.insert('services', { name: 'theirs', host: 'a.test' });
    const file =
      '_format_version: "3.0"\n_info:\n  select_tags: [ours]\nservices:\n- {name: mine, host: h}\n';
    await run(['sync', '-'], { stdin: file });
    expect(store.get('services', 'mine')?.tags).toEqual(['ours']);
    await run(['reset', '--force', '--select-tag', 'ours']);
    expect([...store.all('services')].map(({ name }) => name)).toEqual(['theirs']);
  });
});

describe('waygate gateway on the embedded gateway', () => {
  const withGateway = async (
    mode: 'dbless' | 'database',
    work: (kong: (...args: readonly string[]) => ReturnType<typeof runInProcess>) => Promise<void>,
  ) => {
    const gateway = new Gateway({ mode, proxy: [] });
    const { admin } = await gateway.start();
    const env = { DECK_KONG_ADDR: `http://127.0.0.1:${admin?.port}` };
    try {
      await work((...args) => runInProcess(['gateway', ...args], { cwd: directory, env }));
    } finally {
      await gateway.stop();
    }
  };

  const everything = `${shop}consumers:
- username: alice
  keyauth_credentials: [{key: k}]
  basicauth_credentials: [{username: u, password: p}]
  acls: [{group: g}]
upstreams:
- name: up
  targets: [{target: '10.0.0.1:80'}]
key_sets:
- name: set
vaults:
- {name: env, prefix: my-env}
`;

  /** A certificate with its key, as a file has them. */
  const certificate = (name: string) => {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const rest = ['-keyout', '-', '-days', '30', '-subj', `/CN=${name}`];
    const made = spawnSync('openssl', ['req', '-x509', ...curve, ...rest], { encoding: 'utf8' });
    const block = (kind: string) =>
      new RegExp(`-----BEGIN ${kind}-----[^]*?-----END ${kind}-----`).exec(made.stdout)?.[0] ?? '';
    return { cert: block('CERTIFICATE'), key: block('PRIVATE KEY') };
  };

  it.each(['dbless', 'database'] as const)(
    'renews a certificate of one that is %s, by id or without one, and its SNIs stay',
    async (mode) => {
      const names = [{ name: 'a.test' }, { name: '*.a.test' }];
      const id = '00000000-0000-4000-8000-000000000001';
      const write = (own: object, pair: object) => {
        const file = { _format_version: '3.0', certificates: [{ ...own, ...pair, snis: names }] };
        return writeFile(join(directory, 'tls.json'), JSON.stringify(file));
      };
      await withGateway(mode, async (kong) => {
        for (const own of [{ id }, {}]) {
          await write(own, certificate('old'));
          expect(await kong('sync', 'tls.json')).toMatchObject({ exitCode: 0, stderr: '' });
          const renewed = certificate('new');
          await write(own, renewed);
          expect(await kong('sync', 'tls.json')).toMatchObject({ exitCode: 0, stderr: '' });
          const { stdout } = await kong('dump', '--format', 'json');
          const [kept, ...others] = JSON.parse(stdout).certificates;
          expect(others).toEqual([]);
          expect(kept.cert.trim()).toBe(renewed.cert);
          expect(kept.snis.map(({ name }: { name: string }) => name).sort()).toEqual(
            names.map(({ name }) => name).sort(),
          );
          expect(await kong('diff', 'tls.json', '--exit-code')).toMatchObject({ exitCode: 0 });
        }
      });
    },
  );

  it.each(['dbless', 'database'] as const)('brings everything to one that is %s', async (mode) => {
    await writeFile(join(directory, 'all.yaml'), everything);
    await withGateway(mode, async (kong) => {
      expect(await kong('sync', 'all.yaml')).toMatchObject({ exitCode: 0, stderr: '' });
      const again = await kong('diff', 'all.yaml', '--exit-code');
      expect(again).toMatchObject({ exitCode: 0 });
      expect((await kong('dump', '--format', 'json')).stdout).toContain('"username": "alice"');
    });
  });

  it.each(['dbless', 'database'] as const)(
    'applies what files name to a gateway (%s), and leaves the rest as it is',
    async (mode) => {
      await writeFile(join(directory, 'kong.yaml'), shop);
      const route = (path: string): string =>
        `_format_version: "3.0"\nroutes:\n- {name: more, service: shop, paths: [${path}]}\n`;
      await withGateway(mode, async (kong) => {
        expect((await kong('sync', 'kong.yaml')).exitCode).toBe(0);
        await writeFile(join(directory, 'more.yaml'), route('/more'));
        expect((await kong('apply', 'more.yaml')).stdout).toBe(
          'creating route more\nSummary:\n  Created: 1\n  Updated: 0\n  Deleted: 0\n',
        );
        await writeFile(join(directory, 'more.yaml'), route('/else'));
        expect((await kong('apply', 'more.yaml')).stdout).toContain('  Updated: 1\n  Deleted: 0\n');
        expect((await kong('apply', 'more.yaml')).stdout).toContain('  Updated: 0\n  Deleted: 0\n');
        await writeFile(join(directory, 'none.yaml'), '_format_version: "3.0"\n');
        expect(await kong('apply', 'none.yaml')).toMatchObject({ exitCode: 0 });
        const { stdout } = await kong('dump', '--output-file', '-');
        for (const part of ['/shop', '/else', 'key-auth']) expect(stdout).toContain(part);
      });
    },
  );

  it('refuses to apply what refers to something that is nowhere', async () => {
    const file = '_format_version: "3.0"\nroutes:\n- {name: a, service: gone, paths: [/]}\n';
    const { exitCode, stderr } = await run(['apply', '-'], { stdin: file });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('service gone for route a: entity not found');
  });

  it('names the entity that a gateway without a database refuses', async () => {
    const file = `_format_version: "3.0"\nservices:\n- {name: good, host: h}\n- {name: bad, host: "a!"}\n`;
    await writeFile(join(directory, 'bad.yaml'), file);
    await withGateway('dbless', async (kong) => {
      const { exitCode, stderr } = await kong('sync', 'bad.yaml');
      expect(exitCode).toBe(1);
      expect(stderr).toContain('services bad: host: invalid value: a!');
    });
  });
});
