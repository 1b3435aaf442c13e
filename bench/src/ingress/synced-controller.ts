import { Gateway } from '@waygate/gateway';
import { IngressController } from '@waygate/ingress';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import { type BenchmarkCluster, startStopwatch, usedHeap } from './cluster.ts';

/** A controller that has synced an empty gateway of its own with a cluster, and what that took. */
export interface SyncedController {
  readonly controller: IngressController;
  readonly gateway: Gateway;
  readonly syncedMs: number;
  /** Of all parts, which share one process. */
  readonly cpuSeconds: number;
  /** What is held since: with a gateway in the same process its copy of the configuration counts too. */
  readonly heapBytes: number;
  stop(): Promise<void>;
}

export async function syncedController(
  { server }: BenchmarkCluster,
  mode: 'database' | 'dbless',
): Promise<SyncedController> {
  const gateway = new Gateway({ mode, proxy: [{ host: '127.0.0.1', port: 0 }] });
  const { admin } = await gateway.start();
  const kongAdmin = new AdminClient({ url: `http://127.0.0.1:${admin?.port}` });
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  const heapBefore = usedHeap();
  const cpuBefore = process.cpuUsage();
  const stopwatch = startStopwatch();
  const controller = new IngressController({ client, kongAdmin, updateStatus: false });
  const stopping = new AbortController();
  const running = controller.run(stopping.signal);
  await controller.waitUntilReady();
  const syncedMs = stopwatch();
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    controller,
    gateway,
    syncedMs,
    cpuSeconds: (user + system) / 1e6,
    heapBytes: Math.max(0, usedHeap() - heapBefore),
    async stop() {
      stopping.abort();
      await running;
      await client.close();
      await kongAdmin.close();
      await gateway.stop();
    },
  };
}
