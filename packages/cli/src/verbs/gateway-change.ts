import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type AdminClient,
  countOperations,
  findDoubleHashes,
  findFormatProblem,
  type PreparedSync,
  prepareSync,
  type ReadFilesResult,
  serializePlan,
} from '@waygate/kong';
import type { Command } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { type ConnectionOptions, connectionOptions } from './gateway-connection.ts';
import {
  type DiagnosticOptions,
  diagnosticOptions,
  sayDiagnostics,
} from './gateway-diagnostics.ts';
import { type FileOptions, fileArguments, isEmptyConfig, separateFiles } from './gateway-files.ts';
import { collectList } from './gateway-option-values.ts';

/** Options that diff and sync share. */
export interface ChangeOptions extends ConnectionOptions, FileOptions, DiagnosticOptions {
  readonly selectTag?: readonly string[];
  readonly skipConsumers?: boolean;
  readonly skipCaCertificates?: boolean;
  readonly skipConsumersWithConsumerGroups?: boolean;
  readonly nonZeroExitCode?: boolean;
  readonly exitCode?: boolean;
  readonly jsonOutput?: boolean;
  readonly silenceEvents?: boolean;
  readonly color?: boolean;
  readonly mask?: boolean;
  readonly maskDeckEnvVarsValue?: boolean;
  readonly ignorePasswords?: boolean;
  readonly planOut?: string;
  /** Not false unless each file is a run of its own. */
  readonly merge?: boolean;
  /** Whether what the files do not name stays. */
  readonly isPartial?: boolean;
}

export function changeOptions(command: Command): Command {
  return diagnosticOptions(connectionOptions(fileArguments(command)))
    .option('--select-tag <tag>', 'manage only what has this tag; may be repeated', collectList)
    .option('--skip-consumers', 'leave consumers and what belongs to them alone')
    .option('--skip-ca-certificates', 'leave CA certificates alone')
    .option('--skip-consumers-with-consumer-groups', 'leave alone who is in which consumer group')
    .option('--json-output', 'print a report as JSON')
    .option('--silence-events', 'print only the summary')
    .option('--no-color', 'print without colours')
    .option('--no-mask', 'show secrets in the report')
    .option('--no-mask-deck-env-vars-value', 'show values that came from the environment')
    .option('--ignore-passwords', 'never update basic-auth credentials for their password alone')
    .option(
      '--no-merge',
      'take each file for itself, one after the other, with its own select_tags',
    )
    .option('--plan-out <file>', 'save the plan, for sync --plan (it holds secrets)');
}

/** Does something with the files together or, with --no-merge, with one after the other. */
export async function eachRun(
  paths: readonly string[],
  options: ChangeOptions,
  context: CliContext,
  run: (paths: readonly string[], options: ChangeOptions) => Promise<void>,
): Promise<void> {
  if (options.merge !== false) return run(paths, options);
  if (options.planOut !== undefined) {
    throw new CliError('--no-merge makes more than one plan: leave out --plan-out', {
      exitCode: exitCode.usage,
    });
  }
  const { state: _state, ...rest } = options;
  for (const path of await separateFiles(paths, options, context)) await run([path], rest);
}

/** Makes the plan, after the checks that spare people the worst surprises. */
export async function makePlan(
  client: AdminClient,
  files: ReadFilesResult,
  options: ChangeOptions,
  context: CliContext,
): Promise<PreparedSync> {
  const { config } = files;
  if (isEmptyConfig(config) && options.isPartial !== true) {
    throw new CliError('the files declare nothing: a sync would delete everything', {
      hint: 'waygate gateway reset deletes everything, if that is what you want',
    });
  }
  const { version } = await client.info(context.signal);
  const formatProblem = findFormatProblem(config, version);
  if (formatProblem !== undefined) {
    throw new CliError(formatProblem, {
      hint: 'waygate gateway convert FILE turns the file into one for Kong 3',
    });
  }
  sayDiagnostics(config, version, options, context);
  const prepared = await prepareSync(client, config, {
    selectTags: options.selectTag ?? [],
    skipsConsumers: options.skipConsumers === true,
    skipsCaCertificates: options.skipCaCertificates === true,
    skipsMemberships: options.skipConsumersWithConsumerGroups === true,
    skipsWorkspaceCheck: options.skipWorkspaceCrud === true,
    isPartial: options.isPartial === true,
    passwords: options.ignorePasswords === true ? 'ignore' : 'compare',
    parallelism: options.parallelism,
    version,
    signal: context.signal,
  });
  if (prepared.problems.length > 0) {
    throw new CliError(prepared.problems.map(({ message }) => message).join('\n'));
  }
  for (const { label } of findDoubleHashes(prepared.plan.operations)) {
    context.stderr.write(
      `Warning: the password of basic-auth ${label} looks like a hash, as a dump holds it: Kong hashes it once more, and it lets nobody in. Give the password itself.\n`,
    );
  }
  if (options.planOut !== undefined) {
    const { workspace } = client;
    const saved = { ...prepared.plan, ...(workspace === undefined ? {} : { workspace }) };
    await writeFile(resolve(context.cwd, options.planOut), serializePlan(saved), {
      mode: 0o600,
    });
  }
  return prepared;
}

/** The workspace that a run is about: the flag's, else the file's. */
export function workspaceOf(
  files: ReadFilesResult,
  options: ChangeOptions,
  context: CliContext,
): string | undefined {
  const inFile = files.config._workspace;
  const { workspace } = options;
  if (workspace !== undefined && inFile !== undefined && workspace !== inFile) {
    context.stderr.write(
      `Warning: Workspace '${workspace}' specified via --workspace flag is different from workspace '${inFile}' found in state file(s).\n`,
    );
  }
  return workspace ?? inFile;
}

/** Says by the exit code that there are differences, when asked to. */
export function sayDifferences(
  prepared: PreparedSync,
  options: ChangeOptions,
  context: CliContext,
): void {
  const counts = countOperations(prepared.plan.operations);
  const hasDifferences = counts.create + counts.update + counts.delete > 0;
  if (hasDifferences && (options.nonZeroExitCode === true || options.exitCode === true)) {
    context.exitCode = exitCode.differences;
  }
}
