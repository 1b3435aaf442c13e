import { KustomizeError } from '../kustomize-error.ts';
import type { EditCommand } from './command.ts';
import { openKustomization } from './kustomization-file.ts';

function setOne(
  field: 'namespace' | 'namePrefix' | 'nameSuffix',
  word: string,
  example: string,
): EditCommand {
  return {
    path: ['set', field.toLowerCase()],
    summary: `Set the ${field} field`,
    operands: '<value>',
    examples: [`set ${field.toLowerCase()} ${example}`],
    run(args, place, record) {
      if (args.words.length !== 1) {
        throw new KustomizeError(`must specify exactly one ${word} value`);
      }
      const file = openKustomization(place);
      file.draft[field] = args.words[0]!;
      record.write(file.path, file.print());
    },
  };
}

/** The commands that set one name. */
export const nameCommands: readonly EditCommand[] = [
  setOne('namePrefix', 'prefix', 'acme-'),
  setOne('nameSuffix', 'suffix', '-- -v2'),
  setOne('namespace', 'namespace', 'staging'),
];
