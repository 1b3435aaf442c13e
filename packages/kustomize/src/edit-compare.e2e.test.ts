import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editCommands } from './edit/commands.ts';
import { createCommand } from './edit/create.ts';
import { runEdit } from './edit/run-edit.ts';
import { directoryFileSystem } from './file-system/directory.ts';
import { localize } from './localize/localize.ts';
import { randomCreate } from './testing/random-creates.ts';
import { type EditScript, editedFiles, randomEdits } from './testing/random-edits.ts';

const SCRIPTS = Number(process.env.WAYGATE_SEEDS ?? 200);
const FIRST_SEED = Number(process.env.WAYGATE_FIRST_SEED ?? 1);
/** Two programs for each line, on a machine that may be busy. */
const timeout = Math.max(120_000, SCRIPTS * 1000);
const KUSTOMIZE = process.env.WAYGATE_KUSTOMIZE ?? 'kustomize';

function hasKustomize(): boolean {
  try {
    return execFileSync(KUSTOMIZE, ['version'], { encoding: 'utf8' }).startsWith('v5.8');
  } catch {
    return false;
  }
}

interface Seen {
  readonly text: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly hasFailed: boolean;
}

const TIME = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /gm;
const ADDRESS = /\*types\.Selector\)\((?:0x[0-9a-f]+|\.\.\.)\)/g;

/** Without what differs from run to run, and without the object that the original dumps as Go does. */
function plain(text: string, root: string): string {
  return text
    .replaceAll(root, 'ROOT')
    .replace(/&\{0x(?:[0-9a-f]+|…) /g, '&{ADDRESS ')
    .replace(/map\[string\]interface \{\}\{.*\}: json:/g, 'OBJECT: json:');
}

function original(root: string, words: readonly string[]): Seen {
  const result = spawnSync(KUSTOMIZE, ['edit', ...words], { cwd: root, encoding: 'utf8' });
  if (result.status === 2) return { text: '', stdout: '', stderr: 'panic', hasFailed: true };
  // What follows is the help, which has words of its own here.
  const [stderr = ''] = result.stderr.split(/^Usage:$/m);
  return {
    text: readFileSync(join(root, 'kustomization.yaml'), 'utf8'),
    stdout: plain(result.stdout, root),
    stderr: stderr.replaceAll(root, 'ROOT').replace(TIME, 'TIME ').replace(ADDRESS, 'SELECTOR'),
    hasFailed: result.status !== 0,
  };
}

function ours(root: string, words: readonly string[]): Seen {
  const command = editCommands.find(({ path }) => path.every((word, at) => words[at] === word))!;
  const { writes, messages, problem, stdout } = runEdit(command, words.slice(command.path.length), {
    fileSystem: directoryFileSystem('/'),
    directory: root,
  });
  for (const { path, content } of writes) writeFileSync(path, content);
  const lines = messages.map(({ text, isLogged }) => `${isLogged ? 'TIME ' : ''}${text}\n`);
  if (problem !== undefined) lines.push(`Error: ${problem}\n`);
  return {
    text: readFileSync(join(root, 'kustomization.yaml'), 'utf8'),
    stdout: plain(stdout, root),
    stderr: lines.join('').replaceAll(root, 'ROOT').replace(ADDRESS, 'SELECTOR'),
    hasFailed: problem !== undefined,
  };
}

/** Every file below a directory, with what it holds. */
function filesBelow(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(directory, name)).isFile())
      .map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
  );
}

const localizedText = `resources: [a.yaml, base]
configMapGenerator: [{name: g, envs: [settings.env]}]
namePrefix: a- # why
commonLabels: {b: c}
`;

const isThere = hasKustomize();
if (!isThere) process.stderr.write('no kustomize 5.8 here: its edits are not compared\n');

describe.runIf(isThere)('beside kustomize edit', () => {
  let root = '';
  let lines = 0;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'waygate-edit-'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  function prepare(text: string): void {
    lay({ ...editedFiles, 'kustomization.yaml': text });
  }

  /** Makes the directory anew, with these files. */
  function lay(files: Readonly<Record<string, string>>): void {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
  }

  /** Gives one command to both on the same file, and goes on with what came of it. */
  function compare({ text, commands }: EditScript, seed: number): void {
    let before = text;
    for (const words of commands) {
      prepare(before);
      const expected = original(root, words);
      // It ends in a panic on an entry of labels without pairs.
      if (expected.stderr === 'panic') return;
      prepare(before);
      const seen = ours(root, words);
      expect({ seed, words, before, ...seen }).toEqual({ seed, words, before, ...expected });
      before = expected.text;
      lines += 1;
    }
  }

  const localized: readonly (readonly string[])[] = [
    ['.'],
    ['.', 'copy'],
    ['.', 'a.yaml'],
    ['.', 'no/such'],
    ['nowhere'],
    ['a.yaml'],
    ['.', 'copy', '--scope', 'nowhere'],
  ];
  it.each(localized)('localizes %s %s %s %s', async (...words) => {
    const at = words.indexOf('--scope');
    const [target, destination] = at < 0 ? words : words.slice(0, at);
    const expected = await only(['localize', ...words, '--no-verify']);
    prepare(localizedText);
    let said = '';
    try {
      const { writes } = await localize({
        fileSystem: directoryFileSystem('/'),
        directory: root,
        target: target ?? '.',
        destination,
        scope: at < 0 ? undefined : words[at + 1],
      });
      for (const [path, content] of writes) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, content);
      }
    } catch (error) {
      said = (error as Error).message;
    }
    expect({ said: said.replaceAll(root, 'ROOT'), files: filesBelow(root) }).toEqual(expected);
    lines += 1;
  });

  /** What the original leaves and, where it fails, says. */
  async function only(words: readonly string[]) {
    prepare(localizedText);
    const { stderr, status } = spawnSync(KUSTOMIZE, words, { cwd: root, encoding: 'utf8' });
    const said =
      status === 0
        ? ''
        : stderr
            .replace(/^Error: /, '')
            .trim()
            .replaceAll(root, 'ROOT');
    return { said, files: filesBelow(root) };
  }

  it(
    'makes the same file and says the same for random directories',
    () => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SCRIPTS / 2; seed += 1) {
        const { files, words } = randomCreate(seed);
        lay(files);
        const result = spawnSync(KUSTOMIZE, ['create', ...words], { cwd: root, encoding: 'utf8' });
        const [stderr = ''] = result.stderr.split(/^Usage:$/m);
        const said = stderr.replaceAll(root, 'ROOT').replace(TIME, 'TIME ');
        const expected = { files: filesBelow(root), said, hasFailed: result.status !== 0 };
        lay(files);
        const { writes, messages, problem } = runEdit(createCommand, words, {
          fileSystem: directoryFileSystem('/'),
          directory: root,
        });
        for (const { path, content } of writes) writeFileSync(path, content);
        const spoken = messages.map(({ text, isLogged }) => `${isLogged ? 'TIME ' : ''}${text}\n`);
        if (problem !== undefined) spoken.push(`Error: ${problem}\n`);
        const seen = {
          files: filesBelow(root),
          said: spoken.join('').replaceAll(root, 'ROOT'),
          hasFailed: problem !== undefined,
        };
        expect({ seed, words, ...seen }).toEqual({ seed, words, ...expected });
        lines += 1;
      }
    },
    timeout,
  );

  it(
    'leaves the same files and says the same for random edits',
    () => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SCRIPTS; seed += 1) {
        compare(randomEdits(seed), seed);
      }
      expect(lines).toBeGreaterThanOrEqual(SCRIPTS * 1.5);
    },
    timeout,
  );
});
