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
});
