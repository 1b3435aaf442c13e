import type { OperatorNames } from './operator-template.ts';

/** A way into the library for who writes an operator; this room has its own. */
const coreKinds = '@waygate/kube/api/core-v1';

/** The program of an operator: two caches and one function. */
export function operatorSource({ kind, group, name }: OperatorNames): string {
  const lower = kind.toLowerCase();
  return `import type { KubeClient, MergePatch } from '@waygate/kube';
import { ConfigMap } from '${coreKinds}';
import { controllerReference, informerSource, Operator, ownerKeys } from '@waygate/runtime';
import { Counter } from 'prom-client';
import { ${kind} } from './generated/${lower}.ts';

const finalizer = '${group}/${lower}';

/** The list of all of them. It is in another namespace than they are, so it cannot go with them by itself. */
const list = { name: '${name}', namespace: 'default' };

/** Keeps a ConfigMap for each ${kind}, and a line in the list, until the signal aborts. */
export async function runOperator(client: KubeClient, signal: AbortSignal, port = 8080) {
  const operator = new Operator({ name: '${name}', client, server: { port } });
  const written = new Counter({
    name: '${lower}_written_total',
    help: 'ConfigMaps that were written.',
    registers: [operator.metrics.registry],
  });
  const objects = operator.informerFor(${kind});
  const configMaps = operator.informerFor(ConfigMap);
  const children = informerSource(configMaps, { map: ownerKeys(${kind}) });
  operator.addController({
    name: '${lower}',
    sources: [informerSource(objects), children],
    reconcile: async (key, call) => {
      const object = objects.indexer.getByKey(key);
      if (object === undefined) return;
      const { name = '', namespace = '', finalizers = [], deletionTimestamp } = object.metadata;
      const resource = client.resource(${kind}).in(namespace);
      const maps = client.resource(ConfigMap);
      // A manager for each line: what it no longer applies goes away.
      const listed = (data: Record<string, string>) =>
        maps.apply(
          { metadata: list, data },
          { fieldManager: \`${lower}-\${object.metadata.uid}\`, force: true },
          call,
        );
      const setFinalizers = (wanted: string[]) =>
        resource.patch(name, { metadata: { finalizers: wanted } }, {}, call);

      if (deletionTimestamp !== undefined) {
        if (!finalizers.includes(finalizer)) return;
        await listed({});
        await setFinalizers(finalizers.filter((one) => one !== finalizer));
        return;
      }
      // Before anything is made: a deletion in between would leave it behind.
      if (!finalizers.includes(finalizer)) {
        await setFinalizers([...finalizers, finalizer]);
        return;
      }
      const { text } = object.spec;
      if (configMaps.indexer.getByKey(key)?.data?.text !== text) {
        const ownerReferences = [controllerReference(${kind}, object)];
        const configMap = { metadata: { name, namespace, ownerReferences }, data: { text } };
        await maps.apply(configMap, { fieldManager: '${name}', force: true }, call);
        await listed({ [\`\${namespace}.\${name}\`]: text });
        written.inc();
        operator.events.event(object, 'Normal', 'Written', \`wrote ConfigMap \${name}\`);
      }
      const patch = statusPatch(object);
      if (patch !== undefined) await resource.status.patch(name, patch, {}, call);
    },
  });
  await operator.run(signal);
}

/** What the status has to become; undefined when it says all of it. A time changes only with the condition. */
function statusPatch({ metadata, status }: ${kind}): MergePatch<${kind}> | undefined {
  const { generation = 0 } = metadata;
  const before = status?.conditions?.find(({ type }) => type === 'Ready');
  if (before?.status === 'True' && status?.observedGeneration === generation) return undefined;
  const ready = {
    type: 'Ready',
    status: 'True' as const,
    reason: 'Written',
    message: 'the ConfigMap says what the spec asks for',
    observedGeneration: generation,
    lastTransitionTime:
      before?.status === 'True' ? before.lastTransitionTime : new Date().toISOString(),
  };
  const others = status?.conditions?.filter(({ type }) => type !== 'Ready') ?? [];
  return { status: { observedGeneration: generation, conditions: [...others, ready] } };
}
`;
}

/** Its test, on the embedded API. */
export function operatorTest({ kind, name }: OperatorNames): string {
  const lower = kind.toLowerCase();
  return `import { readFileSync } from 'node:fs';
import { startTestServer } from '@waygate/apiserver';
import { isNotFound, KubeClient, staticToken } from '@waygate/kube';
import { ConfigMap, Event } from '${coreKinds}';
import { parseYaml } from '@waygate/text';
import { afterEach, expect, test, vi } from 'vitest';
import { ${kind} } from './generated/${lower}.ts';
import { runOperator } from './operator.ts';

const patience = { timeout: 15_000, interval: 20 };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** The embedded API with the definition, and the operator on it. */
async function start() {
  const server = await startTestServer();
  stops.push(() => server.stop());
  const connect = () => {
    const credentials = staticToken(server.adminToken);
    const client = new KubeClient({ server: server.url, namespace: 'default', credentials });
    stops.push(() => client.close());
    return client;
  };
  const crd = parseYaml(readFileSync(new URL('../crd.yaml', import.meta.url), 'utf8'));
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect(await server.request('POST', path, crd)).toMatchObject({ status: 201 });
  const client = connect();
  const namespace = await server.namespace();
  const objects = client.resource(${kind}).in(namespace);
  await vi.waitFor(() => objects.list(), patience);
  const stopping = new AbortController();
  const running = runOperator(connect(), stopping.signal, 0);
  stops.push(async () => {
    stopping.abort();
    await running;
  });
  return { client, namespace, objects };
}

test('it writes, follows changes, mends what others broke, and cleans up', async () => {
  const { client, namespace, objects } = await start();
  const configMaps = client.resource(ConfigMap).in(namespace);
  const becomes = (text: string) =>
    vi.waitFor(async () => expect((await configMaps.get('a')).data).toEqual({ text }), patience);

  await objects.create({ metadata: { name: 'a' }, spec: { text: 'one' } });
  await becomes('one');
  await vi.waitFor(async () => {
    const { status } = await objects.get('a');
    expect(status).toMatchObject({ observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True' }] });
  }, patience);
  const list = client.resource(ConfigMap).in('default');
  expect((await list.get('${name}')).data).toEqual({ [\`\${namespace}.a\`]: 'one' });
  await vi.waitFor(async () => {
    const { items } = await client.resource(Event).in(namespace).list();
    expect(items.map(({ reason }) => reason)).toContain('Written');
  }, patience);

  await objects.patch('a', { spec: { text: 'two' } });
  await becomes('two');
  await configMaps.patch('a', { data: { text: 'broken' } });
  await becomes('two');

  await objects.delete('a');
  await vi.waitFor(() => expect(objects.get('a')).rejects.toSatisfy(isNotFound), patience);
  await vi.waitFor(() => expect(configMaps.get('a')).rejects.toSatisfy(isNotFound), patience);
  expect((await list.get('${name}')).data ?? {}).toEqual({});
});
`;
}
