import type { KubeObject } from '@waygate/schema';
import type { BackendReference } from '../../objects/gateway-api.ts';
import type { Service } from '../../objects/service.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { PluginEntity } from '../kong-state.ts';
import type { Backend } from '../service-claim.ts';
import { isReferenceAllowed } from './reference-grants.ts';

/**
 * The backends of a rule that exist and may be referred to; the others are left out. An API server
 * fills in `kind`, so that a reference without it is not one that it accepted.
 */
export function backendsOf(
  route: KubeObject,
  references: readonly BackendReference[],
  reader: ObjectReader,
): Backend[] {
  return references.flatMap((reference) => {
    if ((reference.group ?? '') !== '' && reference.group !== 'core') return [];
    if (reference.kind !== 'Service') return [];
    const namespace = reference.namespace ?? route.metadata.namespace ?? '';
    const target = { group: '', kind: 'Service', namespace, name: reference.name };
    if (reader.get<Service>('Service', namespace, reference.name) === undefined) return [];
    if (!isReferenceAllowed(reader, route, target)) return [];
    const { weight } = reference;
    return [
      {
        kind: 'Service' as const,
        namespace,
        name: reference.name,
        port: { by: 'number' as const, number: reference.port ?? -1 },
        ...(weight === null || weight === undefined ? {} : { weight }),
      },
    ];
  });
}

/** Gateway API asks for status 500 when a rule names backends and none of them exists. */
export function noBackendPlugin(): PluginEntity {
  return {
    name: 'request-termination',
    config: { status_code: 500, message: 'no existing backendRef provided' },
  };
}
