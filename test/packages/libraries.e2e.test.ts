import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../code-blocks.ts';
import { buildTypes } from './build-types.ts';

// Every library as npm would publish it, judged by the tools that judge published packages.

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const libraries = readdirSync(join(root, 'packages')).filter((room) => room !== 'cli');
let directory = '';
let packed: Packed[] = [];

beforeAll(() => {
  buildTypes();
  directory = mkdtempSync(join(tmpdir(), 'waygate-libraries-'));
  const workspaces = libraries.flatMap((room) => ['--workspace', `packages/${room}`]);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
  const { status, stdout, stderr } = spawnSync('npm', [...args, ...workspaces], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  expect(status, stderr).toBe(0);
  packed = JSON.parse(stdout) as Packed[];
}, 600_000);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(libraries)('@waygate/%s', (room) => {
  const own = () => packed.find(({ name }) => name === `@waygate/${room}`)!;
  const tarball = () => readFileSync(join(directory, own().filename));

  test('has no leftovers of builds and tests in it', () => {
    const leftover = /tsbuildinfo|\.test\.|\/\.web$|(^|\/)(fixtures|node_modules)\//;
    expect(own().files.filter(({ path }) => leftover.test(path))).toEqual([]);
    expect(own().files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts']),
    );
  });

  test('is what publint asks for', async () => {
    const data = Uint8Array.from(tarball()).buffer;
    const { messages } = await publint({ pack: { tarball: data }, strict: true });
    expect(messages).toEqual([]);
  });

  test('has types that are found, and that are right', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(tarball()));
    if (!analysis.types) throw new Error('there are no types');
    // Modules only: `require` of them is Node's own, and resolution as of Node.js 10 knows no `exports`.
    const expected = ['NoResolution node10', 'CJSResolvesToESM node16-cjs'];
    const problems = analysis.problems.map((problem) =>
      'resolutionKind' in problem ? `${problem.kind} ${problem.resolutionKind}` : problem.kind,
    );
    expect(problems.filter((problem) => !expected.includes(problem))).toEqual([]);
  });
});

test('a project of the operator template passes its own checks on them', () => {
  const project = join(directory, 'boxes');
  const cli = join(root, 'packages/cli/bin/waygate.js');
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: project,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  };
  mkdirSync(project);
  run(cli, 'init', '.', '--template', 'operator', '--kind', 'Box', '--group', 'team.dev');
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(project, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  const wanted = Object.entries({ ...dependencies, ...devDependencies });
  // What npm would install, without a network: our own from the tarballs, those of others from here.
  const installed = join(project, 'node_modules');
  mkdirSync(join(installed, '@waygate'), { recursive: true });
  for (const entry of readdirSync(join(root, 'node_modules')))
    if (entry !== '@waygate')
      symlinkSync(join(root, 'node_modules', entry), join(installed, entry));
  const ours = wanted.filter(([name]) => name.startsWith('@waygate/'));
  for (const [name, place] of ours) {
    expect(place).toMatch(/^file:packages\/waygate-[a-z]+-[\d.]+\.tgz$/);
    const tarball = join(directory, place.slice('file:packages/'.length));
    mkdirSync(join(installed, name));
    const args = ['--extract', '--file', tarball, '--strip-components=1'];
    const { status, stderr } = spawnSync('tar', args, { cwd: join(installed, name) });
    expect(status, String(stderr)).toBe(0);
  }
  run(join(installed, 'typescript/bin/tsc'), '--noEmit');
  expect(run(join(installed, 'vitest/vitest.mjs'), 'run')).toMatch(/1 passed/);
  expect(run(cli, 'types', 'crd.yaml')).toBe(
    readFileSync(join(project, 'src/generated/box.ts'), 'utf8'),
  );
});
