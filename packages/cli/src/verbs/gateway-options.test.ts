import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gateway } from '@waygate/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../run-in-process.ts';
import { cookieHeader } from './gateway-cookie-jar.ts';

const state = `_format_version: "3.0"
services:
- name: shop
  host: shop.internal
  routes:
  - name: shop
    paths: [/shop]
consumers:
- username: alice
  keyauth_credentials: [{key: very-secret}]
  acls: [{group: gold}]
`;

let gateway: Gateway;
let directory: string;
let address: string;

beforeAll(async () => {
  gateway = new Gateway({ mode: 'database', proxy: [] });
  const { admin } = await gateway.start();
  address = `http://127.0.0.1:${admin?.port}`;
  directory = await mkdtemp(join(tmpdir(), 'gateway-options-'));
  await writeFile(join(directory, 'kong.yaml'), state);
  expect(await run(['sync', 'kong.yaml'])).toMatchObject({ exitCode: 0, stderr: '' });
});

afterAll(async () => {
  await gateway.stop();
  await rm(directory, { recursive: true });
});

function run(args: readonly string[], stdin?: string, env: Record<string, string> = {}) {
  return runInProcess(['gateway', ...args], {
    cwd: directory,
    env: { DECK_KONG_ADDR: address, ...env },
    ...(stdin === undefined ? {} : { stdin }),
  });
}

describe('dump --sanitize', () => {
  it('shows no text of the configuration, and the same hashes with the same salt', async () => {
    const salted = ['dump', '--sanitize', '--sanitization-salt', 'grain'];
    const { stdout, exitCode } = await run(salted);
    expect(exitCode).toBe(0);
    for (const text of ['shop', 'alice', 'gold', 'very-secret']) expect(stdout).not.toContain(text);
    expect((await run(salted)).stdout).toBe(stdout);
    expect((await run(['dump', '--sanitize'])).stdout).not.toBe(stdout);
  });

  it('is a configuration that a Kong takes', async () => {
    const { stdout } = await run(['dump', '--sanitize']);
    expect(await run(['validate', '-', '--online'], stdout)).toMatchObject({ exitCode: 0 });
  });
});

describe('validate --online', () => {
  const bad = `_format_version: "3.0"
services:
- {name: good, host: h}
- {name: bad, host: "a!"}
plugins:
- name: no-such-plugin
`;

  it('says what the Kong has against each entity, and writes none', async () => {
    const { exitCode, stderr } = await run(['validate', '-', '--online'], bad);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `validate entity 'services (bad)': HTTP status 400 (message: "schema violation (host: invalid value: a!)")`,
    );
    expect(stderr).toContain("validate entity 'plugins (no-such-plugin)': HTTP status 400");
    expect(stderr).not.toContain('(good)');
    expect((await run(['dump'])).stdout).not.toContain('good');
  });

  it('asks about some kinds only, and reports as JSON', async () => {
    const some = ['validate', '-', '--online', '--online-entities-list', 'Plugins,ACLGroups'];
    const { stdout } = await run([...some, '--json-output', '--parallelism', '2'], bad);
    expect(JSON.parse(stdout)).toEqual({
      valid: false,
      errors: [expect.stringContaining('no-such-plugin')],
    });
    const unknown = await run(['validate', '-', '--online-entities-list', 'Cars'], bad);
    expect(unknown).toMatchObject({ exitCode: 64 });
  });
});

describe('flags of decK', () => {
  it.each([
    ['--rbac-resources-only', 'Kong Enterprise'],
    ['--include-licenses', 'Kong Enterprise'],
    ['--konnect-token=abc', 'Konnect'],
    ['--skip-hash-for-basic-auth', 'Konnect'],
  ])('%s is refused with the reason', async (flag, reason) => {
    const { exitCode, stderr, stdout } = await run(['dump', flag]);
    expect([exitCode, stdout]).toEqual([64, '']);
    expect(stderr).toContain(`${flag.replace(/=.*/, '')} is not supported: it is for ${reason}`);
    expect(stderr).not.toContain('abc');
  });

  it.each(['--analytics=false', '--analytics'])('%s turns off what is not there', async (flag) => {
    expect((await run(['ping', flag])).exitCode).toBe(0);
  });

  it('--config and the environment give what the command line does not', async () => {
    await writeFile(join(directory, '.deck.json'), '{"verbose": 1}');
    const { stderr } = await run(['ping'], undefined, { HOME: directory });
    expect(stderr).toContain('GET / 200');
    expect((await run(['ping'], undefined, { DECK_VERBOSE: '1' })).stderr).toContain('GET / 200');
    const missing = await run(['ping', '--config', 'no-such.yaml']);
    expect(missing.stderr).toContain('cannot read no-such.yaml');
  });

  it('--kong-cookie-jar-path sends the cookies of the address', async () => {
    const jar = [
      '# Netscape HTTP Cookie File',
      '#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tadmin_session\tabc',
      '127.0.0.1\tFALSE\t/\tTRUE\t0\ttls_only\tx',
      '127.0.0.1\tFALSE\t/\tFALSE\t10\tlong_gone\tx',
      '.example.com\tTRUE\t/\tFALSE\t0\tothers\tx',
      '127.0.0.1\tFALSE\t/elsewhere\tFALSE\t0\tother_path\tx',
      '127.0.0.1\tFALSE\t/\tFALSE\t99999999999\tsecond\tdef',
    ].join('\n');
    expect(cookieHeader(jar, 'http://127.0.0.1:8001', 20_000)).toBe(
      'admin_session=abc; second=def',
    );
    await writeFile(join(directory, 'jar'), jar);
    expect((await run(['ping', '--kong-cookie-jar-path', 'jar'])).exitCode).toBe(0);
  });
});

describe('a saved plan', () => {
  it('is for the workspace that it was made in', async () => {
    const plan = JSON.stringify({ version: 1, workspace: 'blue', operations: [] });
    await writeFile(join(directory, 'blue.json'), plan);
    const { exitCode, stderr } = await run(['sync', '--plan', 'blue.json', '-w', 'red']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the plan is for the workspace blue, not red');
    expect((await run(['sync', '--plan', 'none.json'])).stderr).toContain('cannot read none.json');
    await run(['diff', 'kong.yaml', '--plan-out', 'plan.json']);
    const saved = JSON.parse(await readFile(join(directory, 'plan.json'), 'utf8'));
    expect(saved).toEqual({ version: 1, operations: [] });
  });
});

describe('sync of what another owner has', () => {
  const id = '0b2a54b5-8e9c-4b4b-9f0e-0d6d2a1c7f10';
  const service = (tag: string, host: string) =>
    `_format_version: "3.0"\n_info: {select_tags: [${tag}]}\nservices:\n- {id: ${id}, name: ${tag}, host: ${host}}\n`;

  it('is refused, and what the other has stays', async () => {
    expect(await run(['sync', '-'], service('mine', 'mine.internal'))).toMatchObject({
      exitCode: 0,
    });
    for (const verb of ['diff', 'sync', 'apply']) {
      const { exitCode, stderr } = await run([verb, '-'], service('theirs', 'theirs.internal'));
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`error: service with ID ${id} already exists`);
    }
    expect((await run(['dump', '--select-tag', 'mine'])).stdout).toContain('mine.internal');
    // The owner goes on changing it.
    const again = await run(['sync', '-'], service('mine', 'other.internal'));
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Updated: 1') });
    await run(['reset', '--force', '--select-tag', 'mine']);
  });
});

describe('--no-merge', () => {
  it('takes each file with its own select_tags', async () => {
    const file = (tag: string) =>
      `_format_version: "3.0"\n_info: {select_tags: [${tag}]}\nservices:\n- {name: ${tag}, host: h}\n`;
    await mkdir(join(directory, 'teams'));
    for (const tag of ['red', 'blue'])
      await writeFile(join(directory, 'teams', `${tag}.yaml`), file(tag));
    const { exitCode, stdout } = await run(['sync', 'teams', '--no-merge']);
    expect({ exitCode, runs: stdout.match(/Created: 1/g)?.length }).toEqual({
      exitCode: 0,
      runs: 2,
    });
    expect((await run(['diff', '-s', 'teams', '--no-merge', '--exit-code'])).exitCode).toBe(0);
    expect((await run(['dump', '--select-tag', 'red'])).stdout).not.toContain('blue');
    expect(await run(['sync', '-', '--no-merge'], file('red'))).toMatchObject({ exitCode: 64 });
    expect(await run(['sync', 'teams', '--no-merge', '--plan-out', 'p'])).toMatchObject({
      exitCode: 64,
    });
    for (const tag of ['red', 'blue']) await run(['reset', '--force', '--select-tag', tag]);
  });
});

describe('what a file is likely wrong in', () => {
  const file = '_format_version: "3.0"\nroutes:\n- {name: r, paths: ["/a/\\\\d+"], tags: [t]}\n';

  it('is a warning, or an error on request', async () => {
    const warned = await run(['diff', '-', '--select-tag', 't'], file);
    expect(warned).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Warning: route r'),
    });
    const refused = await run(['diff', '-', '-E', 'route-regex-path-format'], file);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('route r') });
    expect(await run(['diff', '-', '-E', 'no-such'], file)).toMatchObject({ exitCode: 64 });
  });

  it('is a password that is a hash already', async () => {
    const password = (text: string) =>
      `_format_version: "3.0"\nconsumers:\n- username: bob\n  tags: [t]\n  basicauth_credentials: [{username: bob, password: ${text}, tags: [t]}]\n`;
    const hash = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
    const { stderr } = await run(['diff', '-', '--select-tag', 't'], password(hash));
    expect(stderr).toContain('looks like a hash');
    expect((await run(['diff', '-', '--select-tag', 't'], password('plain'))).stderr).toBe('');
  });
});
