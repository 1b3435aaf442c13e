import type { KubeClient, MergePatch } from '@waygate/kube';
import { ConfigMap } from '@waygate/kube/api/core-v1';
import { controllerReference, informerSource, Operator, ownerKeys } from '@waygate/runtime';
import { Counter } from 'prom-client';
import { Greeting } from './generated/greeting.ts';

const finalizer = 'example.com/greeting';

/** The list of all greetings. It is in another namespace than they are, so it cannot go with them by itself. */
const list = { name: 'greetings', namespace: 'default' };

/** Keeps a ConfigMap with a message for each Greeting, and a line in the list, until the signal aborts. */
export async function runOperator(client: KubeClient, signal: AbortSignal, port = 8080) {
  const operator = new Operator({ name: 'greeting-operator', client, server: { port } });
  const greeted = new Counter({
    name: 'greetings_written_total',
    help: 'Messages that were written.',
    registers: [operator.metrics.registry],
  });
  const greetings = operator.informerFor(Greeting);
  const configMaps = operator.informerFor(ConfigMap);
  const children = informerSource(configMaps, { map: ownerKeys(Greeting) });
  operator.addController({
    name: 'greeting',
    sources: [informerSource(greetings), children],
    reconcile: async (key, call) => {
      const greeting = greetings.indexer.getByKey(key);
      if (greeting === undefined) return;
      const { name = '', namespace = '', finalizers = [], deletionTimestamp } = greeting.metadata;
      const resource = client.resource(Greeting).in(namespace);
      const maps = client.resource(ConfigMap);
      // A manager for each line: what it no longer applies goes away.
      const listed = (data: Record<string, string>) =>
        maps.apply(
          { metadata: list, data },
          { fieldManager: `greeting-${greeting.metadata.uid}`, force: true },
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
      const message = `Hello, ${greeting.spec.to}!`;
      if (configMaps.indexer.getByKey(key)?.data?.message !== message) {
        const ownerReferences = [controllerReference(Greeting, greeting)];
        const configMap = { metadata: { name, namespace, ownerReferences }, data: { message } };
        await maps.apply(configMap, { fieldManager: 'greeting-operator', force: true }, call);
        await listed({ [`${namespace}.${name}`]: message });
        greeted.inc();
        operator.events.event(greeting, 'Normal', 'Greeted', message);
      }
      const patch = statusPatch(greeting, message);
      if (patch !== undefined) await resource.status.patch(name, patch, {}, call);
    },
  });
  await operator.run(signal);
}

/** What the status has to become; undefined when it says all of it. A time changes only with the condition. */
function statusPatch(greeting: Greeting, message: string): MergePatch<Greeting> | undefined {
  const { generation = 0 } = greeting.metadata;
  const { status } = greeting;
  if (status?.message === message && status.observedGeneration === generation) return undefined;
  const before = status?.conditions?.find(({ type }) => type === 'Ready');
  const ready = {
    type: 'Ready',
    status: 'True' as const,
    reason: 'Greeted',
    message: `said to ${greeting.spec.to}`,
    observedGeneration: generation,
    lastTransitionTime:
      before?.status === 'True' ? before.lastTransitionTime : new Date().toISOString(),
  };
  const others = status?.conditions?.filter(({ type }) => type !== 'Ready') ?? [];
  return { status: { message, observedGeneration: generation, conditions: [...others, ready] } };
}
