import type { KubeObject } from '@waygate/schema';
import type { Gateway, ParentReference } from '../../objects/gateway-api.ts';
import type { Secret } from '../../objects/secret.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { keyPairOf } from '../key-pair.ts';
import { isReferenceAllowed } from './reference-grants.ts';
import { ownParent } from './route-attachment.ts';

/** Why the certificate that a Gateway shows to backends cannot be had, in the words of the Gateway API. */
interface BackendCertificateProblem {
  readonly reason: 'InvalidClientCertificateRef' | 'RefNotPermitted';
  readonly message: string;
}

/** The Secret with the certificate that a Gateway shows to backends; undefined when it shows none. */
export function backendCertificate(
  reader: ObjectReader,
  gateway: Gateway,
): Secret | BackendCertificateProblem | undefined {
  const reference = gateway.spec?.tls?.backend?.clientCertificateRef;
  if (reference == null) return undefined;
  const { group, kind, name, namespace: named } = reference;
  const refused = (reason: BackendCertificateProblem['reason'], message: string) => ({
    reason,
    message,
  });
  if ((group ?? '') !== '' || (kind ?? 'Secret') !== 'Secret')
    return refused('InvalidClientCertificateRef', `a certificate cannot be a ${kind}`);
  const namespace = named ?? gateway.metadata.namespace ?? '';
  // Looked up before it is allowed, so that it is there as soon as it is.
  const secret = reader.get<Secret>('Secret', namespace, name);
  const target = { group: '', kind: 'Secret', namespace, name };
  if (!isReferenceAllowed(reader, gateway, target))
    return refused('RefNotPermitted', `no ReferenceGrant allows Secret ${namespace}/${name}`);
  return secret === undefined || keyPairOf(secret) === undefined
    ? refused('InvalidClientCertificateRef', `Secret ${namespace}/${name} holds no certificate`)
    : secret;
}

/** What the first of a route's Gateways that shows a certificate to backends shows, and the Gateway. */
export function certificateOfRoute(
  route: KubeObject,
  reader: ObjectReader,
  controllerName: string,
): { readonly secret: Secret; readonly gateway: Gateway } | undefined {
  const { spec } = route as { spec?: { parentRefs?: ParentReference[] | null } };
  for (const parent of spec?.parentRefs ?? []) {
    const gateway = ownParent(reader, route, parent, controllerName)?.gateway;
    const secret = gateway && backendCertificate(reader, gateway);
    if (gateway !== undefined && secret !== undefined && !('reason' in secret))
      return { secret, gateway };
  }
  return undefined;
}
