import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunResult, runInProcess } from '../run-in-process.ts';

describe('waygate edit', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'waygate-edit-verb-'));
    writeFileSync(join(directory, 'kustomization.yaml'), '# ours\nresources:\n- web.yaml\n');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const run = (...words: string[]): Promise<RunResult> =>
    runInProcess(['edit', ...words], { cwd: directory });
  const text = (): string => readFileSync(join(directory, 'kustomization.yaml'), 'utf8');

  it('writes the file of the working directory, and keeps its comments', async () => {
    const result = await run('set', 'image', 'web=shop/web:2');
    expect(result).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(text()).toBe(
      '# ours\nresources:\n- web.yaml\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nimages:\n- name: web\n  newName: shop/web\n  newTag: "2"\n',
    );
  });

  it('takes what follows two dashes as it stands', async () => {
    expect(await run('set', 'namesuffix', '--', '-v2')).toMatchObject({ exitCode: 0 });
    expect(text()).toContain('nameSuffix: -v2\n');
  });

  it("refuses in kustomize's words and leaves the file alone", async () => {
    const before = text();
    expect(await run('set', 'namespace', '-x')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: "waygate: unknown shorthand flag: 'x' in -x\n",
    });
    expect(text()).toBe(before);
  });

  it('puts the time before what it only notes', async () => {
    const { stderr } = await run('add', 'resource', '--no-verify', 'web.yaml');
    expect(stderr).toMatch(
      /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d resource web\.yaml already in kustomization file\n$/,
    );
  });

  it('shows the flags of a command', async () => {
    const { stdout, exitCode } = await run('add', 'secret', '--help');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('--from-env-file <value>');
  });

  it('moves deprecated fields, and shows what it builds to since', async () => {
    writeFileSync(
      join(directory, 'web.yaml'),
      'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n',
    );
    writeFileSync(
      join(directory, 'kustomization.yaml'),
      'bases: [web.yaml]\ncommonLabels: {a: b}\n',
    );
    const { stdout, stderr, exitCode } = await run('fix');
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
    expect(stdout).toContain('commonLabels -> labels');
    expect(stderr).toContain("# Warning: 'bases' is deprecated.");
    expect(text()).toContain('labels:\n- includeSelectors: true\n  pairs:\n    a: b\n');
  });
});

describe('waygate create', () => {
  it('makes a file once, and never over one that is there', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-create-verb-'));
    const text = (): string => readFileSync(join(directory, 'kustomization.yaml'), 'utf8');
    try {
      writeFileSync(
        join(directory, 'web.yaml'),
        'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n',
      );
      const run = (...words: string[]): Promise<RunResult> =>
        runInProcess(['create', ...words], { cwd: directory });
      expect(await run('--autodetect', '--namespace', 'shop')).toEqual({
        exitCode: 0,
        stdout: '',
        stderr: '',
      });
      const made =
        'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- web.yaml\nnamespace: shop\n';
      expect(text()).toBe(made);
      expect(await run()).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: 'waygate: kustomization file already exists\n',
      });
      expect(text()).toBe(made);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
