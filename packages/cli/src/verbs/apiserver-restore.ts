import { resolve } from 'node:path';
import { restoreStore } from '@waygate/apiserver';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';

interface Flags {
  readonly dataDir: string;
  readonly from?: string;
}

export function configure(command: Command, context: CliContext): void {
  command
    .requiredOption('--data-dir <directory>', 'the data directory of the API server')
    .option('--from <file>', 'a snapshot; without it, what can be read of the store that is there')
    .addHelpText(
      'after',
      `
The server must not run. The store that is there is kept beside the new one, and watches begin anew.

Examples:
  waygate apiserver restore --data-dir ~/.waygate
  waygate apiserver restore --data-dir ~/.waygate --from objects.snapshot`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const { objects, resourceVersion, replaced, problems } = await restoreStore(
    resolve(context.cwd, flags.dataDir),
    flags.from === undefined ? undefined : resolve(context.cwd, flags.from),
  );
  for (const problem of problems) context.stderr.write(`could not be read: ${problem}\n`);
  const origin = flags.from === undefined ? 'the store that was there' : flags.from;
  context.stdout.write(`${objects} objects were restored from ${origin}\n`);
  context.stdout.write(`resource versions go on from ${resourceVersion}\n`);
  if (replaced !== undefined) context.stdout.write(`what was there is in ${replaced}\n`);
}
