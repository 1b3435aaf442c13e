import type { KubeObject } from '@waygate/schema';
import type { Gateway, GatewayClass } from '../objects/gateway-api.ts';
import { compareText, creationOf, keyOf, namespacedKey } from '../objects/reference.ts';
import type { Secret } from '../objects/secret.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { clientValidation } from './gateway/frontend-validation.ts';
import { type ListenerOwner, listenersOf } from './gateway/gateway-listeners.ts';
import { isReferenceAllowed } from './gateway/reference-grants.ts';
import { compareClaims, type Incumbents, type UniqueClaim } from './incremental/unique-claims.ts';
import { keyPairOf } from './key-pair.ts';
import type { CertificateEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import type { ProblemList } from './problem.ts';
import { tagsOf } from './tags.ts';

/** An object's wish that a Secret's certificate is loaded, and shown for these hosts. */
export interface CertificateClaim {
  readonly namespace: string;
  readonly secretName: string;
  readonly hosts: readonly string[];
  readonly parent: KubeObject;
}

export interface CertificatesResult {
  readonly certificates: CertificateEntity[];
  /** Secrets with the same certificate become one: the id of each Secret's certificate, by its uid. */
  readonly idOfSecret: ReadonlyMap<string, string>;
}

interface LoadedCertificate {
  entity: CertificateEntity;
  creation: string;
  readonly snis: string[];
  readonly secrets: Set<string>;
}

/** A host belongs to one Secret: of those that claim it the one that has it, or the oldest claim's. */
export function buildCertificates(
  claims: readonly CertificateClaim[],
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
  incumbents?: Incumbents,
): CertificatesResult {
  const loaded = new Map<string, LoadedCertificate>();
  const hosts = new Map<string, HostClaim[]>();
  const all = [...groupBySecret(claims), ...gatewayGroups(reader, options, problems)];
  for (const { namespace, name, wishes, parents } of all) {
    const key = namespacedKey(namespace, name);
    const secret = reader.get<Secret>('Secret', namespace, name);
    if (secret === undefined) {
      problems.add(`Failed to fetch the secret (${key})`, ...parents);
      continue;
    }
    const certificate = load(loaded, secret);
    if (certificate === undefined) {
      problems.add('failed to construct certificate from secret', ...parents, secret);
      continue;
    }
    for (const { host, parent } of wishes) {
      const claim = { index: 'sni', value: host, objects: [parent] as const, holder: key };
      hosts.set(host, [...(hosts.get(host) ?? []), { ...claim, certificate }]);
    }
  }
  for (const [host, wishes] of hosts) {
    const [winner, ...others] = wishes.sort((left, right) =>
      compareClaims(left, right, incumbents),
    );
    winner!.certificate.snis.push(host);
    const told = new Set<KubeObject>();
    for (const { certificate, objects } of others) {
      const [parent] = objects;
      const [owner] = winner!.objects;
      // Inside a namespace it is its owner's business.
      const isOwn = parent.metadata.namespace === owner.metadata.namespace;
      if (certificate === winner!.certificate || isOwn || told.has(parent)) continue;
      told.add(parent);
      const message = `the certificate for ${host} is that of ${owner.kind} ${keyOf(owner)}`;
      problems.addConflict(message, parent);
    }
  }
  return finish(loaded);
}

interface HostClaim extends UniqueClaim {
  readonly certificate: LoadedCertificate;
}

/** What is wanted of one Secret. */
interface SecretGroup {
  readonly namespace: string;
  readonly name: string;
  readonly wishes: { readonly host: string; readonly parent: KubeObject }[];
  readonly parents: KubeObject[];
}

function groupBySecret(claims: readonly CertificateClaim[]): SecretGroup[] {
  const groups = new Map<string, SecretGroup>();
  for (const { namespace, secretName: name, hosts, parent } of claims) {
    const key = namespacedKey(namespace, name);
    const group = groups.get(key) ?? { namespace, name, wishes: [], parents: [] };
    groups.set(key, group);
    for (const host of hosts) group.wishes.push({ host, parent });
    const isKnown = group.parents.some(
      (one) => one.kind === parent.kind && keyOf(one) === keyOf(parent),
    );
    if (!isKnown) group.parents.push(parent);
  }
  return [...groups.values()];
}

/** Undefined when the Secret holds no usable pair. */
function load(
  loaded: Map<string, LoadedCertificate>,
  secret: Secret,
): LoadedCertificate | undefined {
  const pair = keyPairOf(secret);
  if (pair === undefined) return undefined;
  const identity = pair.cert + pair.key;
  const uid = secret.metadata.uid ?? '';
  let certificate = loaded.get(identity);
  if (certificate === undefined) {
    certificate = {
      entity: { id: uid, cert: pair.cert, key: pair.key, tags: tagsOf(secret) },
      creation: creationOf(secret),
      snis: [],
      secrets: new Set(),
    };
    loaded.set(identity, certificate);
  } else if (isPreferred(secret, certificate)) {
    // The id must not depend on the order of arrival, or it would change for no reason.
    certificate.entity = { ...certificate.entity, id: uid, tags: tagsOf(secret) };
    certificate.creation = creationOf(secret);
  }
  certificate.secrets.add(uid);
  return certificate;
}

function isPreferred(secret: Secret, { creation, entity }: LoadedCertificate): boolean {
  const byAge = compareText(creationOf(secret), creation);
  return byAge < 0 || (byAge === 0 && (secret.metadata.uid ?? '') < entity.id);
}

/** Certificates of listeners that are up, on Gateways of our class. */
function gatewayGroups(
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): SecretGroup[] {
  const groups: SecretGroup[] = [];
  for (const gateway of reader.list<Gateway>('Gateway')) {
    const gatewayClass = reader.get<GatewayClass>(
      'GatewayClass',
      '',
      gateway.spec?.gatewayClassName ?? '',
    );
    const isForeign =
      gatewayClass !== undefined &&
      gatewayClass.spec?.controllerName !== options.gatewayControllerName;
    if (isForeign) continue;
    for (const { owner, listener } of listenersOf(reader, gateway)) {
      // So that the authorities are fetched: whether the listener can be up depends on them.
      clientValidation(reader, gateway, listener, options.now());
      const references = listener.tls?.certificateRefs ?? [];
      const [reference] = references;
      if (reference === undefined) continue;
      const { name } = reference;
      const namespace = reference.namespace ?? owner.metadata.namespace ?? '';
      // Looked up for a listener that is not up too: whether it can be depends on the Secret.
      const secret = reader.get<Secret>('Secret', namespace, name);
      if (!isProgrammed(owner, listener.name)) continue;
      if (references.length > 1) {
        const message = `listener '${listener.name}' has more than one certificateRef, it's not supported`;
        problems.add(message, owner);
        continue;
      }
      // The status says what was allowed when it was written; a grant may have gone since.
      const target = { group: '', kind: 'Secret', namespace, name };
      if (secret === undefined || !isReferenceAllowed(reader, owner, target)) continue;
      const wishes = [{ host: listener.hostname || '*', parent: owner }];
      groups.push({ namespace, name, wishes, parents: [owner] });
    }
  }
  return groups;
}

function isProgrammed(owner: ListenerOwner, listener: string): boolean {
  const status = (owner.status?.listeners ?? []).find(({ name }) => name === listener);
  return (status?.conditions ?? []).some(
    (condition) =>
      condition.type === 'Programmed' &&
      condition.status === 'True' &&
      (condition.reason ?? '') === 'Programmed' &&
      (condition.observedGeneration ?? 0) >= (owner.metadata.generation ?? 0),
  );
}

function finish(loaded: ReadonlyMap<string, LoadedCertificate>): CertificatesResult {
  const idOfSecret = new Map<string, string>();
  const certificates = [...loaded.values()].map(({ entity, snis, secrets }) => {
    for (const uid of secrets) idOfSecret.set(uid, entity.id);
    const names = snis.sort(compareText);
    if (names.length === 0) return entity;
    return { ...entity, snis: names.map((name) => ({ name, certificate: { id: entity.id } })) };
  });
  certificates.sort((left, right) => compareText(left.id, right.id));
  return { certificates, idOfSecret };
}
