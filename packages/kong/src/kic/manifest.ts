import { createHash } from 'node:crypto';
import { deckNames, slug } from '../openapi/slug.ts';
import type { StateObject, StateValue } from '../rewrite/state-document.ts';

/** A Kubernetes object that is being made. */
export type Manifest = StateObject & { readonly kind: string };

/** What all manifests of one conversion have in common. */
export interface KicTarget {
  /** The class of Ingresses, and the name of the Gateway. */
  readonly className: string;
  readonly version: 2 | 3;
  readonly api: 'gateway' | 'ingress';
}

export const kongApi = 'configuration.konghq.com/v1';
export const kongBetaApi = 'configuration.konghq.com/v1beta1';

/** The annotation that says whose an object is. */
export function classAnnotation({ className }: KicTarget): Record<string, string> {
  return { 'kubernetes.io/ingress.class': className };
}

/** A manifest with a name that Kubernetes takes; empty annotations and labels are left out. */
export function manifest(
  apiVersion: string,
  kind: string,
  name: string,
  parts: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly body: StateObject;
  },
): Manifest {
  const { annotations = {}, labels = {}, body } = parts;
  return {
    apiVersion,
    kind,
    metadata: {
      name: objectName(name),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
      ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }),
    },
    ...body,
  };
}

/** Signs that are spelt in names, as decK spells them. */
const signs: Readonly<Record<string, string>> = { '&': ' and ', '@': ' at ' };

/**
 * A name that Kubernetes takes, of a text. One that is too long ends with a hash of the whole, so that
 * two long names stay apart.
 */
export function objectName(text: string): string {
  const kept = text.replace(/[&@]/g, (sign) => signs[sign] as string);
  // An underscore is a letter to decK until the end: words that it parts have two dashes between them.
  const parts = kept.split('_').map((part) => slugKeepingEnds(part));
  const name = parts
    .join('_')
    .replace(/-{2,}/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')
    .replaceAll('_', '-');
  if (name.length <= 63) return name;
  const hash = createHash('sha256').update(name).digest('hex');
  return `${name.slice(0, 43)}${hash.slice(0, 10)}`;
}

function slugKeepingEnds(part: string): string {
  const words = slug(part, deckNames);
  if (words === '') return part === '' ? '' : '-';
  const isOpen = (end: string): boolean => !/[\p{L}\p{N}]/u.test(end);
  const first = Array.from(part)[0] as string;
  const last = Array.from(part).at(-1) as string;
  return `${isOpen(first) ? '-' : ''}${words}${isOpen(last) ? '-' : ''}`;
}

/** Annotations for those fields of an entity that are set: numbers, switches and lists as text. */
export function fieldAnnotations(
  entity: StateObject,
  fields: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = entity[field];
      if (value === undefined || value === null) return [];
      return [[`konghq.com/${field.replaceAll('_', '-')}`, annotationText(value)]];
    }),
  );
}

function annotationText(value: StateValue): string {
  return Array.isArray(value) ? value.map(String).join(',') : String(value);
}

/** The value of a field as text, or nothing. */
export function textField(entity: StateObject, field: string): string | undefined {
  const value = entity[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
