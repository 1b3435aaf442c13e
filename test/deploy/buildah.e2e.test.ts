import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasProgram, run, workspace } from '../real/processes.ts';
import { Buildah, type ImageConfiguration } from './buildah.ts';
import { imageSettings, startContainer } from './container.ts';
import { type Entry, entriesOf } from './file-entries.ts';
import { OwnMachine } from './own-machine.ts';

// The Containerfile, from its first line to its last, by a builder.

const missing = ['git', 'ssh', 'tini', 'prlimit', 'strip'].filter((name) => !hasProgram(name));
const problem =
  missing.length > 0
    ? `${missing.join(', ')} is not here`
    : (Buildah.problem() ?? OwnMachine.problem());
if (problem !== undefined) console.warn(`the Containerfile is not built: ${problem}`);

const mostBytes = 150_000_000;

describe.skipIf(problem !== undefined)('the image that buildah makes', () => {
  const tag = 'localhost/waygate:test';
  let buildah: Buildah;
  let home: string;
  let root: string;
  let configuration: ImageConfiguration;
  let entries: readonly Entry[];

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'waygate-built-'));
    buildah = new Buildah();
    await buildah.makeBase('localhost/base');
    await buildah.build(workspace, 'localhost/base', tag);
    configuration = await buildah.configurationOf(tag);
    root = await buildah.mount(tag);
    entries = entriesOf(root);
  }, 1_200_000);

  afterAll(async () => {
    await buildah?.[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  test('is not root’s, and starts what the Containerfile says', () => {
    const { user, entrypoint, environment } = imageSettings();
    expect(configuration).toMatchObject({ User: user, Entrypoint: entrypoint });
    expect(configuration.Env).toEqual(
      Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    );
  });

  test('is small, and has no shell', () => {
    expect(entries.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(mostBytes);
    const names = entries.map(({ path }) => path.split('/').at(-1));
    for (const name of ['sh', 'bash', 'dash', 'busybox', 'apt-get', 'npm'])
      expect(names).not.toContain(name);
  });

  test('has, file by file, what is made of the same sources outside', async () => {
    // Built inside with packages of its own, assembled outside: the same bytes, modes and times.
    const outside = join(home, 'outside');
    const script = join(workspace, 'scripts/image.mjs');
    const { code, stderr } = await run(process.execPath, [script, outside]);
    expect(code, stderr).toBe(0);
    const lines = (list: readonly Entry[]) => list.map(({ line }) => line);
    const built = new Set(lines(entries));
    const made = lines(entriesOf(outside));
    expect(made.filter((line) => !built.has(line))).toEqual([]);
    expect(made).toHaveLength(built.size);
  });

  test('runs, with a root that cannot be written', async () => {
    const data = join(home, 'data');
    mkdirSync(data);
    const program = startContainer(root, data, ['version']);
    await expect.poll(() => program.output(), { timeout: 60_000 }).toMatch(/^waygate \d/m);
    await program.stop('SIGKILL');
  });
});
