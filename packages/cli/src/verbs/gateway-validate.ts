import {
  buildTarget,
  entityKinds,
  errorLines,
  KongState,
  randomId,
  validateEntity,
} from '@waygate/kong';
import type { Command } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { type FileOptions, fileArguments, readStateFiles } from './gateway-files.ts';

interface ValidateOptions extends FileOptions {
  readonly schemas?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  fileArguments(command)
    .option('--no-schemas', 'check only the shape of the files, as decK does')
    .addHelpText(
      'after',
      `
Every entity is checked against the schemas of Kong 3.9, with its words. Variables of the
environment need not be set.

Examples:
  waygate gateway validate kong.yaml
  cat kong.yaml | waygate gateway validate -`,
    )
    .action(async (paths: readonly string[], options: ValidateOptions) => {
      const { config } = await readStateFiles(paths, options, context, { isLenient: true });
      const { target, problems } = buildTarget(config, {
        current: new KongState(),
        newId: randomId,
      });
      const messages = problems.map(({ message }) => message);
      const isModern = config._format_version === '3.0';
      if (options.schemas !== false && isModern) messages.push(...schemaProblems(target));
      if (messages.length > 0) throw new CliError(messages.join('\n'));
    });
}

/** What Kong would have against the entities, without asking one. */
function schemaProblems(target: KongState): readonly string[] {
  return entityKinds.flatMap((kind) =>
    [...target.values(kind.collection)].flatMap((entity) => {
      const { errors } = validateEntity(kind.collection, entity);
      const name = String((kind.labelField && entity[kind.labelField]) ?? entity.id);
      return errors === undefined
        ? []
        : errorLines(errors).map((line) => `${kind.noun} ${name}: ${line}`);
    }),
  );
}
