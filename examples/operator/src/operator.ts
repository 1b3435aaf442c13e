import type { KubeClient } from '@waygate/kube';
import { controllerReference, informerSource, Operator, ownerKeys } from '@waygate/runtime';
import { defineKind, type KubeObject, kinds } from '@waygate/schema';

type Greeting = KubeObject & { spec: { to: string }; status?: { message: string } };

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
  const children = informerSource(configMaps, { map: ownerKeys(greetingKind) });
  operator.addController({
    name: 'greeting',
    sources: [informerSource(greetings), children],
    reconcile: async (key, call) => {
      const greeting = greetings.indexer.getByKey(key);
      if (greeting === undefined) return; // the ConfigMap goes with its owner
      const { name = '', namespace = '' } = greeting.metadata;
      const message = `Hello, ${greeting.spec.to}!`;
      if (configMaps.indexer.getByKey(key)?.data?.message !== message) {
        const ownerReferences = [controllerReference(greetingKind, greeting)];
        const configMap = { metadata: { name, namespace, ownerReferences }, data: { message } };
        const manager = { fieldManager: 'greeting-operator', force: true };
        await client.resource(kinds.ConfigMap).apply(configMap, manager, call);
        operator.events.event(greeting, 'Normal', 'Greeted', message);
      }
      const { status } = client.resource(greetingKind);
      if (greeting.status?.message !== message)
        await status.patch(name, { status: { message } }, { namespace }, call);
    },
  });
  await operator.run(signal);
}
