import { isStateObject, type StateObject, type StateValue } from '../rewrite/state-document.ts';
import {
  classAnnotation,
  fieldAnnotations,
  type KicTarget,
  kongApi,
  kongBetaApi,
  type Manifest,
  manifest,
  textField,
} from './manifest.ts';
import { nameOf, pluginsAnnotation } from './plugin-manifests.ts';

const annotated = [
  ...['protocol', 'path', 'read_timeout', 'write_timeout', 'connect_timeout', 'retries', 'tags'],
] as const;

/** The Service for a service of Kong, and what goes along for its upstream. */
export function serviceManifests(
  target: KicTarget,
  service: StateObject,
  upstreams: readonly StateObject[],
  plugins: readonly string[],
): { readonly service: Manifest; readonly upstream?: Manifest } {
  const name = textField(service, 'name') as string;
  const host = textField(service, 'host');
  const found = upstreams.find(
    (one) => host !== undefined && textField(one, 'name')?.toLowerCase() === host.toLowerCase(),
  );
  const upstream = found === undefined ? undefined : upstreamManifest(target, name, found);
  const isExternal = host !== undefined && found === undefined;
  const made = manifest('v1', 'Service', name, {
    annotations: {
      ...fieldAnnotations(service, annotated),
      ...clientCertificate(service),
      ...(upstream === undefined ? {} : { [upstreamAnnotation(target)]: nameOf(upstream) }),
      ...pluginsAnnotation(plugins),
    },
    body: {
      spec: {
        ...portsOf(service),
        ...(isExternal
          ? { type: 'ExternalName', externalName: host }
          : { selector: { app: name } }),
      },
    },
  });
  return { service: made, ...(upstream === undefined ? {} : { upstream }) };
}

function portsOf({ port, protocol }: StateObject): StateObject {
  if (typeof port !== 'number') return {};
  const transport = String(protocol).toUpperCase() === 'UDP' ? 'UDP' : 'TCP';
  return { ports: [{ protocol: transport, port, targetPort: port }] };
}

function clientCertificate({ client_certificate: certificate }: StateObject) {
  const id = isStateObject(certificate) ? certificate.id : certificate;
  return typeof id === 'string' ? { 'konghq.com/client-cert': id } : {};
}

function upstreamAnnotation({ version }: KicTarget): string {
  return version === 3 ? 'konghq.com/upstream-policy' : 'konghq.com/override';
}

function upstreamManifest(target: KicTarget, service: string, upstream: StateObject): Manifest {
  const name = `${service}-upstream`;
  const tags = fieldAnnotations(upstream, ['tags']);
  if (target.version === 3) {
    return manifest(kongBetaApi, 'KongUpstreamPolicy', name, {
      annotations: tags,
      body: { spec: policySpec(upstream) },
    });
  }
  const kept = /^(?:host_header|algorithm|slots|healthchecks|hash_.*)$/;
  return manifest(kongApi, 'KongIngress', name, {
    annotations: { ...tags, ...classAnnotation(target) },
    body: {
      upstream: Object.fromEntries(
        Object.entries(upstream).filter(([key, value]) => kept.test(key) && value !== null),
      ),
    },
  });
}

function policySpec(upstream: StateObject): StateObject {
  const { algorithm, slots, healthchecks, hash_on: on, hash_fallback: fallback } = upstream;
  const isHashed = algorithm === 'consistent-hashing';
  return {
    ...(algorithm === undefined ? {} : { algorithm }),
    ...(slots === undefined ? {} : { slots }),
    ...(isHashed && typeof on === 'string' ? { hashOn: hashInput(upstream, 'hash_on', on) } : {}),
    ...(isHashed && typeof fallback === 'string'
      ? { hashOnFallback: hashInput(upstream, 'hash_fallback', fallback) }
      : {}),
    ...(isStateObject(healthchecks)
      ? { healthchecks: { threshold: 0, ...camelCased(healthchecks) } }
      : {}),
  };
}

function hashInput(upstream: StateObject, prefix: string, input: string): StateObject {
  const parts = ['header', 'cookie', 'cookie_path', 'query_arg', 'uri_capture'];
  return {
    input,
    ...Object.fromEntries(
      parts.flatMap((part) => {
        const value = upstream[`${prefix}_${part}`];
        return value === undefined || value === null ? [] : [[camelCase(part), value]];
      }),
    ),
  };
}

/** Checks of health in the spelling of the resource: the names of headers stay as they are. */
function camelCased(record: StateObject): StateObject {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]): [string, StateValue][] => {
      if (value === undefined || value === null) return [];
      const isPlain = key === 'headers' || !isStateObject(value);
      return [[camelCase(key), isPlain ? value : camelCased(value)]];
    }),
  );
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}
