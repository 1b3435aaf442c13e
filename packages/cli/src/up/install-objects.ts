import { isNotFound, type KubeClient } from '@waygate/kube';
import {
  type CustomResourceDefinition,
  defineKind,
  type Kind,
  type KubeObject,
  kinds,
} from '@waygate/schema';

/** Who applies what `waygate up` brings along. */
export const fieldManager = 'waygate-up';
const waitMs = 20;

/** Applies CustomResourceDefinitions and waits until the API serves each of their versions. */
export async function installDefinitions(
  client: KubeClient,
  definitions: readonly CustomResourceDefinition[],
  signal: AbortSignal,
): Promise<void> {
  const resource = client.resource(kinds.CustomResourceDefinition);
  await Promise.all(
    definitions.map((definition) =>
      resource.apply(definition, { fieldManager, force: true }, { signal }),
    ),
  );
  for (const definition of definitions)
    for (const kind of kindsOf(definition)) await untilServed(client, kind, signal);
}

function kindsOf({ spec }: CustomResourceDefinition): Kind[] {
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name }) =>
      defineKind({ group: spec.group, version: name, scope: spec.scope, ...spec.names }),
    );
}

async function untilServed(client: KubeClient, kind: Kind, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      await client.resource(kind).list({ limit: 1 }, { signal });
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Brings one object to what is wanted, whatever is there. */
export async function applyObject<T extends KubeObject>(
  client: KubeClient,
  kind: Kind<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  await client.resource(kind).apply(object, { fieldManager, force: true }, { signal });
}
