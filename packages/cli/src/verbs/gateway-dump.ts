import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import {
  type AdminClient,
  dumpConfig,
  type KongEntities,
  readServerSchemas,
  readState,
  sanitizeConfig,
  withoutDefaults,
  workspaceExists,
  writeDeckYaml,
  writeJson,
} from '@waygate/kong';
import { type Command, Option } from 'commander';
import { type CliContext, CliError } from '../context.ts';
import { type ConnectionOptions, connectionOptions, withClient } from './gateway-connection.ts';
import { collectList } from './gateway-option-values.ts';
import { checkAllWorkspaces, forEachWorkspace } from './gateway-workspaces.ts';

interface DumpOptions extends ConnectionOptions {
  readonly outputFile?: string;
  readonly format: 'yaml' | 'json';
  readonly formatVersion?: '1.1' | '2.1' | '3.0';
  readonly withId?: boolean;
  readonly selectTag?: readonly string[];
  readonly skipConsumers?: boolean;
  readonly skipCaCertificates?: boolean;
  readonly skipConsumersWithConsumerGroups?: boolean;
  readonly skipDefaults?: boolean;
  readonly sanitize?: boolean;
  readonly sanitizationSalt?: string;
  readonly allWorkspaces?: boolean;
  readonly yes?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  connectionOptions(command)
    .option('-o, --output-file <file>', 'where to write; - is the standard output (default: -)')
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
    .option('--select-tag <tag>', 'only what has this tag; may be repeated', collectList)
    .option('--skip-consumers', 'leave out consumers and what belongs to them')
    .option('--skip-ca-certificates', 'leave out CA certificates')
    .option('--skip-consumers-with-consumer-groups', 'leave out who is in which consumer group')
    .option('--sanitize', 'put hashes in the place of all texts, to show the file to others')
    .option('--sanitization-salt <text>', 'makes the hashes of several dumps the same')
    .option('--skip-defaults', 'leave out fields that have the value Kong gives them anyway')
    .option('--all-workspaces', 'one file for each workspace, named after it (Kong Enterprise)')
    .option('--yes', 'overwrite the file if it is there')
    .addHelpText(
      'after',
      `
Examples:
  waygate gateway dump
  waygate gateway dump --output-file kong.yaml --yes
  waygate gateway dump --all-workspaces --select-tag team-a`,
    )
    .action(async (options: DumpOptions) => {
      checkAllWorkspaces(options);
      if (options.allWorkspaces === true && options.outputFile !== undefined) {
        throw new CliError('output-file cannot be specified with --all-workspaces flag', {
          exitCode: 64,
        });
      }
      await withClient(options, context, (client, { skipWorkspaceCrud }) => {
        const settled = { ...options, ...(skipWorkspaceCrud && { skipWorkspaceCrud }) };
        return options.allWorkspaces === true
          ? forEachWorkspace(client, context, (one, name) =>
              dump(one, { ...settled, workspace: name, outputFile: fileName(name) }, context),
            )
          : dump(client, settled, context);
      });
    });
}

/** A workspace is named by whoever may make one: the name must not lead out of the directory. */
function fileName(workspace: string): string {
  if (!/^[\w.~ -]+$/u.test(workspace) || workspace.startsWith('.')) {
    throw new CliError(`workspace '${workspace}' cannot be the name of a file`);
  }
  return `./${workspace}`;
}

/** Kong 3 and later take files of format 3.0 only. */
async function formatVersionOf(client: AdminClient, options: DumpOptions, context: CliContext) {
  if (options.formatVersion !== undefined) return options.formatVersion;
  const { version } = await client.info(context.signal);
  return Number.parseInt(version, 10) >= 3 ? '3.0' : '1.1';
}

async function dump(client: AdminClient, options: DumpOptions, context: CliContext): Promise<void> {
  const isChecked = options.skipWorkspaceCrud !== true && options.allWorkspaces !== true;
  if (isChecked && !(await workspaceExists(client, context.signal))) {
    throw new CliError(`workspace '${options.workspace}' does not exist in Kong`);
  }
  const formatVersion = await formatVersionOf(client, options, context);
  const tags = options.selectTag ?? [];
  const state = await readState(client, {
    tags,
    skipsConsumers: options.skipConsumers === true,
    skipsCaCertificates: options.skipCaCertificates === true,
    skipsMemberships: options.skipConsumersWithConsumerGroups === true,
    parallelism: options.parallelism,
    signal: context.signal,
  });
  const told = options.skipDefaults === true ? await bare(client, state, context.signal) : state;
  const config = dumpConfig(told, {
    formatVersion,
    withIds: options.withId === true,
    selectTags: tags,
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
  });
  const shown =
    options.sanitize === true
      ? sanitizeConfig(config, options.sanitizationSalt ?? randomUUID())
      : config;
  const text = options.format === 'json' ? `${writeJson(shown)}\n` : writeDeckYaml(shown);
  const { outputFile = '-' } = options;
  if (outputFile === '-') {
    context.stdout.write(text);
    return;
  }
  const isBare = extname(outputFile) === '' || options.allWorkspaces === true;
  await save(isBare ? `${outputFile}.${options.format}` : outputFile, text, options, context);
}

/** Without what this Kong, of whatever version, fills in by itself. */
async function bare(client: AdminClient, state: KongEntities, signal: AbortSignal) {
  const { version } = await client.info(signal);
  return withoutDefaults(state, await readServerSchemas(client, version, state, state, signal));
}

async function save(
  file: string,
  text: string,
  options: DumpOptions,
  context: CliContext,
): Promise<void> {
  try {
    // The file holds keys and passwords: it is for its owner only.
    await writeFile(resolve(context.cwd, file), text, {
      mode: 0o600,
      flag: options.yes === true ? 'w' : 'wx',
    });
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CliError(isThere ? `${file} is there already` : (cause as Error).message, {
      cause,
      ...(isThere ? { hint: '--yes overwrites it' } : {}),
    });
  }
}
