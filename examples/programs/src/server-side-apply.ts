import { isConflict, KubeError } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { type Print, withCluster } from './cluster.ts';

/** Two owners of one object: each says what it wants of its own fields, and nothing of the other's. */
export async function serverSideApply(print: Print): Promise<void> {
  await withCluster(async (client, namespace) => {
    const maps = client.resource(kinds.ConfigMap).in(namespace);
    const metadata = { name: 'settings' };
    await maps.apply({ metadata, data: { color: 'red' } }, { fieldManager: 'design' });
    await maps.apply({ metadata, data: { size: 'large' } }, { fieldManager: 'layout' });
    print(JSON.stringify((await maps.get('settings')).data));

    const blue = { metadata, data: { size: 'large', color: 'blue' } };
    try {
      await maps.apply(blue, { fieldManager: 'layout' });
    } catch (error) {
      if (!isConflict(error) || !(error instanceof KubeError)) throw error;
      for (const cause of error.status?.details?.causes ?? [])
        print(`${cause.message}: ${cause.field}`);
    }
    await maps.apply(blue, { fieldManager: 'layout', force: true });

    // What a manager no longer names, and nobody else owns, goes away.
    const after = await maps.apply(
      { metadata, data: { color: 'blue' } },
      { fieldManager: 'layout' },
    );
    print(JSON.stringify(after.data));
    const managers = (after.metadata.managedFields ?? []).map(({ manager }) => manager);
    print(`managed by ${managers.join(', ')}`);
  });
}
