import { apiVersionOf, type Kind, type KubeObject, type OwnerReference } from '@waygate/schema';
import { RuntimeError } from '../runtime-error.ts';

/**
 * The reference by which an object says who made it. The API deletes it with its owner, and
 * `ownerKeys` leads from it back to the owner.
 *
 * ```ts
 * const web = await client.resource(kinds.Deployment).get('web', { namespace: 'shop' });
 * const ownerReferences = [controllerReference(kinds.Deployment, web)];
 * const metadata = { name: 'web-settings', namespace: 'shop', ownerReferences };
 * ```
 *
 * @throws RuntimeError `WG_RUNTIME_OWNER` when the owner has no uid: it is not from the API
 */
export function controllerReference<T extends KubeObject>(
  { group, version, kind }: Pick<Kind<T>, 'group' | 'version' | 'kind'>,
  owner: T,
): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!name || !uid)
    throw new RuntimeError('WG_RUNTIME_OWNER', `the ${kind} has no uid, so it can own nothing`);
  const apiVersion = apiVersionOf(group, version);
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
