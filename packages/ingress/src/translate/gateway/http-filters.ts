import { posix } from 'node:path';
import type {
  BackendReference,
  HeaderModifier,
  HttpRouteFilter,
  HttpRouteRule,
  PathModifier,
} from '../../objects/gateway-api.ts';
import { anyOf, compare, type Matcher } from '../expression.ts';
import type { PluginEntity } from '../kong-state.ts';
import { corsPlugin, mirrorPlugin, ownFilter, ownRedirectPlugin } from './own-filters.ts';

/** What the filters of a rule add to its routes. */
export interface FilterOutcome {
  readonly plugins: PluginEntity[];
  /** KongPlugins that ExtensionRef filters name. */
  readonly pluginNames: string[];
  /** Set by a rewrite of a path prefix: the paths must capture what follows it. */
  readonly capture?: { readonly paths: string[]; readonly matcher: Matcher };
}

/**
 * What is said of rules whose backends have filters of their own, or that ask for retries by status, where
 * these cannot be done: to serve them without would be to leave out what was asked for.
 */
export function ruleProblem({ backendRefs, retry }: HttpRouteRule): string | undefined {
  if (backendRefs?.some(({ filters }) => filters?.length))
    return 'filters of a single backendRef are not supported';
  return retry?.codes?.length ? 'retries by status are not supported' : undefined;
}

type TransformerName = 'request-transformer' | 'response-transformer';
type TransformerConfig = Record<string, { headers?: string[]; uri?: string }>;

interface FilterOptions {
  readonly hasRedirectPlugin: boolean;
  /** Whether the gateway has our own plugins for what Kong cannot express. */
  readonly hasOwnPlugins: boolean;
  /** The upstream that stands for the backend of a mirror. */
  readonly mirrorHost?: (reference: BackendReference) => string;
  readonly tags: string[];
}

/** The Kong plugins for a rule's filters, or a text that says which filter is not supported. */
export function applyFilters(
  filters: readonly HttpRouteFilter[],
  path: string,
  options: FilterOptions,
): FilterOutcome | string {
  const plugins: PluginEntity[] = [];
  const pluginNames: string[] = [];
  const transformers = new Map<TransformerName, TransformerConfig>();
  let capture: FilterOutcome['capture'];
  for (const filter of filters) {
    switch (filter.type) {
      case 'RequestHeaderModifier':
        merge(
          transformers,
          'request-transformer',
          headerConfig(filter.requestHeaderModifier ?? {}),
        );
        break;
      case 'ResponseHeaderModifier':
        merge(
          transformers,
          'response-transformer',
          headerConfig(filter.responseHeaderModifier ?? {}),
        );
        break;
      case 'RequestRedirect':
        plugins.push(...redirectPlugins(filter, path, options, transformers));
        break;
      case 'URLRewrite': {
        const { urlRewrite } = filter;
        if (!urlRewrite) return 'URLRewrite is not provided';
        if (!urlRewrite.path && !urlRewrite.hostname) return 'URLRewrite missing Path and Hostname';
        if (urlRewrite.path) {
          const rewritten = rewritePath(urlRewrite.path, path);
          if (typeof rewritten === 'string') return rewritten;
          merge(transformers, 'request-transformer', { replace: { uri: rewritten.uri } });
          if (rewritten.capture !== undefined) capture = rewritten.capture;
        }
        if (urlRewrite.hostname) {
          const headers = [`host:${urlRewrite.hostname}`];
          merge(transformers, 'request-transformer', { replace: { headers }, add: { headers } });
        }
        break;
      }
      case 'ExtensionRef': {
        const { group = '', kind = '', name = '' } = filter.extensionRef ?? {};
        if (group !== 'configuration.konghq.com' || kind !== 'KongPlugin')
          return `plugin ${group}/${kind} unsupported`;
        pluginNames.push(name);
        break;
      }
      case 'CORS':
      case 'RequestMirror':
      case ownFilter: {
        const own = ownPlugins(filter, options);
        if (own === undefined) return unsupported(filter);
        plugins.push(...own);
        break;
      }
      default:
        return unsupported(filter);
    }
  }
  const mirror = options.mirrorHost && mirrorPlugin(filters, options.mirrorHost);
  if (mirror !== undefined) plugins.push(mirror);
  for (const name of [...transformers.keys()].sort())
    plugins.push({ name, config: transformers.get(name)! });
  for (const plugin of plugins) plugin.tags = options.tags;
  return { plugins, pluginNames, ...(capture === undefined ? {} : { capture }) };
}

/** Our own plugin says all that a redirect can ask for, Kong's of 3.9 some of it, and two older ones less. */
function redirectPlugins(
  filter: HttpRouteFilter,
  path: string,
  { hasOwnPlugins, hasRedirectPlugin }: FilterOptions,
  transformers: Map<TransformerName, TransformerConfig>,
): PluginEntity[] {
  const redirect = filter.requestRedirect ?? {};
  if (hasOwnPlugins) return [ownRedirectPlugin(filter, path)];
  if (hasRedirectPlugin) return [redirectPlugin(redirect, path)];
  const location = redirectLocation(redirect, path);
  merge(transformers, 'response-transformer', { add: { headers: [`Location:${location}`] } });
  const config = { status_code: redirect.statusCode ?? 302 };
  return [{ name: 'request-termination', config }];
}

/** For filters that only our own plugins can do. All mirrors of a rule are one plugin, which comes last. */
function ownPlugins(
  filter: HttpRouteFilter,
  { hasOwnPlugins, mirrorHost }: FilterOptions,
): PluginEntity[] | undefined {
  if (!hasOwnPlugins) return undefined;
  if (filter.type === 'CORS') return [corsPlugin(filter)];
  if (filter.plugin !== undefined) return [filter.plugin];
  return mirrorHost === undefined ? undefined : [];
}

function unsupported({ type }: HttpRouteFilter): string {
  return `httpFilter ${type} unsupported`;
}

/** `set` replaces a header that is there and adds one that is not; `add` appends a value. */
function headerConfig({ set, add, remove }: HeaderModifier): TransformerConfig {
  const config: TransformerConfig = {};
  const lines = (headers: readonly { name: string; value: string }[]) =>
    headers.map(({ name, value }) => `${name}:${value}`);
  if (set && set.length > 0) {
    config.replace = { headers: lines(set) };
    config.add = { headers: lines(set) };
  }
  if (add && add.length > 0) config.append = { headers: lines(add) };
  if (remove && remove.length > 0) config.remove = { headers: [...remove] };
  return config;
}

/** Several filters may feed one transformer: a route can have a plugin only once. */
function merge(
  transformers: Map<TransformerName, TransformerConfig>,
  name: TransformerName,
  addition: TransformerConfig,
): void {
  const config = transformers.get(name) ?? {};
  for (const [section, { headers, uri }] of Object.entries(addition)) {
    const before = config[section] ?? {};
    config[section] = {
      ...before,
      ...(headers === undefined ? {} : { headers: [...(before.headers ?? []), ...headers] }),
      ...(uri === undefined ? {} : { uri }),
    };
  }
  transformers.set(name, config);
}

type Redirect = NonNullable<HttpRouteFilter['requestRedirect']>;

function redirectOrigin({ scheme, hostname, port }: Redirect): string {
  const protocol = scheme ?? 'http';
  const isDefaultPort =
    !port || (protocol === 'http' && port === 80) || (protocol === 'https' && port === 443);
  return `${protocol}://${hostname}${isDefaultPort ? '' : `:${port}`}`;
}

function replacementPath(path: PathModifier | null | undefined): string | undefined {
  return path?.type === 'ReplaceFullPath' ? (path.replaceFullPath ?? undefined) : undefined;
}

function redirectLocation(redirect: Redirect, path: string): string {
  const target = replacementPath(redirect.path) ?? path;
  if (!redirect.hostname) return target;
  const origin = redirectOrigin(redirect);
  const separator = origin.indexOf('://') + 3;
  return origin.slice(0, separator) + posix.join(origin.slice(separator), target);
}

function redirectPlugin(redirect: Redirect, path: string): PluginEntity {
  const replacement = replacementPath(redirect.path);
  const location = redirect.hostname
    ? redirectOrigin(redirect) + (replacement ?? '')
    : (replacement ?? path);
  return {
    name: 'redirect',
    config: {
      status_code: redirect.statusCode ?? 302,
      location,
      keep_incoming_path: replacement === undefined,
    },
  };
}

function rewritePath(
  modifier: PathModifier,
  matched: string,
): { readonly uri: string; readonly capture?: NonNullable<FilterOutcome['capture']> } | string {
  if (modifier.type === 'ReplaceFullPath') {
    if (typeof modifier.replaceFullPath !== 'string') return 'URLRewrite missing ReplaceFullPath';
    return { uri: modifier.replaceFullPath };
  }
  if (modifier.type !== 'ReplacePrefixMatch')
    return `unsupported path type ${modifier.type} for URLRewrite`;
  const prefix = matched === '' || matched === '/' ? '/' : matched.replace(/\/$/u, '');
  return {
    uri: prefixReplacement(modifier.replacePrefixMatch, prefix === '/'),
    capture: {
      paths: [`~${prefix}$`, prefix === '/' ? '~/(.*)' : `~${prefix}(/.*)`],
      matcher: anyOf(
        compare('http.path', '==', prefix),
        compare('http.path', '~', prefix === '/' ? '^/(.*)' : `^${prefix}(/.*)`),
      ),
    },
  };
}

/** The new URI as a template of Kong's: the replacement and what the route captured after the prefix. */
function prefixReplacement(replacement: string | null | undefined, isRoot: boolean): string {
  if (replacement === undefined || replacement === null) return '/';
  const start = replacement.replace(/\/$/u, '');
  if (start === '')
    return isRoot
      ? '$(uri_captures[1] == nil and "/" or "/" .. uri_captures[1])'
      : '$(uri_captures[1] == nil and "/" or uri_captures[1])';
  return isRoot
    ? `${start}$(uri_captures[1] == nil and "" or "/" .. uri_captures[1])`
    : `${start}$(uri_captures[1])`;
}
