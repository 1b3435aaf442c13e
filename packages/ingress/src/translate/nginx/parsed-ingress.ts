import type { Ingress, IngressBackend } from '../../objects/ingress.ts';
import { compareText, creationOf, keyOf } from '../../objects/reference.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { type Problem, ProblemList } from '../problem.ts';
import { AnnotationReader } from './annotation-reader.ts';
import { forbiddenText, isNginxIngress } from './class-of.ts';
import { gateOf } from './gates.ts';
import { type LocationSettings, parseLocation } from './location-settings.ts';
import type { ResolvedNginxOptions } from './options.ts';
import { type NginxSettings, readSettings } from './settings.ts';

export type NginxPathType = 'Exact' | 'Prefix';

/** The Service of a path, by its name and the port as the Ingress has it. */
export interface NginxBackend {
  readonly namespace: string;
  readonly service: string;
  readonly port: string;
}

interface NginxPath {
  readonly path: string;
  /** As it stands in the rule, be it empty. */
  readonly rulePath: string;
  readonly type: NginxPathType;
  readonly backend: NginxBackend;
}

/** One Ingress, read: what it asks for, host by host. */
export interface ParsedIngress {
  readonly key: string;
  readonly ingress: Ingress;
  readonly settings: NginxSettings;
  readonly location: LocationSettings;
  readonly defaultBackend: NginxBackend | undefined;
  /** In lower case; `_` is the server for all that nobody has. */
  readonly hosts: ReadonlyMap<string, readonly NginxPath[]>;
  /** Whether it has no rules but a default backend. */
  readonly isCatchAll: boolean;
}

interface ParseResult {
  /** Undefined: not of our class, or left out. */
  readonly parsed: ParsedIngress | undefined;
  readonly problems: readonly Problem[];
}

/** The host of rules without one, and of requests that no rule has a host for. */
export const anyHost = '_';

/** Reads an Ingress with its annotations. */
export function parseIngress(
  ingress: Ingress,
  reader: ObjectReader,
  options: ResolvedNginxOptions,
): ParseResult {
  const problems = new ProblemList();
  const leftOut = () => ({ parsed: undefined, problems: problems.items });
  if (!isNginxIngress(reader, ingress, options)) return leftOut();
  const text = options.isDeepInspecting ? forbiddenText(ingress) : undefined;
  if (text !== undefined) {
    problems.add(`the Ingress is left out: ${JSON.stringify(text)} is not allowed`, ingress);
    return leftOut();
  }
  if (options.isCatchAllDisabled && ingress.spec?.defaultBackend) {
    problems.add('the Ingress is left out: default backends are disabled', ingress);
    return leftOut();
  }
  const settings = readSettings(reader, options.configMap);
  const read = new AnnotationReader(ingress, options.annotationsPrefix, problems);
  const gate = gateOf(read, settings);
  if (gate !== undefined) {
    problems.add(`the Ingress is left out: ${gate}`, ingress);
    return leftOut();
  }
  const location = parseLocation(ingress, read, settings, reader, options);
  if (read.dropped !== undefined) return leftOut();
  const { metadata, spec } = ingress;
  const namespace = metadata.namespace ?? '';
  return {
    parsed: {
      key: keyOf(ingress),
      ingress,
      settings,
      location,
      defaultBackend: backendOf(namespace, spec?.defaultBackend),
      hosts: hostsOf(ingress),
      isCatchAll: Boolean(spec?.defaultBackend) && (spec?.rules ?? []).length === 0,
    },
    problems: problems.items,
  };
}

function hostsOf({ metadata, spec }: Ingress): Map<string, NginxPath[]> {
  const hosts = new Map<string, NginxPath[]>();
  for (const { host, http } of spec?.rules ?? []) {
    const name = host ? host.toLowerCase() : anyHost;
    const paths = hosts.get(name) ?? [];
    hosts.set(name, paths);
    for (const { path, pathType, backend: wanted } of http?.paths ?? []) {
      const backend = backendOf(metadata.namespace ?? '', wanted);
      // A path to something else than a Service is nobody's.
      if (backend === undefined) continue;
      const type = pathType === 'Exact' ? 'Exact' : 'Prefix';
      paths.push({ path: path || '/', rulePath: path ?? '', type, backend });
    }
  }
  return hosts;
}

function backendOf(
  namespace: string,
  backend: IngressBackend | null | undefined,
): NginxBackend | undefined {
  const service = backend?.service;
  if (!service) return undefined;
  const port = String(service.port?.number ?? service.port?.name ?? '');
  return { namespace, service: service.name, port };
}

/** Older ones first; of the same second, those whose name sorts last. */
export function compareIngresses(left: ParsedIngress, right: ParsedIngress): number {
  const byTime = compareText(creationOf(left.ingress), creationOf(right.ingress));
  return byTime === 0 ? compareText(right.key, left.key) : byTime;
}
