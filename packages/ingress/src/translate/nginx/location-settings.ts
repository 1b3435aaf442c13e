import type { Ingress } from '../../objects/ingress.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { PluginEntity } from '../kong-state.ts';
import type { AnnotationReader } from './annotation-reader.ts';
import { annotationTable } from './annotation-table.ts';
import { parseAddressFilter } from './groups/access.ts';
import { parseBasicAuth } from './groups/basic-auth.ts';
import { type Canary, parseCanary } from './groups/canary.ts';
import { type ClientCertificate, parseClientCertificate } from './groups/client-certificate.ts';
import { parseCors } from './groups/cors.ts';
import { parseResponseHeaders } from './groups/custom-headers.ts';
import { type ErrorSettings, parseErrors } from './groups/errors.ts';
import { parseExternalAuth } from './groups/external-auth.ts';
import { parseFastCgi } from './groups/fastcgi.ts';
import { parseLimits } from './groups/limits.ts';
import { parseMirror } from './groups/mirror.ts';
import { type ProxySsl, parseProxySsl } from './groups/proxy-ssl.ts';
import { parseSnippets, type SnippetSettings } from './groups/snippets.ts';
import { parseUpstream, type UpstreamWish } from './groups/upstream-policy.ts';
import type { ResolvedNginxOptions } from './options.ts';
import { type PathSettings, parsePaths } from './paths.ts';
import { type HeaderValue, type ProxySettings, parseProxying } from './proxying.ts';
import type { NginxSettings } from './settings.ts';

/** What the annotations of an Ingress say on each of its locations. */
export interface LocationSettings {
  readonly paths: PathSettings;
  readonly proxy: ProxySettings;
  readonly proxySsl: ProxySsl | undefined;
  readonly responseHeaders: readonly HeaderValue[];
  readonly errors: ErrorSettings;
  readonly upstream: UpstreamWish;
  readonly canary: Canary | undefined;
  readonly clientCertificate: ClientCertificate | undefined;
  readonly snippets: SnippetSettings;
  /** Further names of the Ingress's hosts. */
  readonly aliases: readonly string[];
  /** Why requests are refused with 503. */
  readonly denied: string | undefined;
  /** Plugins that are alike for all locations of the Ingress. */
  readonly plugins: readonly PluginEntity[];
}

/** Reads all groups of annotations. What is wrong is noted in the reader of them. */
export function parseLocation(
  ingress: Ingress,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
  options: ResolvedNginxOptions,
): LocationSettings {
  const namespace = ingress.metadata.namespace ?? '';
  const satisfy = read.text('satisfy') ?? 'all';
  const groups = {
    paths: parsePaths(read, settings),
    proxy: parseProxying(read, settings, reader),
    proxySsl: parseProxySsl(namespace, read, settings, reader),
    responseHeaders: parseResponseHeaders(namespace, read, settings, reader),
    errors: parseErrors(namespace, read, settings, reader),
    upstream: parseUpstream(read, settings),
    canary: parseCanary(read),
    clientCertificate: parseClientCertificate(namespace, read, settings, reader),
    snippets: parseSnippets(read, settings, options),
    aliases: read.list('server-alias') ?? [],
    plugins: [
      parseCors(read),
      ...parseLimits(ingress, read, settings),
      parseAddressFilter(read, settings, satisfy),
      parseBasicAuth(namespace, read, settings, reader, satisfy),
      parseExternalAuth(namespace, read, settings, reader, satisfy),
      parseMirror(ingress, read),
      parseFastCgi(namespace, read, settings, reader),
    ].filter((plugin) => plugin !== undefined),
  };
  for (const name of withoutEffect) if (isLookedAt(name, read)) read.text(name);
  // Last: what is wrong with any of them closes the paths.
  return { ...groups, denied: read.denied };
}

/** Annotations that nobody here reads: a value that is not valid counts all the same. */
const withoutEffect: readonly string[] = annotationTable
  .filter(({ name, support }) => support !== 'yes' || name === 'ssl-passthrough')
  .map(({ name }) => name);

/** Some are only looked at beside others. */
function isLookedAt(name: string, read: AnnotationReader): boolean {
  if (name.endsWith('-snippet')) return false;
  if (name.startsWith('opentelemetry-')) return read.bool('enable-opentelemetry') === true;
  if (name.startsWith('auth-keepalive')) return read.text('auth-url') !== undefined;
  return !name.startsWith('proxy-ssl-') || read.text('proxy-ssl-secret') !== undefined;
}
