// All controllers in a process of their own, as `waygate controller` runs them: with Leases, and as a
// candidate again when one was lost. Started by `benchmarks/recovery.ts`.
import { GitOpsControllers } from '@waygate/gitops';
import { IngressController } from '@waygate/ingress';
import { AdminClient } from '@waygate/kong';
import { KubeClient, staticToken } from '@waygate/kube';
import { RuntimeError } from '@waygate/runtime';

const { SERVER = '', TOKEN = '', STORAGE = '', ADMIN = '' } = process.env;

const stopping = new AbortController();
const { signal } = stopping;
process.on('disconnect', () => stopping.abort());
const client = new KubeClient({
  server: SERVER,
  namespace: 'default',
  credentials: staticToken(TOKEN),
});
const admin = new AdminClient({ url: ADMIN });
const ingress = new IngressController({
  client,
  kongAdmin: admin,
  maxPauseMs: 100,
  leaderElection: { namespace: 'default', name: 'bench-ingress', identity: 'bench' },
}).run(signal);
await Promise.all([ingress, runGitOps()]);
await admin.close();
await client.close();

async function runGitOps(): Promise<void> {
  while (!signal.aborted) {
    try {
      const controllers = new GitOpsControllers({
        client,
        storageDirectory: STORAGE,
        allowFileUrls: true,
        controllers: ['source', 'kustomize'],
        // The same name in every run, as the program has it.
        leaderElection: {
          identity: 'bench',
          leaseDurationMs: 35_000,
          renewDeadlineMs: 30_000,
          retryPeriodMs: 5_000,
        },
        onError: () => undefined,
      });
      await controllers.run(signal);
    } catch (error) {
      const isLost = error instanceof RuntimeError && error.code === 'WG_RUNTIME_LEADERSHIP_LOST';
      if (!isLost) throw error;
    }
    if (!(await client.whenReachable(signal))) return;
  }
}
