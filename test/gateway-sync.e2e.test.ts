import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AdminClient } from '@waygate/kong';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const program = fileURLToPath(new URL('../packages/cli/bin/waygate.js', import.meta.url));

let directory: string;
let gateway: ChildProcess;
let address: string;
let client: AdminClient | undefined;

/** A gateway with a database, as a process of its own. */
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-sync-'));
  const listens = ['--proxy-listen', '--proxy-tls-listen', '--admin-listen'];
  const args = ['run', '--database', 'data', ...listens.flatMap((flag) => [flag, '127.0.0.1:0'])];
  gateway = spawn(process.execPath, [program, 'gateway', ...args], { cwd: directory });
  let said = '';
  const hear = (piece: Buffer) => {
    said += piece.toString();
  };
  gateway.stdout?.on('data', hear);
  gateway.stderr?.on('data', hear);
  address = await vi.waitFor(
    () => {
      const found = /Admin API: (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (found === undefined) throw new Error(`no Admin API yet: ${said}`);
      return found;
    },
    { timeout: 30_000, interval: 50 },
  );
  client = new AdminClient({ url: address });
});

afterEach(async () => {
  await client?.close();
  const ended = once(gateway, 'exit');
  gateway.kill('SIGKILL');
  await ended;
  await rm(directory, { recursive: true, force: true });
});

interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(...args: readonly string[]): ChildProcess {
  const all = [program, 'gateway', ...args, '--kong-addr', address];
  return spawn(process.execPath, all, { cwd: directory, env: { ...process.env, HOME: directory } });
}

async function run(...args: readonly string[]): Promise<Outcome> {
  const child = start(...args);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (piece) => {
    stdout += piece;
  });
  child.stderr?.on('data', (piece) => {
    stderr += piece;
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, stdout, stderr };
}

async function dump(): Promise<string> {
  const { exitCode, stdout } = await run('dump', '--with-id');
  expect(exitCode).toBe(0);
  return stdout;
}

function write(name: string, text: string): Promise<void> {
  return writeFile(join(directory, name), text);
}

const before = `_format_version: "3.0"
services:
- name: one
  host: one.internal
  tags: [a, b]
  routes:
  - name: one
    paths: [/one]
    plugins:
    - name: rate-limiting
      config: {minute: 5, policy: local}
- name: two
  host: two.internal
upstreams:
- name: pool
  targets:
  - target: 10.0.0.1:80
    weight: 10
key_sets:
- name: set
consumers:
- username: alice
  custom_id: id-alice
  keyauth_credentials: [{key: alice-key}]
  acls: [{group: gold}]
- username: bob
  custom_id: id-bob
vaults:
- {name: env, prefix: my-env}
`;

/** Updates, creates, a swap of unique values and a removal, and one entity that Kong refuses. */
const after = `_format_version: "3.0"
services:
- name: one
  host: other.internal
  routes:
  - name: one
    paths: [/one, /uno]
- name: three
  host: three.internal
  routes:
  - name: three
    paths: [/three]
- name: bad
  host: "a!"
upstreams:
- name: pool
  targets:
  - target: 10.0.0.1:80
    weight: 20
  - target: 10.0.0.2:80
key_sets:
- name: set
  tags: [new]
consumers:
- username: alice
  custom_id: id-bob
  keyauth_credentials: [{key: other-key}]
  acls: [{group: silver}]
- username: bob
  custom_id: id-alice
`;

describe('waygate gateway sync on a real process', () => {
  it('carries out a saved plan, and refuses it once the gateway has moved on', async () => {
    await write('kong.yaml', before);
    expect(await run('diff', 'kong.yaml', '--plan-out', 'plan.json')).toMatchObject({
      exitCode: 0,
    });
    expect((await stat(join(directory, 'plan.json'))).mode & 0o077).toBe(0);
    expect(await run('sync', '--plan', 'plan.json')).toMatchObject({ exitCode: 0 });
    expect(await run('diff', 'kong.yaml', '--exit-code')).toMatchObject({ exitCode: 0 });

    const good = after.replace('- name: bad\n  host: "a!"\n', '');
    await write('next.yaml', good);
    await run('diff', 'next.yaml', '--plan-out', 'next.json');
    await client?.send('PATCH', 'services/one', { body: { host: 'moved.internal' } });
    const moved = await dump();
    const refused = await run('sync', '--plan', 'next.json');
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain('services one was changed');
    expect(await dump()).toBe(moved);

    await client?.send('PATCH', 'services/one', { body: { host: 'one.internal' } });
    expect(await run('sync', '--plan', 'next.json')).toMatchObject({ exitCode: 0 });
    expect(await run('diff', 'next.yaml', '--exit-code')).toMatchObject({ exitCode: 0 });
  });

  it('goes back to where it was with --atomic, to the byte', async () => {
    await write('kong.yaml', before);
    await run('sync', 'kong.yaml');
    const was = await dump();
    await write('next.yaml', after);
    const failed = await run('sync', 'next.yaml', '--atomic');
    expect(failed).toMatchObject({ exitCode: 1 });
    expect(failed.stderr).toContain('{Create} service bad failed');
    expect(failed.stderr).toMatch(/undone: (\d+) of \1 operations/);
    expect(await dump()).toBe(was);
  });

  it('is taken up again after it was killed in the middle', async () => {
    const services = Array.from({ length: 600 }, (_, index) => {
      const name = `service-${index}`;
      return `- name: ${name}\n  host: ${name}.internal\n  routes:\n  - {name: r-${index}, paths: [/p/${index}]}\n`;
    });
    await write('many.yaml', `_format_version: "3.0"\nservices:\n${services.join('')}`);
    const child = start('sync', 'many.yaml', '--silence-events', '--parallelism', '4');
    const ended = once(child, 'exit');
    await vi.waitFor(
      async () => {
        const page = (await client?.send('GET', 'services', { query: { size: '100' } })) as {
          readonly data: readonly unknown[];
        };
        expect(page.data.length).toBe(100);
      },
      { timeout: 60_000, interval: 20 },
    );
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    const again = await run('sync', 'many.yaml', '--silence-events');
    expect(again).toMatchObject({ exitCode: 0 });
    const created = Number(/Created: (\d+)/.exec(again.stdout)?.[1]);
    expect(created).toBeLessThan(1200);
    expect(created).toBeGreaterThan(0);
    expect(await run('diff', 'many.yaml', '--exit-code')).toMatchObject({ exitCode: 0 });
  });

  it('keeps what was synced when the gateway itself is killed', async () => {
    await write('kong.yaml', before);
    await run('sync', 'kong.yaml');
    const was = await dump();
    const ended = once(gateway, 'exit');
    gateway.kill('SIGKILL');
    await ended;
    const port = new URL(address).port;
    const free = ['--proxy-listen', '127.0.0.1:0', '--proxy-tls-listen', '127.0.0.1:0'];
    const args = ['run', '--database', 'data', ...free, '--admin-listen', `127.0.0.1:${port}`];
    gateway = spawn(process.execPath, [program, 'gateway', ...args], { cwd: directory });
    await vi.waitFor(async () => expect((await run('ping')).exitCode).toBe(0), { timeout: 60_000 });
    expect(await dump()).toBe(was);
  });
});
