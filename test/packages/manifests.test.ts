import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../code-blocks.ts';

// What every library says about itself, and what pages may tell people to run.

const rooms = readdirSync(join(root, 'packages'));
const manifestOf = (room: string) =>
  JSON.parse(readFileSync(join(root, 'packages', room, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const { version } = manifestOf('cli');

describe.each(rooms.filter((room) => room !== 'cli'))('@waygate/%s', (room) => {
  const manifest = manifestOf(room);

  test('says what it is, and where it is from', () => {
    expect(manifest).toMatchObject({
      name: `@waygate/${room}`,
      version,
      description: expect.stringMatching(/\.$/),
      license: 'Apache-2.0',
      repository: { type: 'git', directory: `packages/${room}` },
      type: 'module',
      engines: { node: '>=20.19' },
      sideEffects: false,
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    });
    expect(text(`packages/${room}/LICENSE`)).toBe(text('LICENSE'));
    expect(text(`packages/${room}/README.md`).length).toBeGreaterThan(200);
  });

  test('brings what it needs and no leftovers', () => {
    const files = manifest.files as string[];
    const hasData = existsSync(join(root, 'packages', room, 'data'));
    expect(files.includes('data')).toBe(hasData);
    expect(files).toEqual(
      expect.arrayContaining(['dist', 'src', '!dist/.tsbuildinfo', '!src/**/*.test.ts']),
    );
    expect(manifest).not.toHaveProperty('scripts');
  });

  test('names the rooms that it imports, at the version that they have', () => {
    const imported = new Set(importsOf(join(root, 'packages', room, 'src')));
    const { dependencies = {} } = manifest as { dependencies?: Record<string, string> };
    const own = Object.entries(dependencies).filter(([name]) => name.startsWith('@waygate/'));
    expect(own.filter(([, wanted]) => wanted !== version)).toEqual([]);
    expect([...imported].filter((name) => !(name in dependencies))).toEqual([]);
  });
});

test('the changes are told by package', () => {
  const [, unreleased = ''] = text('CHANGELOG.md').split(/^## /m);
  expect(unreleased).toMatch(/^Unreleased\n/);
  const named = [...unreleased.matchAll(/^### (.*)$/gm)].map(([, name]) => name);
  const known = rooms.map((room) => manifestOf(room).name);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

test('nobody is told to run a name that somebody else may publish', () => {
  const told = pages('').filter((path) => /\bnpx waygate\b/.test(text(path)));
  expect(told).toEqual([]);
});

/** The packages that sources which are installed import. */
function importsOf(directory: string): string[] {
  return sources(directory).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^;]*?from '([^.][^']*)';/gm)]
      .map(([, name = '']) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter((name) => !name.startsWith('node:')),
  );
}

function sources(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return ['testing', 'faults'].includes(entry.name) ? [] : sources(path);
    return /(?<!\.test)\.ts$/.test(entry.name) ? [path] : [];
  });
}

function pages(directory: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}${entry.name}`;
    if (entry.isDirectory())
      return ['node_modules', 'dist', '.git', 'data'].includes(entry.name) ? [] : pages(`${path}/`);
    return /(\.md|(?<!\.test)\.ts)$/.test(entry.name) ? [path] : [];
  });
}
