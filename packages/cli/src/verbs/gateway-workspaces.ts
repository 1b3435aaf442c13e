import { type AdminClient, listWorkspaces } from '@waygate/kong';
import { type CliContext, CliError } from '../context.ts';

/** Refuses what cannot go together with `--all-workspaces`. */
export function checkAllWorkspaces(options: {
  readonly allWorkspaces?: boolean;
  readonly workspace?: string;
}): void {
  if (options.allWorkspaces === true && options.workspace !== undefined) {
    throw new CliError('workspace cannot be specified with --all-workspaces flag', {
      exitCode: 64,
    });
  }
}

/** Does something for every workspace of a Kong, one after another. */
export async function forEachWorkspace(
  client: AdminClient,
  context: CliContext,
  work: (client: AdminClient, workspace: string) => Promise<void>,
): Promise<void> {
  for (const name of await listWorkspaces(client, context.signal)) {
    await work(client.inWorkspace(name), name);
  }
}
