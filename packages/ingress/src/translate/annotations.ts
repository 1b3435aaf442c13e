import type { KubeObject } from '@waygate/schema';

export type Annotations = Readonly<Record<string, string>>;

export const annotationPrefix = 'konghq.com/';
export const ingressClassAnnotation = 'kubernetes.io/ingress.class';
const serviceUpstreamAnnotation = 'ingress.kubernetes.io/service-upstream';
const forceSslRedirectAnnotation = 'ingress.kubernetes.io/force-ssl-redirect';
const headersPrefix = `${annotationPrefix}headers.`;

/** Most objects have none: one that is known by identity saves a look-up for every key. */
const noAnnotations: Annotations = Object.freeze({});

export function annotationsOf(object: KubeObject): Annotations {
  return object.metadata.annotations ?? noAnnotations;
}

/** The value of `konghq.com/<key>`, or undefined when the annotation is not there. */
export function annotation(annotations: Annotations, key: string): string | undefined {
  if (annotations === noAnnotations) return undefined;
  const full = annotationPrefix + key;
  return Object.hasOwn(annotations, full) ? annotations[full] : undefined;
}

/** A comma-separated annotation: trimmed, empty items dropped; undefined when it is not there. */
export function annotationList(annotations: Annotations, key: string): string[] | undefined {
  const value = annotation(annotations, key);
  return value === undefined ? undefined : splitList(value);
}

export function splitList(value: string, separator = ','): string[] {
  return value
    .split(separator === '' ? ',' : separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A plugin that an annotation names: in the same namespace, or in another one (`namespace:name`). */
interface PluginReference {
  readonly namespace: string | undefined;
  readonly name: string;
}

export function pluginReferences(annotations: Annotations): readonly PluginReference[] {
  if (annotations === noAnnotations) return noReferences;
  return (annotationList(annotations, 'plugins') ?? []).map((item) => {
    const colon = item.indexOf(':');
    if (colon < 0) return { namespace: undefined, name: item };
    return { namespace: item.slice(0, colon), name: item.slice(colon + 1) };
  });
}

const noReferences: readonly PluginReference[] = [];

/** `konghq.com/headers.<Name>`: what a route asks of a request's headers. */
export function headerMatches(annotations: Annotations): Record<string, string[]> | undefined {
  if (annotations === noAnnotations) return undefined;
  const separator = annotation(annotations, 'headers-separator') ?? ',';
  const headers: [string, string[]][] = [];
  for (const key of Object.keys(annotations).sort()) {
    if (!key.startsWith(headersPrefix)) continue;
    const name = key.slice(headersPrefix.length);
    const values = splitList(annotations[key] ?? '', separator);
    if (name !== '' && values.length > 0) headers.push([name, values]);
  }
  return headers.length === 0 ? undefined : Object.fromEntries(headers);
}

export function isServiceUpstream(annotations: Annotations): boolean {
  return annotations[serviceUpstreamAnnotation] === 'true';
}

export function isForceSslRedirect(annotations: Annotations): boolean {
  return annotations[forceSslRedirectAnnotation] === 'true';
}

/** An integer as Go's `strconv.Atoi` reads it: optional sign, digits, nothing else. */
export function parseInteger(text: string): number | undefined {
  if (!/^[+-]?\d{1,15}$/u.test(text)) return undefined;
  return Number(text);
}

const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const lies = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** A boolean as Go's `strconv.ParseBool` reads it. */
export function parseBoolean(text: string): boolean | undefined {
  if (truths.has(text)) return true;
  return lies.has(text) ? false : undefined;
}

const label = /^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/u;

/** A plain host name: labels of letters, digits and single inner dashes. */
export function isPlainHostname(text: string): boolean {
  return text.length <= 1024 && text.split('.').every((part) => label.test(part));
}

/** A host that Kong accepts in a route: plain, or with one `*` label at either end. */
export function isRouteHost(text: string): boolean {
  let rest = text;
  if (rest.startsWith('*.')) rest = rest.slice(2);
  if (rest.endsWith('.*')) rest = rest.slice(0, -2);
  return isPlainHostname(rest);
}

const protocols = new Set([
  'http',
  'https',
  'grpc',
  'grpcs',
  'ws',
  'wss',
  'tls',
  'tcp',
  'tls_passthrough',
]);

/** The protocols that an annotation may name (UDP is chosen by the kind of object only). */
export function isKongProtocol(text: string): boolean {
  return protocols.has(text);
}
