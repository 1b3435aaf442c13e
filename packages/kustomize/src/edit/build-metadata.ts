import { KustomizeError } from '../kustomize-error.ts';
import type { EditCommand } from './command.ts';
import type { EditArguments } from './flags.ts';
import { openKustomization } from './kustomization-file.ts';

const known: readonly string[] = ['originAnnotations', 'transformerAnnotations', 'managedByLabel'];

function givenOptions(args: EditArguments): readonly string[] {
  if (args.words.length === 0) throw new KustomizeError('must specify a buildMetadata option');
  if (args.words.length > 1) {
    throw new KustomizeError(
      `too many arguments: [${args.words.join(' ')}]; to provide multiple buildMetadata options, please separate options by comma`,
    );
  }
  const options = args.words[0]!.split(',');
  const wrong = options.find((option) => !known.includes(option));
  if (wrong !== undefined) throw new KustomizeError(`invalid buildMetadata option: ${wrong}`);
  return options;
}

function command(
  verb: string,
  summary: string,
  change: (before: readonly string[], options: readonly string[]) => readonly string[],
): EditCommand {
  return {
    path: [verb, 'buildmetadata'],
    summary,
    operands: '<option,...>',
    about: `The options are ${known.join(', ')}.`,
    examples: [`${verb} buildmetadata originAnnotations,managedByLabel`],
    run(args, place, record) {
      const options = givenOptions(args);
      const file = openKustomization(place);
      file.draft.buildMetadata = change(file.draft.buildMetadata ?? [], options);
      record.write(file.path, file.print());
    },
  };
}

function added(before: readonly string[], options: readonly string[]): readonly string[] {
  const result = [...before];
  for (const option of options) {
    if (result.includes(option)) {
      throw new KustomizeError(`buildMetadata option ${option} already in kustomization file`);
    }
    result.push(option);
  }
  return result;
}

/** The commands for what a build notes on its resources. */
export const buildMetadataCommands: readonly EditCommand[] = [
  command('set', 'Set what builds note on resources', (_before, options) => options),
  command('add', 'Add to what builds note on resources', added),
  command('remove', 'Remove from what builds note on resources', (before, options) =>
    before.filter((option) => !options.includes(option)),
  ),
];
