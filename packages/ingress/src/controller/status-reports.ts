import type { KubeObject } from '@waygate/schema';
import type { Condition } from '../objects/gateway-api.ts';
import type { Ingress, LoadBalancerIngress } from '../objects/ingress.ts';
import { type KindId, kindIdOf } from '../objects/kind-id.ts';
import type { ObjectReference } from '../objects/reference.ts';
import { areSameAddresses } from '../status/addresses.ts';
import { type ProgrammedState, programmedConditions } from '../status/programmed-condition.ts';
import type { StatusPatch } from '../status/status-writer.ts';

const withAddresses: ReadonlySet<KindId> = new Set(['Ingress', 'TCPIngress', 'UDPIngress']);

const withProgrammed: ReadonlySet<KindId> = new Set([
  'KongClusterPlugin',
  'KongConsumer',
  'KongConsumerGroup',
  'KongCustomEntity',
  'KongPlugin',
  'KongServiceFacade',
  'KongVault',
]);

/** The statuses that objects in a configuration that is live should have, where they have not. */
export function addressPatches(
  objects: Iterable<KubeObject>,
  addresses: readonly LoadBalancerIngress[],
): StatusPatch[] {
  const patches: StatusPatch[] = [];
  for (const object of objects) {
    const kind = kindIdOf(object);
    if (kind === undefined || !withAddresses.has(kind)) continue;
    const current = (object as Ingress).status?.loadBalancer?.ingress ?? [];
    if (areSameAddresses(current, addresses)) continue;
    patches.push({ object, status: { loadBalancer: { ingress: addresses } } });
  }
  return patches;
}

/** Whether each Kong resource is in force, is wrong, or is not used by anything yet. */
export function programmedPatches(
  objects: Iterable<KubeObject>,
  translated: ReadonlySet<KubeObject>,
  wrong: readonly ObjectReference[],
  now: Date,
): StatusPatch[] {
  const wrongKeys = new Set(
    wrong.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`),
  );
  const patches: StatusPatch[] = [];
  for (const object of objects) {
    const kind = kindIdOf(object);
    if (kind === undefined || !withProgrammed.has(kind)) continue;
    const { namespace = '', name = '' } = object.metadata;
    const isWrong = wrongKeys.has(`${object.kind} ${namespace}/${name}`);
    let state: ProgrammedState = translated.has(object) ? 'programmed' : 'pending';
    if (isWrong) state = 'invalid';
    const conditions = programmedConditions(
      object as KubeObject & { status?: { conditions?: readonly Condition[] } },
      state,
      now,
    );
    if (conditions !== undefined) patches.push({ object, status: { conditions } });
  }
  return patches;
}
