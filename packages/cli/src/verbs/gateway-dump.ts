import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type AdminClient,
  dumpConfig,
  readState,
  workspaceExists,
  writeJson,
  writeYaml,
} from '@waygate/kong';
import { type Command, Option } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import {
  type ConnectionOptions,
  collect,
  connectionOptions,
  withClient,
} from './gateway-connection.ts';

interface DumpOptions extends ConnectionOptions {
  readonly outputFile: string;
  readonly format: 'yaml' | 'json';
  readonly formatVersion?: '1.1' | '2.1' | '3.0';
  readonly withId?: boolean;
  readonly selectTag?: readonly string[];
  readonly skipConsumers?: boolean;
  readonly skipCaCertificates?: boolean;
  readonly yes?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  connectionOptions(command)
    .option('-o, --output-file <file>', 'where to write; - is the standard output', '-')
    .addOption(
      new Option('--format <format>', 'how to write').choices(['yaml', 'json']).default('yaml'),
    )
    .addOption(
      new Option(
        '--format-version <version>',
        'the format of the file; by the version of Kong',
      ).choices(['1.1', '2.1', '3.0']),
    )
    .option('--with-id', 'write the ids of all entities')
    .option('--select-tag <tag>', 'only what has this tag; may be repeated', collect)
    .option('--skip-consumers', 'leave out consumers and what belongs to them')
    .option('--skip-ca-certificates', 'leave out CA certificates')
    .option('--yes', 'overwrite the file if it is there')
    .action((options: DumpOptions) =>
      withClient(options, context, (client) => dump(client, options, context)),
    );
}

/** Kong 3 and later take files of format 3.0 only. */
async function formatVersionOf(client: AdminClient, options: DumpOptions, context: CliContext) {
  if (options.formatVersion !== undefined) return options.formatVersion;
  const { version } = await client.info(context.signal);
  return Number.parseInt(version, 10) >= 3 ? '3.0' : '1.1';
}

async function dump(client: AdminClient, options: DumpOptions, context: CliContext): Promise<void> {
  if (!(await workspaceExists(client, context.signal))) {
    throw new CliError(`workspace '${options.workspace}' does not exist in Kong`);
  }
  const formatVersion = await formatVersionOf(client, options, context);
  const tags = options.selectTag ?? [];
  const state = await readState(client, {
    tags,
    skipsConsumers: options.skipConsumers === true,
    skipsCaCertificates: options.skipCaCertificates === true,
    parallelism: options.parallelism,
    signal: context.signal,
  });
  const config = dumpConfig(state, {
    formatVersion,
    withIds: options.withId === true,
    selectTags: tags,
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
  });
  const text = options.format === 'json' ? `${writeJson(config)}\n` : writeYaml(config);
  if (options.outputFile === '-') {
    context.stdout.write(text);
    return;
  }
  const path = resolve(context.cwd, options.outputFile);
  try {
    // The file holds keys and passwords: it is for its owner only.
    await writeFile(path, text, { mode: 0o600, flag: options.yes === true ? 'w' : 'wx' });
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CliError(
      isThere ? `${options.outputFile} is there already` : (cause as Error).message,
      {
        cause,
        ...(isThere ? { hint: '--yes overwrites it' } : {}),
      },
    );
  }
}
