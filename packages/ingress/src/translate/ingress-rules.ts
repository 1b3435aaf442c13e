import type { Ingress, IngressBackend, IngressPath } from '../objects/ingress.ts';
import type { KongServiceFacadeResource } from '../objects/kong-resources.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotation, annotationList, annotationsOf, headerMatches } from './annotations.ts';
import type { BrokenRule } from './broken-rule.ts';
import { allOf, anyOf, compare } from './expression.ts';
import { headersMatcher, hostMatcher, methodMatcher, sniMatcher } from './expression-matchers.ts';
import { classParameters } from './ingress-class.ts';
import {
  defaultRegexPrefix,
  type NormalPath,
  normalizePath,
  pathMatcher,
  traditionalPaths,
} from './ingress-path.ts';
import { ingressPriority } from './ingress-priority.ts';
import type { RouteEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import type { ProblemList } from './problem.ts';
import {
  type Backend,
  draftOf,
  newService,
  portOfBackend,
  portText,
  type RouteDraft,
  type ServiceClaim,
} from './service-claim.ts';
import { tagsOf } from './tags.ts';

const facadeGroup = 'incubator.ingress-controller.konghq.com';
const defaultHttpPort = 80;

/** One Kong route of an Ingress: everything that goes from one host to one port of one Service. */
interface RuleGroup {
  readonly host: string;
  readonly backend: Backend;
  readonly facade: KongServiceFacadeResource | undefined;
  readonly paths: NormalPath[];
}

/** The services that the rules of an Ingress ask for, one claim for each of its Kong routes. */
export function ingressClaims(
  ingress: Ingress,
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): ServiceClaim[] {
  const groups = groupRules(ingress, reader, options, problems);
  if (groups.length === 0) return [];
  const { hasLegacyRegexDetection } = classParameters(reader, options.ingressClass);
  return groups.map((group) =>
    claimOf(
      ingress,
      group.backend,
      group.facade,
      routeOf(ingress, group, options, hasLegacyRegexDetection),
      { path: '/' },
    ),
  );
}

/** The catch-all that `spec.defaultBackend` asks for. Only the oldest Ingress of a cluster gets it. */
export function defaultBackendClaim(
  ingress: Ingress,
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): ServiceClaim | undefined {
  const backend = ingress.spec?.defaultBackend;
  if (!backend) return undefined;
  const resolved = resolveBackend(ingress, backend, reader, options, {
    facadeDisabled: (text) => `default backend: ${text}`,
    facadeMissing: (name, text) =>
      `default backend: KongServiceFacade "${name}" could not be fetched: ${text}`,
  });
  if ('why' in resolved) {
    tell(resolved, 'spec.defaultBackend', ingress, problems, {
      host: '',
      paths: [options.isExpressions ? compare('http.path', '^=', '/') : '/'],
    });
    return undefined;
  }
  const entity: RouteEntity = {
    name: `${ingress.metadata.namespace}.${ingress.metadata.name}`,
    strip_path: false,
    preserve_host: true,
    request_buffering: true,
    response_buffering: true,
    tags: tagsOf(ingress),
  };
  const protocols = protocolsOf(ingress);
  if (protocols !== undefined) entity.protocols = protocols;
  if (options.isExpressions) {
    entity.expression = compare('http.path', '^=', '/');
    entity.priority = 0;
  } else {
    entity.paths = ['/'];
    entity.regex_priority = 0;
  }
  const draft = draftOf(entity, ingress, options);
  const claim = claimOf(ingress, resolved.backend, resolved.facade, draft, {});
  return { ...claim, isDefaultBackend: true };
}

function groupRules(
  ingress: Ingress,
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): RuleGroup[] {
  const groups = new Map<string, RuleGroup>();
  for (const rule of ingress.spec?.rules ?? []) {
    const host = rule.host ?? '';
    for (const path of rule.http?.paths ?? []) {
      const normal = normalizePath(path);
      const resolved = backendOf(ingress, path, normal, reader, options);
      if ('why' in resolved) {
        const rule = brokenRule(ingress, host, normal, reader, options);
        tell(resolved, 'spec.rules', ingress, problems, rule);
        continue;
      }
      const key = routeName(ingress, resolved.backend, host);
      const group = groups.get(key);
      if (group !== undefined) group.paths.push(normal);
      else groups.set(key, { host, ...resolved, paths: [normal] });
    }
  }
  return [...groups.values()];
}

type ResolvedBackend = {
  readonly backend: Backend;
  readonly facade: KongServiceFacadeResource | undefined;
};

/** Why there is no backend: what is named is gone, or was never right. */
type UnresolvedBackend = { readonly why: string; readonly isGone: boolean };

function tell(
  { why, isGone }: UnresolvedBackend,
  field: string,
  ingress: Ingress,
  problems: ProblemList,
  rule: BrokenRule,
): void {
  if (isGone) problems.addGone(why, field, ingress);
  else problems.addField(why, field, ingress, rule);
}

/** What routes have in them that served the path before it came to be at fault. */
function brokenRule(
  ingress: Ingress,
  host: string,
  path: NormalPath,
  reader: ObjectReader,
  { isExpressions, ingressClass }: ResolvedOptions,
): BrokenRule {
  const annotations = annotationsOf(ingress);
  const prefix = annotation(annotations, 'regex-prefix');
  if (isExpressions) {
    const ofExpressions = prefix || defaultRegexPrefix;
    return {
      host: host === '' ? '' : hostMatcher([host]),
      paths: [pathMatcher(path, ofExpressions)],
      priority: ingressPriority([path], ofExpressions, host, annotations),
    };
  }
  const { hasLegacyRegexDetection } = classParameters(reader, ingressClass);
  const paths = traditionalPaths(path, prefix ?? defaultRegexPrefix, hasLegacyRegexDetection);
  return { host, paths };
}

function backendOf(
  ingress: Ingress,
  path: IngressPath,
  normal: NormalPath,
  reader: ObjectReader,
  options: ResolvedOptions,
): ResolvedBackend | UnresolvedBackend {
  const where = `failed to get backend for ingress path ${JSON.stringify(normal.path)}`;
  return resolveBackend(ingress, path.backend ?? {}, reader, options, {
    facadeDisabled: (text) => `${where}: ${text}`,
    facadeMissing: (name, text) => `${where}: failed to get KongServiceFacade "${name}": ${text}`,
  });
}

/** The backend that an Ingress names, or why there is none. */
function resolveBackend(
  ingress: Ingress,
  backend: IngressBackend,
  reader: ObjectReader,
  options: ResolvedOptions,
  say: {
    facadeDisabled(text: string): string;
    facadeMissing(name: string, text: string): string;
  },
): ResolvedBackend | UnresolvedBackend {
  const wrong = (text: string) => ({ why: say.facadeDisabled(text), isGone: false });
  const namespace = ingress.metadata.namespace ?? '';
  if (backend.service) {
    const port = portOfBackend(backend.service.port);
    return {
      backend: { kind: 'Service', namespace, name: backend.service.name, port },
      facade: undefined,
    };
  }
  const { resource } = backend;
  if (!resource) return wrong('no Service or Resource specified for Ingress path');
  if (resource.kind !== 'KongServiceFacade' || resource.apiGroup !== facadeGroup) {
    const kind = resource.apiGroup ? `${resource.apiGroup}/${resource.kind}` : resource.kind;
    return wrong(`unknown resource type ${kind}`);
  }
  if (!options.features.kongServiceFacade) {
    return wrong(
      'KongServiceFacade is not enabled, please set the "KongServiceFacade" feature gate to \'true\' to enable it',
    );
  }
  const facade = reader.get<KongServiceFacadeResource>(
    'KongServiceFacade',
    namespace,
    resource.name,
  );
  if (facade === undefined)
    return {
      why: say.facadeMissing(
        resource.name,
        `KongServiceFacade ${namespace}/${resource.name} not found`,
      ),
      isGone: true,
    };
  const port = { by: 'number', number: facade.spec?.backendRef?.port ?? 0 } as const;
  return {
    backend: { kind: 'KongServiceFacade', namespace, name: resource.name, port },
    facade,
  };
}

function claimOf(
  ingress: Ingress,
  backend: Backend,
  facade: KongServiceFacadeResource | undefined,
  route: RouteDraft,
  fields: { path?: string },
): ServiceClaim {
  const { namespace, name } = backend;
  const isFacade = backend.kind === 'KongServiceFacade';
  const port = portText(backend.port);
  const serviceName = isFacade ? `${namespace}.${name}.svc.facade` : `${namespace}.${name}.${port}`;
  const host = isFacade ? serviceName : `${name}.${namespace}.${port}.svc`;
  return {
    serviceName,
    family: 'Ingress',
    owner: ingress,
    parent: facade ?? ingress,
    service: newService(serviceName, host, 'http', { port: defaultHttpPort, ...fields }),
    backends: [backend],
    routes: [route],
  };
}

function routeName(ingress: Ingress, backend: Backend, host: string): string {
  const prefix = `${ingress.metadata.namespace}.${ingress.metadata.name}`;
  if (backend.kind === 'KongServiceFacade') return `${prefix}.${host}.${backend.name}.svc.facade`;
  return `${prefix}.${backend.name}.${host}.${portText(backend.port)}`;
}

function routeOf(
  ingress: Ingress,
  { host, backend, paths }: RuleGroup,
  options: ResolvedOptions,
  hasLegacyRegexDetection: boolean,
): RouteDraft {
  const annotations = annotationsOf(ingress);
  const entity: RouteEntity = {
    name: routeName(ingress, backend, host.replaceAll('*', '_')),
    strip_path: false,
    preserve_host: true,
    request_buffering: true,
    response_buffering: true,
    tags: tagsOf(ingress),
  };
  const protocols = protocolsOf(ingress);
  if (protocols !== undefined) entity.protocols = protocols;
  const regexPrefix = annotation(annotations, 'regex-prefix');
  if (options.isExpressions) {
    const prefix = regexPrefix || defaultRegexPrefix;
    const hosts = [
      ...(host === '' ? [] : [host]),
      ...(annotationList(annotations, 'host-aliases') ?? []),
    ];
    entity.expression = allOf(
      hostMatcher(hosts),
      anyOf(...paths.map((path) => pathMatcher(path, prefix))),
      headersMatcher(headerMatches(annotations) ?? {}),
      methodMatcher(methodsOf(ingress)),
      sniMatcher(annotationList(annotations, 'snis') ?? []),
    );
    entity.priority = ingressPriority(paths, prefix, host, annotations);
  } else {
    entity.regex_priority = 0;
    if (host !== '') entity.hosts = [host];
    entity.paths = paths.flatMap((path) =>
      traditionalPaths(path, regexPrefix ?? defaultRegexPrefix, hasLegacyRegexDetection),
    );
  }
  return draftOf(entity, ingress, options);
}

function methodsOf(ingress: Ingress): string[] {
  return (annotationList(annotationsOf(ingress), 'methods') ?? []).map((method) =>
    method.toUpperCase(),
  );
}

/** Sorted here; a list without mistakes is put back into the user's order when annotations apply. */
function protocolsOf(ingress: Ingress): string[] | undefined {
  const protocols = annotationList(annotationsOf(ingress), 'protocols');
  return protocols === undefined || protocols.length === 0 ? undefined : protocols.sort();
}
