import { resolve } from 'node:path';
import { saveSnapshot } from '@waygate/apiserver';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';

interface Flags {
  readonly dataDir: string;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  command
    .requiredOption('--data-dir <directory>', 'the data directory of the API server')
    .requiredOption('-o, --output <file>', 'the file to write, readable by you only')
    .addHelpText(
      'after',
      `
The file holds every object, Secrets included, as of one moment. The server may run meanwhile.
Of waygate up --data-dir DIR, the API server's data directory is DIR/api.

Examples:
  waygate apiserver snapshot --data-dir ~/.waygate --output objects.snapshot
  waygate apiserver restore --data-dir ~/.waygate --from objects.snapshot`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const file = resolve(context.cwd, flags.output);
  const { objects, resourceVersion } = await saveSnapshot(
    resolve(context.cwd, flags.dataDir),
    file,
  );
  context.stdout.write(
    `${objects} objects as of resource version ${resourceVersion} are in ${flags.output}\n`,
  );
}
