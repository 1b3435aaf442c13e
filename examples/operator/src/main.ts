import { KubeClient, loadConfig } from '@waygate/kube';
import { runOperator } from './operator.ts';

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
process.once('SIGINT', () => stopping.abort());
const client = new KubeClient(await loadConfig());
try {
  await runOperator(client, stopping.signal);
} finally {
  await client.close();
}
