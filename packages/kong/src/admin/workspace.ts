import { KongError } from '../kong-error.ts';
import type { AdminClient } from './admin-client.ts';

/**
 * Whether the workspace of a client is there. A client without one is always at home.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001', workspace: 'team-a' });
 * const state = (await workspaceExists(client)) ? await readState(client) : new KongEntities();
 * ```
 */
export async function workspaceExists(client: AdminClient, signal?: AbortSignal): Promise<boolean> {
  if (client.workspace === undefined) return true;
  try {
    await client.send('GET', 'routes', {
      query: { size: '1' },
      ...(signal === undefined ? {} : { signal }),
    });
    return true;
  } catch (error) {
    if (error instanceof KongError && error.status === 404) return false;
    throw error;
  }
}

/**
 * Makes the workspace of a client.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001', workspace: 'team-a' });
 * if (!(await workspaceExists(client))) await createWorkspace(client);
 * ```
 */
export async function createWorkspace(client: AdminClient, signal?: AbortSignal): Promise<void> {
  await client.send('POST', '/workspaces', {
    isGlobal: true,
    body: { name: client.workspace },
    ...(signal === undefined ? {} : { signal }),
  });
}

/**
 * The names of all workspaces; a Kong without workspaces is refused with its own words.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * const names = await listWorkspaces(client); // ['default', 'team-a']: of an enterprise Kong
 * ```
 */
export async function listWorkspaces(
  client: AdminClient,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const names: string[] = [];
  const options = { isGlobal: true, ...(signal === undefined ? {} : { signal }) };
  for await (const page of client.pages('/workspaces', options)) {
    for (const { name } of page) if (typeof name === 'string') names.push(name);
  }
  return names;
}
