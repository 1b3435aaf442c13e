import { type KubeObject, parseApiVersion } from '@waygate/schema';
import type { ReferenceGrant } from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';

interface ReferenceTarget {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** May this object refer to that one? Always inside a namespace, across them only with a grant. */
export function isReferenceAllowed(
  reader: ObjectReader,
  from: KubeObject,
  to: ReferenceTarget,
): boolean {
  const namespace = from.metadata.namespace ?? '';
  if (to.namespace === namespace) return true;
  const { group } = parseApiVersion(from.apiVersion ?? '');
  return reader.list<ReferenceGrant>('ReferenceGrant').some((grant) => {
    if (grant.metadata.namespace !== to.namespace) return false;
    const isFrom = (grant.spec?.from ?? []).some(
      (one) => one.group === group && one.kind === from.kind && one.namespace === namespace,
    );
    return (
      isFrom &&
      (grant.spec?.to ?? []).some(
        (one) =>
          one.group === to.group && one.kind === to.kind && (!one.name || one.name === to.name),
      )
    );
  });
}
