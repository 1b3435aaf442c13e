import { kinds } from '@waygate/schema';
import { type Print, withCluster } from './cluster.ts';

/** Lists once, then follows from there: no change between the two is missed, and none is told twice. */
export async function watch(print: Print): Promise<void> {
  await withCluster(async (client, namespace) => {
    const maps = client.resource(kinds.ConfigMap).in(namespace);
    await maps.create({ metadata: { name: 'before' } });
    const { items, resourceVersion } = await maps.list();
    print(`${items.length} there already`);

    const stopping = new AbortController();
    const options = { resourceVersion, allowWatchBookmarks: true };
    const events = await maps.watch(options, { signal: stopping.signal });
    await maps.create({ metadata: { name: 'settings' }, data: { color: 'red' } });
    await maps.patch('settings', { data: { color: 'blue' } });
    await maps.delete('settings');

    for await (const event of events) {
      if (event.type === 'BOOKMARK') continue; // says how far we are; a restart would go on from it
      if (event.type === 'ERROR') throw new Error(event.object.message ?? 'the watch failed');
      print(`${event.type} ${event.object.metadata.name} ${event.object.data?.color}`);
      if (event.type === 'DELETED') break;
    }
    stopping.abort();
  });
}
