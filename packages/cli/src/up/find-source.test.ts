import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeStateDirectory } from '@waygate/text';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findSource, refuseStateAsSource } from './find-source.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-source-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('findSource', () => {
  test('a plain directory is followed by its files', () => {
    expect(findSource(directory, 'auto')).toEqual({ kind: 'ExternalArtifact', directory });
  });

  test('the top of a work tree is followed by the commits of its branch', () => {
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'feature/x', directory]);
    expect(findSource(directory, 'auto')).toEqual({
      kind: 'GitRepository',
      directory,
      branch: 'feature/x',
    });
    expect(findSource(directory, 'directory').kind).toBe('ExternalArtifact');
  });

  test('a directory inside a work tree is followed by its files', () => {
    execFileSync('git', ['init', '--quiet', directory]);
    mkdirSync(join(directory, 'inside'));
    expect(findSource(join(directory, 'inside'), 'auto').kind).toBe('ExternalArtifact');
  });

  test('what cannot be followed is said', () => {
    expect(() => findSource(join(directory, 'nowhere'), 'auto')).toThrow('there is no directory');
    expect(() => findSource(directory, 'git')).toThrow('is not the top of a Git work tree');
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
