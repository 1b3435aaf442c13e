import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type CliContext, exitCode } from '../context.ts';
import { listOutputOption, print, printListing } from '../output.ts';
import { type RunRecord, RunRegistry, runsFor } from '../runs/run-registry.ts';

interface Flags {
  readonly all?: boolean;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  listOutputOption(
    command
      .argument('[dir]', 'the directory that it follows, or one in it', '.')
      .option('-a, --all', 'those of all directories'),
  )
    .addHelpText(
      'after',
      `
Says which waygate up runs for a directory, where it listens and what it follows. Ends with 1 when none runs.

Examples:
  waygate status
  waygate status --all --output json`,
    )
    .action((directory: string, flags: Flags) =>
      status(resolve(context.cwd, directory), flags, context),
    );
}

function status(directory: string, flags: Flags, context: CliContext): void {
  const running = new RunRegistry(context.env).running();
  const runs = flags.all === true ? running : runsFor(directory, running);
  const none = flags.all === true ? 'No waygate up runs.' : `No waygate up runs for ${directory}.`;
  if (flags.output === 'wide' || flags.output === 'name') {
    printListing(context, flags.output, {
      data: { runs },
      names: runs.map((run) => run.directory),
      columns: ['DIRECTORY', 'PROCESS', 'SINCE', 'API', 'GATEWAY', 'ADMIN', 'KUBECONFIG'].map(
        (title) => ({ title }),
      ),
      rows: () => runs.map((run) => rowOf(run).map((text) => ({ text }))),
      none,
    });
  } else {
    const text = runs.length === 0 ? none : runs.map(textOf).join('\n\n');
    print(context, flags.output, { runs }, text);
  }
  if (runs.length === 0) context.exitCode = exitCode.failed;
}

function rowOf({ directory, process, startedAt, apiUrl, ...run }: RunRecord): string[] {
  const { id } = process;
  return [directory, `${id}`, startedAt, apiUrl, run.httpUrl, run.adminUrl, run.kubeconfig];
}

function textOf(run: RunRecord): string {
  const count = run.processes.length;
  return [
    `waygate up for ${run.directory}, process ${run.process.id}, since ${run.startedAt}`,
    `  ${run.following}`,
    `  Kubernetes API   ${run.apiUrl}`,
    `  Gateway          ${run.httpUrl}   ${run.httpsUrl}`,
    `  Admin API        ${run.adminUrl}`,
    `  Processes        ${count === 0 ? 'none' : run.processes.map(({ id }) => id).join(', ')}`,
    `  export KUBECONFIG=${run.kubeconfig}`,
  ].join('\n');
}
