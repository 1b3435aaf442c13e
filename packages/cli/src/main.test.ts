import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from './run-in-process.ts';
import { verbs } from './verbs.ts';

describe('waygate', () => {
  test('with no verb shows its help and calls it wrong usage', async () => {
    const result = await runInProcess([]);
    expect(result.exitCode).toBe(64);
    for (const verb of verbs) expect(result.stdout).toContain(verb.name);
  });

  test('--help is not an error', async () => {
    const result = await runInProcess(['--help']);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain('Usage: waygate');
  });

  test('an unknown verb is wrong usage, and the nearest one is offered', async () => {
    const result = await runInProcess(['versoin']);
    expect(result.exitCode).toBe(64);
    expect(result.stderr).toContain('version');
  });

  test('an unknown flag is wrong usage and is named', async () => {
    const result = await runInProcess(['version', '--colour']);
    expect(result.exitCode).toBe(64);
    expect(result.stderr).toContain('--colour');
  });

  test.each(verbs.map(({ name }) => name))('%s --help shows what it does', async (name) => {
    const result = await runInProcess([name, '--help']);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain(`Usage: waygate ${name}`);
  });

  test.each(verbs.map(({ name }) => name))('%s is in the table of the README', (name) => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const cells = readme.split('\n').flatMap((line) => /^\| (`.*`) \|/.exec(line)?.[1] ?? []);
    expect(cells.join(' ')).toMatch(new RegExp(`\`${name}[\` ]`));
  });

  test('version prints as text, JSON and YAML', async () => {
    expect((await runInProcess(['version'])).stdout).toMatch(
      /^waygate \d+\.\d+\.\d+ \(Node\.js .+\)\n$/,
    );
    const json: unknown = JSON.parse((await runInProcess(['version', '-o', 'json'])).stdout);
    expect(json).toMatchObject({ node: process.versions.node });
    expect((await runInProcess(['version', '-o', 'yaml'])).stdout).toContain('node: ');
  });
});

describe('completion', () => {
  test('bash completes verbs and options', async () => {
    const script = (await runInProcess(['completion', 'bash'])).stdout;
    const directory = mkdtempSync(join(tmpdir(), 'waygate-completion-'));
    try {
      writeFileSync(join(directory, 'script'), script);
      const complete = (...words: string[]) =>
        spawnSync(
          'bash',
          [
            '-c',
            `waygate() { echo "asked-$2 \${*:3}"; }; source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _waygate; echo "\${COMPREPLY[*]}"`,
            join(directory, 'script'),
            'waygate',
            ...words,
          ],
          { encoding: 'utf8' },
        ).stdout.trim();
      expect(complete('versi')).toBe('version');
      expect(complete('version', '--ou')).toBe('--output');
      expect(complete('get', '-o', 'ya')).toBe('yaml');
      expect(complete('get', '-n', 'asked')).toBe('asked-namespaces');
      expect(complete('get', '--context', 'asked')).toBe('asked-contexts');
      expect(complete('reconcile', 'as')).toBe('asked-objects');
      expect(complete('reconcile', 'source', 'git', 'g')).toBe('git');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test.each(['zsh', 'fish'])('%s gets a script', async (shell) => {
    expect((await runInProcess(['completion', shell])).stdout).toContain('waygate');
  });

  test('kinds and contexts are told to the scripts, and no cluster is no words', async () => {
    const kubeconfig = join(tmpdir(), 'waygate-no-such-kubeconfig');
    const env = { KUBECONFIG: kubeconfig };
    const tell = async (...words: string[]) =>
      (await runInProcess(['completion', ...words], { env })).stdout.split('\n').slice(0, -1);
    expect(await tell('objects')).toContain('kustomization');
    expect(await tell('objects', 'source')).toContain('git');
    expect(await tell('objects', 'ks')).toEqual([]);
    expect(await tell('namespaces')).toEqual([]);
    expect(await tell('contexts')).toEqual([]);
  });

  test('fish asks for names, and knows the values of options', async () => {
    const script = (await runInProcess(['completion', 'fish'])).stdout;
    expect(script).toMatch(/-l namespace -s n -x -a '\(waygate completion namespaces/);
    expect(script).toMatch(/-l output -s o -x -a 'text .*json yaml'/);
    expect(script).toContain('(waygate completion objects (commandline -opc)[3..] 2>/dev/null)');
  });

  test('another shell is wrong usage', async () => {
    expect((await runInProcess(['completion', 'cmd'])).exitCode).toBe(64);
  });
});
