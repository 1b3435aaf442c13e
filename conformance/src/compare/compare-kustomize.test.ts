import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  compareBuild,
  comparedBuildsText,
  differenceOf,
  kustomizationDirectories,
  realProblem,
} from './compare-kustomize.ts';

test.each([
  [{ text: 'a' }, { text: 'a' }, 'same bytes'],
  [{ text: 'a\n---\nb\n' }, { text: 'b\n---\na\n' }, 'other order'],
  [{ text: 'a' }, { text: 'b' }, 'other bytes'],
  [{ problem: 'x\n' }, { problem: 'x' }, 'both refuse, same words'],
  [{ problem: 'x' }, { problem: 'y' }, 'both refuse, other words'],
  [{ problem: 'x' }, { text: 'a' }, 'only ours builds'],
  [{ text: 'a' }, { problem: 'x' }, 'only the real one builds'],
])('%j and %j are: %s', (real, ours, kind) => {
  expect(differenceOf(real, ours)).toBe(kind);
});

test.each([
  ['Error: no\n', 'no'],
  [
    '# Warning: old\nError: bad config: `\npaths:\n- x\n`: gone\n',
    'bad config: `\npaths:\n- x\n`: gone',
  ],
  ['Error: first\nError: second\n  and more\n', 'second\n  and more'],
  [
    'Error: merging from generator &{0x31553e4cac30 <nil>}: id\n',
    'merging from generator &{0x… <nil>}: id',
  ],
  ['panic: gone\n', 'panic: gone'],
])('%j says what went wrong', (stderr, problem) => {
  expect(realProblem(stderr)).toBe(problem);
});

test('trees are looked through, and each directory is built by both', () => {
  const root = mkdtempSync(join(tmpdir(), 'waygate-compare-'));
  try {
    for (const [path, text] of Object.entries({
      'a/kustomization.yaml': 'resources: [cm.yaml]\n',
      'a/cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n',
      'b/c/Kustomization': 'resources: [none.yaml]\n',
      'd/kustomization.yml': 'resources: ["https://git.example/x//y?ref=z"]\n',
      '.git/kustomization.yaml': 'no: {\n',
    })) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const found = kustomizationDirectories([root]);
    expect(found).toEqual([join(root, 'a'), join(root, 'b/c'), join(root, 'd')]);
    // Whatever it is asked, this one says the same.
    const real = [process.execPath, '-e', 'process.stdout.write("kind: Other\\n")', '--'];
    const compared = found.map((directory) => compareBuild(real, directory));
    expect(comparedBuildsText(compared, root)).toMatch(
      /^3 directories\n {6}1 {2}other bytes\n {6}1 {2}only the real one builds\n {6}1 {2}needs the network\n\nother bytes: a\n {2}real: kind: Other\n {2}ours: apiVersion: v1\n/,
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});
