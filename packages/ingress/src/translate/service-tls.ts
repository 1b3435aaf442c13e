import { type ConfigMap, type Secret, secretText } from '../objects/secret.ts';
import type { Service } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotation, annotationList, annotationsOf, parseBoolean } from './annotations.ts';
import type { ProblemList } from './problem.ts';

const protocolsWithoutTls = new Set(['http', 'grpc', 'tcp', 'tls_passthrough', 'udp', 'ws']);

function effectiveProtocol(service: Service): string {
  return annotation(annotationsOf(service), 'protocol') || 'http';
}

/** The Secret with the certificate that Kong shows to the Service; undefined when there is none. */
export function clientCertificateSecret(
  service: Service,
  serviceProtocol: string,
  reader: ObjectReader,
  problems: ProblemList,
): Secret | undefined {
  const name = annotation(annotationsOf(service), 'client-cert');
  if (!name) return undefined;
  const { namespace = '' } = service.metadata;
  const secret = reader.get<Secret>('Secret', namespace, name);
  if (secret === undefined) {
    problems.add(
      `Failed to fetch secret '${namespace}/${name}': Secret ${namespace}/${name} not found`,
      service,
    );
    return undefined;
  }
  if (protocolsWithoutTls.has(effectiveProtocol(service))) {
    problems.add(
      `Client certificate requested for incompatible service protocol '${serviceProtocol}'`,
      service,
    );
    return undefined;
  }
  return secret;
}

/** The ids of the CA certificates that Kong checks the Service's certificate against. */
export function caCertificateIds(
  service: Service,
  reader: ObjectReader,
  problems: ProblemList,
): string[] {
  const annotations = annotationsOf(service);
  const secrets = annotationList(annotations, 'ca-certificates-secrets') ?? [];
  const configMaps = annotationList(annotations, 'ca-certificates-configmaps') ?? [];
  if (secrets.length + configMaps.length === 0) return [];
  if (parseBoolean(annotation(annotations, 'tls-verify') ?? '') !== true) {
    problems.add('CA certificates requested for service without TLS verification enabled', service);
    return [];
  }
  const protocol = effectiveProtocol(service);
  if (protocolsWithoutTls.has(protocol)) {
    problems.add(
      `CA certificates requested for incompatible service protocol '${protocol}'`,
      service,
    );
    return [];
  }
  const { namespace = '' } = service.metadata;
  const ids: string[] = [];
  const take = (
    kind: 'secret' | 'configmap',
    name: string,
    object: Secret | ConfigMap | undefined,
    id: string | undefined,
  ) => {
    const key = `${namespace}/${name}`;
    if (object === undefined) {
      const missing = `${kind === 'secret' ? 'Secret' : 'ConfigMap'} ${key} not found`;
      problems.add(`Failed to fetch ${kind} for CA Certificate '${key}': ${missing}`, service);
    } else if (id === undefined) {
      const message = `Invalid CA certificate '${key}': missing 'id' field in data`;
      problems.add(message, object, service);
    } else {
      ids.push(id);
    }
  };
  for (const name of secrets) {
    const secret = reader.get<Secret>('Secret', namespace, name);
    take('secret', name, secret, secret && secretText(secret, 'id'));
  }
  for (const name of configMaps) {
    const configMap = reader.get<ConfigMap>('ConfigMap', namespace, name);
    take('configmap', name, configMap, configMap?.data?.id);
  }
  return ids;
}
