// The controllers in a process of their own, so that what they cost is not mixed with what the API
// server and whoever watches them cost. Started by `stage.ts`; answers each message with its figures.
import { GitOpsControllers } from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';

const { SERVER = '', TOKEN = '', STORAGE = '' } = process.env;

const stopping = new AbortController();
const client = new KubeClient({
  server: SERVER,
  namespace: 'default',
  credentials: staticToken(TOKEN),
});
const controllers = new GitOpsControllers({
  client,
  storageDirectory: STORAGE,
  allowFileUrls: true,
  watchFileUrls: true,
  defaultNamespace: 'default',
  onError: () => undefined,
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  process.send?.({ cpuSeconds, peakMiB: process.resourceUsage().maxRSS / 1024 });
});
process.on('disconnect', () => stopping.abort());
const running = controllers.run(stopping.signal);
await controllers.ready;
process.send?.('ready');
await running;
await client.close();
