import { afterAll, beforeAll } from 'vitest';
import { type AccessWorld, type Actor, startAccessWorld } from '../src/testing/access-world.ts';

export let world: AccessWorld;
export let admin: Actor;
export let namespace: string;

/** To be called once in a file: the world that its administrator asks, and a namespace of the file's own. */
export function useAdminWorld(): void {
  beforeAll(async () => {
    world = await startAccessWorld();
    admin = world.admin;
    namespace = await world.namespace();
    // Without the rest of a cluster nobody makes it there, and there is no pod without one.
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await admin.ask('POST', accounts, { metadata: { name: 'default' } });
  });

  afterAll(() => world.stop());
}
