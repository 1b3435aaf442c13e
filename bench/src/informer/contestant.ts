import type { KubeObject } from '@waygate/schema';
import { type ContestantRun, measure } from './measure.ts';

// A process of its own: one client against the pod server. Prints what it needed as JSON.

const [who = '', url = '', countText = '', burstText = '', steadyText = ''] = process.argv.slice(2);
const count = Number(countText);

const contestants: Record<string, () => Promise<ContestantRun>> = {
  ours: () => ours({}),
  'ours, small young generation': () => ours({}),
  'ours, bytes': () => ours({ store: 'bytes' }),
  'ours, bytes, no managed fields': () => ours({ store: 'bytes', omitManagedFields: true }),
  'ours, transform': () => ours({ transform: dropManagedFields }),
  'ours, no managed fields': () => ours({ omitManagedFields: true }),
  floor: () => floor(false),
  'floor, no managed fields': () => floor(true),
  'client-node': clientNode,
};

const run = await contestants[who]!();
process.stdout.write(
  `${JSON.stringify(await measure(run, url, Number(burstText), Number(steadyText)))}\n`,
);
process.exit(0);

function dropManagedFields<T extends KubeObject>(object: T): T {
  delete object.metadata.managedFields;
  return object;
}

async function ours(options: object): Promise<ContestantRun> {
  const { KubeClient } = await import('@waygate/kube');
  const { kinds } = await import('@waygate/schema');
  const { createInformer } = await import('@waygate/runtime');
  const client = new KubeClient({ server: url, namespace: 'default' });
  const informer = createInformer(client, kinds.Pod, { useWatchList: false, ...options });
  const abort = new AbortController();
  const state = { added: 0 };
  const result: ContestantRun = {
    changed: 0,
    async sync() {
      const registration = informer.addEventHandler({
        onAdd: () => {
          state.added++;
        },
        onUpdate: () => {
          result.changed++;
        },
      });
      void informer.run(abort.signal);
      await registration.waitForSync();
      if (state.added !== count) throw new Error(`${state.added} adds instead of ${count}`);
    },
    async stop() {
      abort.abort();
      await client.close();
    },
  };
  return result;
}

/** What Node costs at least: undici and JSON.parse, page by page, into a map. */
async function floor(dropsManagedFields: boolean): Promise<ContestantRun> {
  const { request } = await import('undici');
  const objects = new Map<string, KubeObject>();
  const put = (object: KubeObject) => {
    if (dropsManagedFields) delete object.metadata.managedFields;
    objects.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
  };
  // Apart from the loop: a function that awaits again would keep the text alive.
  const page = async (token: string): Promise<string> => {
    const { body } = await request(`${url}/api/v1/pods?limit=500${token && `&continue=${token}`}`);
    const list = JSON.parse(await body.text()) as {
      metadata: { continue?: string };
      items: KubeObject[];
    };
    for (const item of list.items) put(item);
    return list.metadata.continue ?? '';
  };
  const abort = new AbortController();
  const result: ContestantRun = {
    changed: 0,
    async sync() {
      let token = '';
      do token = await page(token);
      while (token !== '');
      void follow();
    },
    async stop() {
      abort.abort();
    },
  };
  const follow = async () => {
    const { body } = await request(`${url}/api/v1/pods?watch=true`, {
      signal: abort.signal,
      bodyTimeout: 0,
    });
    let rest = '';
    body.setEncoding('utf8');
    try {
      for await (const chunk of body as AsyncIterable<string>) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        for (const line of lines) {
          put((JSON.parse(line) as { object: KubeObject }).object);
          result.changed++;
        }
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
  };
  return result;
}

async function clientNode(): Promise<ContestantRun> {
  const { CoreV1Api, KubeConfig, makeInformer } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'bench', server: url, skipTLSVerify: true },
    { name: 'bench' },
  );
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
  const state = { added: 0 };
  const result: ContestantRun = {
    changed: 0,
    async sync() {
      informer.on('add', () => {
        state.added++;
      });
      informer.on('update', () => {
        result.changed++;
      });
      await informer.start();
      while (state.added < count) await new Promise((resolve) => setTimeout(resolve, 2));
    },
    async stop() {
      await informer.stop();
    },
  };
  return result;
}
