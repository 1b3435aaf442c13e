import type { Listener } from '../objects/gateway-api.ts';
import type { Secret } from '../objects/secret.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import type { ClientValidation } from '../translate/gateway/frontend-validation.ts';
import {
  hasFilters,
  type ListenerConflict,
  type ListenerOwner,
} from '../translate/gateway/gateway-listeners.ts';
import { isReferenceAllowed } from '../translate/gateway/reference-grants.ts';
import { supportedKinds } from '../translate/gateway/route-attachment.ts';
import { keyPairOf } from '../translate/key-pair.ts';
import type { WantedCondition } from './conditions.ts';
import type { PortState } from './gateway-places.ts';

const knownProtocols: ReadonlySet<string> = new Set(['HTTP', 'HTTPS', 'TLS', 'TCP', 'UDP']);

/** What is known of a listener beside itself. */
export interface ListenerFacts {
  readonly port?: PortState;
  readonly conflict?: ListenerConflict | undefined;
  /** What its clients have to show; a message when nobody can see to it that they do. */
  readonly clients?: ClientValidation | string | undefined;
}

/** What is to be said of a listener of a Gateway of ours, or of one of its ListenerSets. */
export function listenerConditions(
  reader: ObjectReader,
  owner: ListenerOwner,
  listener: Listener,
  { port = 'open', conflict, clients }: ListenerFacts = {},
): WantedCondition[] {
  if (conflict !== undefined && owner.kind === 'ListenerSet') return lost(conflict);
  const isSupported = knownProtocols.has(listener.protocol);
  if (isSupported && typeof port === 'object') return portRefused(listener, port.code);
  const unresolved = kindProblem(listener) ?? certificateProblem(reader, owner, listener);
  const judged = filtersCondition(listener) ?? clientsCondition(clients);
  const isProgrammed =
    isSupported && conflict === undefined && unresolved === undefined && judged === undefined;
  return [
    isSupported
      ? (judged ?? { type: 'Accepted', status: 'True', reason: 'Accepted' })
      : {
          type: 'Accepted',
          status: 'False',
          reason: 'UnsupportedProtocol',
          message: `there is no protocol ${listener.protocol}`,
        },
    conflict === undefined
      ? { type: 'Conflicted', status: 'False', reason: 'NoConflicts' }
      : { type: 'Conflicted', status: 'True', ...conflict },
    isProgrammed && port === 'open'
      ? { type: 'Programmed', status: 'True', reason: 'Programmed' }
      : { type: 'Programmed', status: 'False', reason: isProgrammed ? 'Pending' : 'Invalid' },
    unresolved ??
      authorityProblem(clients) ?? {
        type: 'ResolvedRefs',
        status: 'True',
        reason: 'ResolvedRefs',
      },
  ];
}

function filtersCondition(listener: Listener): WantedCondition | undefined {
  if (!hasFilters(listener)) return undefined;
  const message = 'filters of a listener are not supported';
  return { type: 'Accepted', status: 'False', reason: 'UnsupportedValue', message };
}

/** Why a listener cannot be, when its clients cannot be judged. */
function clientsCondition(clients: ListenerFacts['clients']): WantedCondition | undefined {
  const refusal = (reason: string, message: string): WantedCondition => ({
    type: 'Accepted',
    status: 'False',
    reason,
    message,
  });
  if (typeof clients === 'string') return refusal('UnsupportedValue', clients);
  return clients === undefined || clients.authorities.length > 0
    ? undefined
    : refusal('NoValidCACertificate', 'no authority of the certificates of clients is right');
}

function authorityProblem(clients: ListenerFacts['clients']): WantedCondition | undefined {
  const problem = typeof clients === 'object' ? clients.problem : undefined;
  return problem && refused(problem.reason, problem.message);
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

/** Of a set's listener that another one was before: the other one is as if this were not there. */
function lost(conflict: ListenerConflict): WantedCondition[] {
  return [
    { type: 'Accepted', status: 'False', ...conflict },
    { type: 'Conflicted', status: 'True', ...conflict },
    { type: 'Programmed', status: 'False', ...conflict },
    { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs' },
  ];
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
  owner: ListenerOwner,
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
    const namespace = named ?? owner.metadata.namespace ?? '';
    if ((kind ?? 'Secret') !== 'Secret' || (group ?? '') !== '')
      return refused('InvalidCertificateRef', `a certificate cannot be a ${kind}`);
    const target = { group: '', kind: 'Secret', namespace, name };
    if (!isReferenceAllowed(reader, owner, target))
      return refused('RefNotPermitted', `no ReferenceGrant allows Secret ${namespace}/${name}`);
    const secret = reader.get<Secret>('Secret', namespace, name);
    if (secret === undefined || keyPairOf(secret) === undefined)
      return refused('InvalidCertificateRef', `Secret ${namespace}/${name} holds no certificate`);
  }
  return undefined;
}
