import { isStateObject, type StateObject } from '../rewrite/state-document.ts';
import {
  fieldAnnotations,
  type KicTarget,
  type Manifest,
  manifest,
  textField,
} from './manifest.ts';
import { pluginsAnnotation } from './plugin-manifests.ts';

/** What both kinds of routes say in annotations. */
const annotated = [
  ...['strip_path', 'preserve_host', 'regex_priority', 'https_redirect_status_code'],
  ...['path_handling', 'snis', 'request_buffering', 'response_buffering', 'tags'],
] as const;

/** A route, and the service that it leads to. */
interface RoutePlace {
  readonly service: StateObject;
  readonly route: StateObject;
  /** The names of its plugins. */
  readonly plugins: readonly string[];
}

/** The Ingress or the HTTPRoute for a route. */
export function routeManifest(target: KicTarget, place: RoutePlace): Manifest {
  return target.api === 'ingress' ? ingress(target, place) : httpRoute(target, place);
}

function routeName({ service, route }: RoutePlace): string {
  return `${String(service.name)}-${String(route.name)}`;
}

function textsAt(route: StateObject, field: string): readonly string[] {
  const value = route[field];
  return Array.isArray(value) ? value.map(String) : [];
}

function headersOf({ headers }: StateObject): readonly (readonly [string, readonly string[]])[] {
  if (!isStateObject(headers)) return [];
  return Object.keys(headers)
    .sort()
    .map((name) => [name, textsAt(headers, name)] as const);
}

function ingress(target: KicTarget, place: RoutePlace): Manifest {
  const { service, route, plugins } = place;
  const hosts = textsAt(route, 'hosts');
  const paths = textsAt(route, 'paths').map((path) => ({
    path: path.startsWith('~') ? `/${path}` : path,
    pathType: 'ImplementationSpecific',
    backend: {
      service: {
        name: textField(service, 'name') as string,
        port: typeof service.port === 'number' ? { number: service.port } : {},
      },
    },
  }));
  return manifest('networking.k8s.io/v1', 'Ingress', routeName(place), {
    annotations: {
      ...fieldAnnotations(route, ['protocols', 'methods', ...annotated]),
      ...Object.fromEntries(
        headersOf(route).map(([name, values]) => [`konghq.com/headers.${name}`, values.join(',')]),
      ),
      ...pluginsAnnotation(plugins),
    },
    body: {
      spec: {
        ingressClassName: target.className,
        rules:
          hosts.length === 0
            ? [{ http: { paths } }]
            : hosts.map((host) => ({ host, http: { paths } })),
      },
    },
  });
}

function httpRoute(target: KicTarget, place: RoutePlace): Manifest {
  const { service, route, plugins } = place;
  const hosts = textsAt(route, 'hosts');
  const version = target.version === 3 ? 'v1' : 'v1beta1';
  return manifest(`gateway.networking.k8s.io/${version}`, 'HTTPRoute', routeName(place), {
    annotations: fieldAnnotations(route, annotated),
    body: {
      spec: {
        ...(hosts.length === 0 ? {} : { hostnames: [...hosts] }),
        parentRefs: [{ name: target.className }],
        rules: matchesOf(route).map((match) => ({
          ...(Object.keys(match).length === 0 ? {} : { matches: [match] }),
          ...(plugins.length === 0 ? {} : { filters: plugins.map(pluginFilter) }),
          backendRefs: [
            {
              name: textField(service, 'name') as string,
              ...(typeof service.port === 'number' ? { port: service.port } : {}),
            },
          ],
        })),
      },
    },
  });
}

/** One match for each pair of a path and a method. */
function matchesOf(route: StateObject): StateObject[] {
  const headers = headersOf(route).map(([name, values]) => {
    const [first = ''] = values;
    return values.length === 1 && first.startsWith('~*')
      ? { name, type: 'RegularExpression', value: first.slice(2) }
      : { name, type: 'Exact', value: values.join(',') };
  });
  const paths = textsAt(route, 'paths').map((path) =>
    path.startsWith('~')
      ? { type: 'RegularExpression', value: path.slice(1) }
      : { type: 'PathPrefix', value: path },
  );
  const methods = textsAt(route, 'methods');
  const orNothing = <T>(list: readonly T[]): readonly (T | undefined)[] =>
    list.length === 0 ? [undefined] : list;
  return orNothing(paths).flatMap((path) =>
    orNothing(methods).map((method) => ({
      ...(path === undefined ? {} : { path }),
      ...(method === undefined ? {} : { method }),
      ...(headers.length === 0 ? {} : { headers }),
    })),
  );
}

function pluginFilter(name: string): StateObject {
  return {
    type: 'ExtensionRef',
    extensionRef: { group: 'configuration.konghq.com', kind: 'KongPlugin', name },
  };
}
