import type { Gateway, Listener } from '../objects/gateway-api.ts';
import type { Secret } from '../objects/secret.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { isReferenceAllowed } from '../translate/gateway/reference-grants.ts';
import { supportedKinds } from '../translate/gateway/route-attachment.ts';
import { keyPairOf } from '../translate/key-pair.ts';
import type { WantedCondition } from './conditions.ts';
import type { PortState } from './gateway-places.ts';

const knownProtocols: ReadonlySet<string> = new Set(['HTTP', 'HTTPS', 'TLS', 'TCP', 'UDP']);

/** Protocols whose listeners can share a port, told apart by host name. */
const sharingGroups: Readonly<Record<string, string>> = { HTTPS: 'TLS', TLS: 'TLS', HTTP: 'HTTP' };

/** What is to be said of a listener of a Gateway of ours. */
export function listenerConditions(
  reader: ObjectReader,
  gateway: Gateway,
  listener: Listener,
  port: PortState = 'open',
): WantedCondition[] {
  const isSupported = knownProtocols.has(listener.protocol);
  if (isSupported && typeof port === 'object') return portRefused(listener, port.code);
  const conflict = conflictOf(gateway, listener);
  const unresolved = kindProblem(listener) ?? certificateProblem(reader, gateway, listener);
  const isProgrammed = isSupported && conflict === undefined && unresolved === undefined;
  return [
    isSupported
      ? { type: 'Accepted', status: 'True', reason: 'Accepted' }
      : {
          type: 'Accepted',
          status: 'False',
          reason: 'UnsupportedProtocol',
          message: `there is no protocol ${listener.protocol}`,
        },
    conflict ?? { type: 'Conflicted', status: 'False', reason: 'NoConflicts' },
    isProgrammed && port === 'open'
      ? { type: 'Programmed', status: 'True', reason: 'Programmed' }
      : { type: 'Programmed', status: 'False', reason: isProgrammed ? 'Pending' : 'Invalid' },
    unresolved ?? { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs' },
  ];
}

function portRefused({ port }: Listener, code: string): WantedCondition[] {
  const message = `port ${port} cannot be opened: ${code}`;
  return [
    { type: 'Accepted', status: 'False', reason: 'PortUnavailable', message },
    { type: 'Conflicted', status: 'False', reason: 'NoConflicts' },
    { type: 'Programmed', status: 'False', reason: 'Invalid', message },
    { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs' },
  ];
}

export function isProgrammedListener(conditions: readonly WantedCondition[]): boolean {
  return conditions.some(({ type, status }) => type === 'Programmed' && status === 'True');
}

/** Two listeners on one port must speak the same, and must be told apart by their host names. */
function conflictOf({ spec }: Gateway, listener: Listener): WantedCondition | undefined {
  const conflicted = (reason: string, message: string): WantedCondition => ({
    type: 'Conflicted',
    status: 'True',
    reason,
    message,
  });
  for (const other of spec?.listeners ?? []) {
    if (other === listener || other.name === listener.name || other.port !== listener.port)
      continue;
    // A port of UDP is another one than the port of TCP with the same number.
    if ((other.protocol === 'UDP') !== (listener.protocol === 'UDP')) continue;
    const group = sharingGroups[listener.protocol];
    if (group === undefined || group !== sharingGroups[other.protocol])
      return conflicted(
        'ProtocolConflict',
        `listener ${other.name} speaks ${other.protocol} on the same port`,
      );
    if ((other.hostname ?? '') === (listener.hostname ?? ''))
      return conflicted(
        'HostnameConflict',
        `listener ${other.name} has the same port and host name`,
      );
  }
  return undefined;
}

function refused(reason: string, message: string): WantedCondition {
  return { type: 'ResolvedRefs', status: 'False', reason, message };
}

/** Kinds of routes that a listener is asked to take and cannot. */
function kindProblem(listener: Listener): WantedCondition | undefined {
  const asked = listener.allowedRoutes?.kinds ?? [];
  if (supportedKinds(listener).length === asked.length || asked.length === 0) return undefined;
  const names = asked.map(({ kind }) => kind).join(', ');
  return refused('InvalidRouteKinds', `not all of ${names} can be routes of ${listener.protocol}`);
}

/** What keeps a listener from ending TLS. */
function certificateProblem(
  reader: ObjectReader,
  gateway: Gateway,
  listener: Listener,
): WantedCondition | undefined {
  const { tls, protocol } = listener;
  if (tls?.mode === 'Passthrough') return undefined;
  const references = tls?.certificateRefs ?? [];
  if (references.length === 0 && (protocol === 'HTTPS' || protocol === 'TLS'))
    return refused('InvalidCertificateRef', `a listener of ${protocol} needs a certificate`);
  if (references.length > 1)
    return refused('InvalidCertificateRef', 'a listener can have one certificate only');
  for (const { kind, group, name, namespace: named } of references) {
    const namespace = named ?? gateway.metadata.namespace ?? '';
    if ((kind ?? 'Secret') !== 'Secret' || (group ?? '') !== '')
      return refused('InvalidCertificateRef', `a certificate cannot be a ${kind}`);
    const target = { group: '', kind: 'Secret', namespace, name };
    if (!isReferenceAllowed(reader, gateway, target))
      return refused('RefNotPermitted', `no ReferenceGrant allows Secret ${namespace}/${name}`);
    const secret = reader.get<Secret>('Secret', namespace, name);
    if (secret === undefined || keyPairOf(secret) === undefined)
      return refused('InvalidCertificateRef', `Secret ${namespace}/${name} holds no certificate`);
  }
  return undefined;
}
