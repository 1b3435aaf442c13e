import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { joinPath } from '../file-system/file-system.ts';
import { memoryFileSystem } from '../file-system/memory.ts';
import { createCommand } from './create.ts';
import { fixCommand } from './fix.ts';
import type { EditOutcome } from './outcome.ts';
import { runEdit } from './run-edit.ts';

interface Recorded {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly command: readonly string[];
  /** The files that the original changed or made. */
  readonly writes: Readonly<Record<string, string>>;
  readonly stdout: string;
  readonly said: string;
}

const recorded = JSON.parse(
  readFileSync(new URL('./recorded-fixes.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

function run(files: Recorded['files'], directory: string, words: readonly string[]): EditOutcome {
  const command = words[0] === 'create' ? createCommand : fixCommand;
  return runEdit(command, words.slice(1), {
    fileSystem: memoryFileSystem({ ...files }),
    directory: joinPath('/', directory),
  });
}

function said({ messages, problem }: EditOutcome): string {
  const lines = messages.map(({ text, isLogged }) => `${isLogged ? 'TIME ' : ''}${text}\n`);
  return lines.join('') + (problem === undefined ? '' : `Error: ${problem}\n`);
}

describe('edit fix and create', () => {
  it.each(recorded.map((each) => [`${each.command.join(' ')}: ${each.title}`, each] as const))(
    'does as was recorded of the original: %s',
    (_name, { files, directory, command, writes, stdout, said: expected }) => {
      const outcome = run(files, directory, command);
      expect(said(outcome)).toBe(expected);
      expect(outcome.stdout).toBe(stdout);
      const written = new Map(outcome.writes.map(({ path, content }) => [path.slice(1), content]));
      const changed = [...written].filter(([path, content]) => files[path] !== content);
      expect(Object.fromEntries(changed)).toEqual(writes);
    },
  );

  it('fixes a fixed file into itself', () => {
    for (const { files, directory, command, writes } of recorded) {
      if (command[0] !== 'fix' || Object.keys(writes).length === 0) continue;
      const again = run({ ...files, ...writes }, directory, command);
      for (const { path, content } of again.writes) {
        expect(content).toBe(writes[path.slice(1)]);
      }
    }
  });

  it('empties neither of two files that are there, as the original does', () => {
    const files = { 'kustomization.yaml': 'resources: []\n', Kustomization: '' };
    const { writes, problem } = run(files, '.', ['create']);
    expect(writes).toEqual([]);
    expect(problem).toContain('Found multiple kustomization file');
  });

  it('names a key with a dot as the build finds it, in quotes or not', () => {
    const { stdout, writes } = run(
      {
        'kustomization.yaml': `resources: [a.yaml]\nvars:\n- name: NAME\n  objref: {kind: ConfigMap, name: a, apiVersion: v1}\n`,
        'a.yaml':
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {"x.y": "$(NAME)"}\n',
      },
      '.',
      ['fix', '--vars'],
    );
    expect(writes.at(-1)?.content).toContain('- data.[x.y]\n');
    expect(stdout).not.toContain('produces the error');
  });
});
