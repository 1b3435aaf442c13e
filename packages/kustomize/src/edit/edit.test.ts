import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readKustomization } from '../config/read-kustomization.ts';
import { memoryFileSystem } from '../file-system/memory.ts';
import { editedFiles, randomEdits } from '../testing/random-edits.ts';
import { editCommands } from './commands.ts';
import type { EditOutcome } from './outcome.ts';
import { runEdit } from './run-edit.ts';

interface Recorded {
  readonly before: string;
  readonly command: readonly string[];
  /** Null where the original left the file alone. */
  readonly after: string | null;
  readonly said: string;
}

const recorded = JSON.parse(
  readFileSync(new URL('./recorded-edits.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

function edit(before: string, words: readonly string[]): EditOutcome {
  const command = editCommands.find(({ path }) => path.every((word, at) => words[at] === word))!;
  return runEdit(command, words.slice(command.path.length), {
    fileSystem: memoryFileSystem({ ...editedFiles, 'kustomization.yaml': before }),
    directory: '/',
  });
}

function said({ messages, problem }: EditOutcome): string {
  const lines = messages.map(({ text, isLogged }) => `${isLogged ? 'TIME ' : ''}${text}\n`);
  if (problem !== undefined) lines.push(`Error: ${problem}\n`);
  return lines.join('').replaceAll('*types.Selector)(...)', 'SELECTOR');
}

describe('runEdit', () => {
  it.each(recorded.map((each) => [each.command.join(' '), each] as const))(
    'does as was recorded of the original for %s',
    (_name, { before, command, after, said: expected }) => {
      const outcome = edit(before, command);
      expect(said(outcome)).toBe(expected);
      const text = outcome.writes.at(-1)?.content ?? before;
      expect(text).toBe(after ?? before);
    },
  );

  it('leaves all other fields as they were', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (seed) => {
        const { text } = randomEdits(seed);
        const { problem, writes } = edit(text, ['set', 'namespace', 'shop']);
        // An empty file is none to the reader, a var gets what it lacks, and 1.0 is written as 1.
        fc.pre(problem === undefined && text !== '' && !/vars:|helmCharts:/.test(text));
        const before = readKustomization(`${text}\nnamespace: shop\n`).kustomization;
        expect(readKustomization(String(writes[0]?.content)).kustomization).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });

  it('writes nothing when it fails', () => {
    const outcome = edit('foo: bar\n', ['set', 'image', 'web:1']);
    expect(outcome).toMatchObject({
      writes: [],
      problem: 'invalid Kustomization: json: unknown field "foo"',
    });
  });
});
