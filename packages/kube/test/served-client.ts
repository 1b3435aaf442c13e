import { kinds } from '@waygate/schema';
import { afterEach } from 'vitest';
import { KubeClient, type KubeClientOptions } from '../src/client.ts';
import { type Answer, ScriptedServer } from './scripted-server.ts';

/** Everything that runs for the test under way. */
const running: { close(): Promise<void> }[] = [];

/** To be called once in a file: ends what {@link serve} started, after each of its tests. */
export function endServedAfterEach(): void {
  afterEach(async () => {
    for (const one of running.splice(0).reverse()) await one.close();
  });
}

/** A server that answers by the script, and a client of it; both end with the test. */
export async function serve(answer: Answer, options: KubeClientOptions = {}) {
  const server = await ScriptedServer.start(answer);
  const client = new KubeClient(
    { server: server.url, namespace: 'default' },
    { environment: {}, ...options },
  );
  running.push(server, client);
  return { server, client, pods: client.resource(kinds.Pod) };
}

export function podList(count: number, extra: object = {}) {
  return {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '7', ...extra },
    items: Array.from({ length: count }, (_, at) => ({ metadata: { name: `pod-ü-${at}` } })),
  };
}

/** One event of a watch, as it stands on the wire. */
export const line = (type: string, name: string) =>
  `${JSON.stringify({ type, object: { kind: 'Pod', metadata: { name } } })}\n`;
