import { setTimeout } from 'node:timers/promises';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';

/** Where a program prints: a terminal, or the list that its test compares. */
export type Print = (line: string) => void;

/** A Kubernetes API of the program's own, with a client and a namespace; gone when the work is done. */
export async function withCluster(
  work: (client: KubeClient, namespace: string, server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startTestServer();
  const namespace = await server.namespace('example');
  const client = new KubeClient({
    server: server.url,
    namespace,
    credentials: staticToken(server.adminToken),
  });
  try {
    await work(client, namespace, server);
  } finally {
    await client.close();
    await server.stop();
  }
}

/** Asks until it is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20);
}
