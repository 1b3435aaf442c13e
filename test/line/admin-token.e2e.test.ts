import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from '../hostile/world.ts';
import { hasProgram, run, waygate } from '../real/processes.ts';

// Who reaches the Admin API of `waygate up`: our own verbs without a flag, decK with a header.

let home: string;
let world: World;
let tokenFile: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-admin-token-'));
  tokenFile = join(home, 'admin-token');
  world = await World.start(['--data-dir', home]);
});

afterAll(async () => {
  await world?.stop();
  rmSync(home, { recursive: true, force: true });
});

const adminUrl = () => `http://127.0.0.1:${world.adminPort}`;

function verb(args: readonly string[], kubeconfig = world.kubeconfig) {
  const environment = [`KUBECONFIG=${kubeconfig}`, `HOME=${home}`];
  return run('env', [...environment, process.execPath, waygate, ...args]);
}

test('the token is for its owner only', () => {
  expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  expect(readFileSync(tokenFile, 'utf8')).toMatch(/^[\w-]{32}\n$/);
});

test.each([
  [['gateway', 'ping']],
  [['gateway', 'dump']],
  [['trace', 'http://127.0.0.1/nowhere', '--skip-cluster']],
])('%j finds the Admin API and its token beside the kubeconfig', async (args) => {
  const { stderr, stdout } = await verb(args);
  expect(stderr).not.toMatch(/401|Unauthorized|unreachable/i);
  expect(stdout).toMatch(/Successfully connected|_format_version|no route/i);
});

test('without the kubeconfig it is refused, and what to do is said', async () => {
  const { code, stderr } = await verb(['gateway', 'dump', '--kong-addr', adminUrl()], '');
  expect(code).toBe(1);
  expect(stderr).toContain('set KUBECONFIG to the file it printed');
});

test.skipIf(!hasProgram('deck'))('decK brings it as a header', async () => {
  // The old form of the command: every decK has it.
  const deck = (...more: string[]) =>
    run('deck', ['dump', '--kong-addr', adminUrl(), '-o', '-', ...more]);
  expect((await deck()).code).not.toBe(0);
  const { code, stdout, stderr } = await deck('--headers', `Kong-Admin-Token:${world.adminToken}`);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('_format_version');
});

test('a restart keeps the token, and closes a file that was opened for others', async () => {
  const before = world.adminToken;
  await world.stop();
  chmodSync(tokenFile, 0o644);
  world = await World.start(['--data-dir', home]);
  expect(world.adminToken).toBe(before);
  expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  expect((await verb(['gateway', 'ping'])).stdout).toContain('Successfully connected');
});
