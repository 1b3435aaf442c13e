import { YamlError } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';
import type { EditCommand } from './command.ts';
import { type EditFlag, parseArguments } from './flags.ts';
import { type EditOutcome, type EditPlace, EditRecord } from './outcome.ts';

/** Every command of the original has it. */
const everywhere: readonly EditFlag[] = [
  { name: 'stack-trace', kind: 'bool', summary: 'taken for compatibility, and without effect' },
];

/**
 * Runs a command on the kustomization of a directory, and says what to write and print. What is
 * wrong with the command line or with a file is the outcome's problem, in the original's words.
 *
 * ```ts
 * const setImage = editCommands.find(({ path }) => path.join(' ') === 'set image')!;
 * const fileSystem = memoryFileSystem({ 'kustomization.yaml': 'resources: [web.yaml]\n' });
 * runEdit(setImage, ['web:1.2'], { fileSystem, directory: '/' }).writes[0]?.path; // '/kustomization.yaml'
 * ```
 */
export function runEdit(
  command: EditCommand,
  words: readonly string[],
  place: EditPlace,
): EditOutcome {
  const record = new EditRecord();
  try {
    command.run(parseArguments(words, [...(command.flags ?? []), ...everywhere]), place, record);
    return { ...record };
  } catch (error) {
    if (error instanceof KustomizeError) return { ...record, problem: error.message };
    if (error instanceof YamlError) return { ...record, problem: error.legacyMessage };
    throw error;
  }
}
