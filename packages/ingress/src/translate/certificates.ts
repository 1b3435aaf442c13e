import type { KubeObject } from '@waygate/schema';
import type { Gateway, GatewayClass } from '../objects/gateway-api.ts';
import { compareText, creationOf, keyOf, namespacedKey } from '../objects/reference.ts';
import type { Secret } from '../objects/secret.ts';
import type { ObjectReader } from '../store/object-reader.ts';
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

/** Claims come in order of precedence: a host belongs to the first Secret that claims it. */
export function buildCertificates(
  claims: readonly CertificateClaim[],
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): CertificatesResult {
  const loaded = new Map<string, LoadedCertificate>();
  const takenHosts = new Set<string>();
  for (const [key, { hosts, parents }] of groupBySecret(claims)) {
    const slash = key.indexOf('/');
    const secret = reader.get<Secret>('Secret', key.slice(0, slash), key.slice(slash + 1));
    if (secret === undefined) {
      problems.add(`Failed to fetch the secret (${key})`, ...parents);
      continue;
    }
    if (!load(loaded, secret, hosts, takenHosts))
      problems.add('failed to construct certificate from secret', ...parents, secret);
  }
  loadGatewayCertificates(loaded, takenHosts, reader, options, problems);
  return finish(loaded);
}

function groupBySecret(
  claims: readonly CertificateClaim[],
): Map<string, { hosts: string[]; parents: KubeObject[] }> {
  const claimed = new Set<string>();
  const groups = new Map<string, { hosts: string[]; parents: KubeObject[] }>();
  for (const { namespace, secretName, hosts, parent } of claims) {
    const key = namespacedKey(namespace, secretName);
    const group = groups.get(key) ?? { hosts: [], parents: [] };
    groups.set(key, group);
    for (const host of hosts) {
      if (claimed.has(host)) continue;
      claimed.add(host);
      group.hosts.push(host);
    }
    const isKnown = group.parents.some(
      (one) => one.kind === parent.kind && keyOf(one) === keyOf(parent),
    );
    if (!isKnown) group.parents.push(parent);
  }
  return groups;
}

/** False when the Secret holds no usable pair. */
function load(
  loaded: Map<string, LoadedCertificate>,
  secret: Secret,
  hosts: readonly string[],
  takenHosts: Set<string>,
): boolean {
  const pair = keyPairOf(secret);
  if (pair === undefined) return false;
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
  for (const host of hosts) {
    if (takenHosts.has(host)) continue;
    takenHosts.add(host);
    certificate.snis.push(host);
  }
  return true;
}

function isPreferred(secret: Secret, { creation, entity }: LoadedCertificate): boolean {
  const byAge = compareText(creationOf(secret), creation);
  return byAge < 0 || (byAge === 0 && (secret.metadata.uid ?? '') < entity.id);
}

/** Certificates of listeners that are up, on Gateways of our class. */
function loadGatewayCertificates(
  loaded: Map<string, LoadedCertificate>,
  takenHosts: Set<string>,
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): void {
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
    for (const listener of gateway.spec?.listeners ?? []) {
      const references = listener.tls?.certificateRefs ?? [];
      const [reference] = references;
      if (reference === undefined) continue;
      const namespace = reference.namespace ?? gateway.metadata.namespace ?? '';
      // Looked up for a listener that is not up too: whether it can be depends on the Secret.
      const secret = reader.get<Secret>('Secret', namespace, reference.name);
      if (!isProgrammed(gateway, listener.name)) continue;
      if (references.length > 1) {
        const message = `listener '${listener.name}' has more than one certificateRef, it's not supported`;
        problems.add(message, gateway);
        continue;
      }
      if (secret === undefined) continue;
      if (!load(loaded, secret, [listener.hostname || '*'], takenHosts))
        problems.add('failed to construct certificate from secret', secret, gateway);
    }
  }
}

function isProgrammed(gateway: Gateway, listener: string): boolean {
  const status = (gateway.status?.listeners ?? []).find(({ name }) => name === listener);
  return (status?.conditions ?? []).some(
    (condition) =>
      condition.type === 'Programmed' &&
      condition.status === 'True' &&
      (condition.reason ?? '') === 'Programmed' &&
      (condition.observedGeneration ?? 0) >= (gateway.metadata.generation ?? 0),
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
