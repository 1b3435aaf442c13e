import type { KubeClient } from '@waygate/kube';
import { generationChanged, informerSource, Operator, ownerKeys } from '@waygate/runtime';
import { defineKind, type KubeObject, kinds } from '@waygate/schema';

interface Greeting extends KubeObject {
  spec: { to: string };
  status?: { message: string };
}

const greetingKind = defineKind<Greeting>({
  group: 'example.com',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
  scope: 'Namespaced',
});

/** Keeps a ConfigMap with a message for each Greeting, until the signal aborts. */
export async function runOperator(client: KubeClient, signal: AbortSignal, port = 8080) {
  const operator = new Operator({ name: 'greeting-operator', client, server: { port } });
  const greetings = operator.informerFor(greetingKind);
  const configMaps = operator.informerFor(kinds.ConfigMap);
  operator.addController({
    name: 'greeting',
    sources: [
      informerSource(greetings, { predicates: [generationChanged] }),
      informerSource(configMaps, { map: ownerKeys(greetingKind) }),
    ],
    reconcile: async (key, { signal }) => {
      const greeting = greetings.indexer.getByKey(key);
      if (greeting === undefined) return; // the ConfigMap goes with its owner
      const { name = '', namespace = '', uid = '' } = greeting.metadata;
      const message = `Hello, ${greeting.spec.to}!`;
      if (configMaps.indexer.getByKey(key)?.data?.message !== message) {
        const owner = {
          apiVersion: 'example.com/v1',
          kind: 'Greeting',
          name,
          uid,
          controller: true,
        };
        const metadata = { name, namespace, ownerReferences: [owner] };
        const manager = { fieldManager: 'greeting-operator', force: true };
        await client
          .resource(kinds.ConfigMap)
          .apply({ metadata, data: { message } }, manager, { signal });
        operator.events.event(greeting, 'Normal', 'Greeted', message);
      }
      if (greeting.status?.message !== message)
        await client
          .resource(greetingKind)
          .status.patch(name, { status: { message } }, { namespace }, { signal });
    },
  });
  await operator.run(signal);
}
