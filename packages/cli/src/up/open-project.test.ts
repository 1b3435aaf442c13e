import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeStateDirectory } from '@waygate/text';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { followingText, openProject } from './open-project.ts';
import { refuseStateAsSource } from './state-as-source.ts';

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-source-')));
});
afterEach(() => rmSync(directory, { recursive: true }));

function files(tree: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.com'];
  execFileSync('git', ['-C', directory, ...identity, ...args], { stdio: 'ignore' });
}

const opened = (below = '', choice: 'auto' | 'git' | 'directory' = 'auto', path?: string) =>
  openProject(join(directory, below), choice, path);

describe('what is built', () => {
  test('plain manifests are all applied, and named; waygate.yaml is none of them', () => {
    files({ 'a.yaml': '', 'deep/b.yml': '', 'waygate.yaml': 'services: {}', 'x.txt': '' });
    const { path, source, remarks } = opened();
    expect([path, source]).toEqual(['.', { kind: 'ExternalArtifact', directory }]);
    expect(remarks).toEqual([`applying all manifests of ${directory}: a.yaml, deep/b.yml`]);
  });

  test('an overlay is followed from the directory that holds its base', () => {
    files({
      'base/kustomization.yaml': 'resources: [app.yaml]',
      'base/app.yaml': '',
      'overlays/local/kustomization.yaml': 'resources: [../../base]',
      'elsewhere/x.yaml': '',
    });
    const { path, source } = opened('overlays/local');
    expect([path, source.directory]).toEqual(['overlays/local', directory]);
  });

  test('patches, components and files of generators count as well', () => {
    files({
      'shared/patch.yaml': '',
      'shared/app.env': '',
      'a/b/kustomization.yaml': 'patches: [{path: ../../shared/patch.yaml}]\n',
      'a/c/kustomization.yaml': 'configMapGenerator: [{name: x, envs: [../../shared/app.env]}]\n',
      'a/d/kustomization.yaml':
        'configMapGenerator: [{name: x, files: [key=../../shared/app.env]}]\n',
      'a/e/kustomization.yaml': 'resources: ["https://example.com/../../x"]\n',
    });
    expect(['b', 'c', 'd', 'e'].map((each) => opened(`a/${each}`).source.directory)).toEqual([
      directory,
      directory,
      directory,
      join(directory, 'a/e'),
    ]);
  });

  test('the one overlay of a tree is taken, and that is said', () => {
    files({
      'base/kustomization.yaml': 'resources: [app.yaml]',
      'base/app.yaml': '',
      'overlays/local/kustomization.yaml': 'resources: [../../base]',
    });
    const { path, remarks } = opened();
    expect(path).toBe('overlays/local');
    expect(remarks).toEqual([`building overlays/local, the one kustomization in ${directory}`]);
  });

  test('prod is not applied beside dev', () => {
    files({
      'base/kustomization.yaml': '',
      'overlays/dev/kustomization.yaml': 'resources: [../../base]',
      'overlays/prod/kustomization.yaml': 'resources: [../../base]',
    });
    expect(() => opened()).toThrow('several below it:\n  overlays/dev\n  overlays/prod');
    expect(opened('', 'auto', 'overlays/prod').path).toBe('overlays/prod');
    files({ 'waygate.yaml': 'path: overlays/dev' });
    expect(opened().path).toBe('overlays/dev');
  });

  test('what cannot be used is said, with line and field', () => {
    expect(() => opened('nowhere')).toThrow('there is no directory');
    expect(() => opened('', 'auto', 'nowhere')).toThrow('there is no directory nowhere in');
    files({ 'waygate.yaml': 'path: .\nservice: {}' });
    expect(() => opened()).toThrow('waygate.yaml:2: service is not known here');
  });
});

describe('how it is followed', () => {
  test('the top of a work tree by the commits of its branch, once there are any', () => {
    git('init', '--quiet', '--initial-branch', 'feature/x');
    expect(opened().source.kind).toBe('ExternalArtifact');
    expect(opened().remarks.join()).toContain('there is no commit yet');
    git('commit', '--allow-empty', '--quiet', '-m', 'first');
    const { source } = opened();
    expect(source).toMatchObject({
      kind: 'GitRepository',
      directory,
      head: { branch: 'feature/x' },
    });
    expect(followingText(source)).toContain(
      `following commits of branch feature/x of ${directory}`,
    );
    expect(opened('', 'directory').source.kind).toBe('ExternalArtifact');
    git('pack-refs', '--all');
    expect(opened().source.kind).toBe('GitRepository');
    git('checkout', '--quiet', '--detach');
    expect(followingText(opened().source)).toMatch(/^following the commit [0-9a-f]{12} of /);
  });

  test('a directory inside a work tree by its files, or by commits when that is wanted', () => {
    git('init', '--quiet', '--initial-branch', 'main');
    git('commit', '--allow-empty', '--quiet', '-m', 'first');
    files({ 'inside/kustomization.yaml': '' });
    expect(opened('inside').source).toEqual({
      kind: 'ExternalArtifact',
      directory: join(directory, 'inside'),
    });
    expect(followingText(opened('inside').source)).toBe(
      `following the files of ${join(directory, 'inside')}`,
    );
    const wanted = opened('inside', 'git');
    expect([wanted.source.directory, wanted.path]).toEqual([directory, 'inside']);
  });

  test('commits where there are none are refused', () => {
    expect(() => opened('', 'git')).toThrow('is not in a Git work tree');
  });
});

describe('refuseStateAsSource', () => {
  test('state may lie inside of what is followed, and beside it', () => {
    mkdirSync(join(directory, 'source', '.waygate'), { recursive: true });
    refuseStateAsSource(join(directory, 'source'), join(directory, 'source', '.waygate'));
    refuseStateAsSource(join(directory, 'source'), join(directory, 'source', 'not-there-yet'));
    refuseStateAsSource(join(directory, 'source'), join(directory, 'state'));
    refuseStateAsSource(join(directory, 'source'), undefined);
  });

  test('what is followed may not be the state, nor lie in it, nor a link to it', () => {
    mkdirSync(join(directory, 'source', 'deep'), { recursive: true });
    symlinkSync(join(directory, 'source'), join(directory, 'link'));
    const source = join(directory, 'source');
    expect(() => refuseStateAsSource(source, source)).toThrow('is or holds');
    expect(() => refuseStateAsSource(source, join(directory, 'link'))).toThrow('is or holds');
    expect(() => refuseStateAsSource(join(source, 'deep'), source)).toThrow('is or holds');
    makeStateDirectory(join(directory, 'state'));
    expect(() => refuseStateAsSource(join(directory, 'state'), undefined)).toThrow('never source');
  });
});
