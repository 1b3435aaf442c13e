import { Gateway } from '@waygate/gateway';
import { IngressController } from '@waygate/ingress';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import { startCluster, startStopwatch } from './cluster.ts';
import type { PartAnswer, PartQuestion } from './parts.ts';

/** One part of a cluster as a process of its own: it answers what its parent asks. */
async function answer(question: PartQuestion): Promise<PartAnswer> {
  switch (question.ask) {
    case 'api': {
      const { server } = await startCluster(question.size, { quick: false, log: () => undefined });
      return { url: server.url, token: server.adminToken };
    }
    case 'gateway': {
      const proxy = [{ host: '127.0.0.1', port: 0 }];
      const { admin } = await new Gateway({ mode: question.mode, proxy }).start();
      return { url: `http://127.0.0.1:${admin?.port}`, token: '' };
    }
    case 'sync':
      return { syncedMs: await sync(question) };
    case 'usage': {
      const { user, system } = process.cpuUsage();
      return { cpuSeconds: (user + system) / 1e6, rssBytes: process.memoryUsage().rss };
    }
  }
}

async function sync({ api, gateway }: PartQuestion & { ask: 'sync' }): Promise<number> {
  const kongAdmin = new AdminClient({ url: gateway.url });
  const credentials = staticToken(api.token);
  const client = new KubeClient({ server: api.url, namespace: 'default', credentials });
  const stopwatch = startStopwatch();
  const controller = new IngressController({ client, kongAdmin, updateStatus: false });
  // It runs until the process is ended.
  void controller.run(new AbortController().signal);
  await controller.waitUntilReady();
  return stopwatch();
}

process.on('message', (question: PartQuestion) => {
  void answer(question).then((told) => process.send?.(told));
});
process.on('disconnect', () => process.exit());
