import type { KubeObject } from '@waygate/schema';

/**
 * Whether a label or an annotation of the object has one of the values, whatever its case.
 *
 * ```ts
 * hasAnyInMetadata({ metadata: { labels: { team: 'shop' } } }, { team: 'shop' }); // true
 * ```
 */
export function hasAnyInMetadata(
  object: KubeObject,
  wanted: Readonly<Record<string, string>>,
): boolean {
  const { labels, annotations } = object.metadata;
  return Object.entries(wanted).some(
    ([key, value]) => isEqual(labels, key, value) || isEqual(annotations, key, value),
  );
}

function isEqual(
  map: Readonly<Record<string, string>> | undefined,
  key: string,
  value: string,
): boolean {
  if (map === undefined || !Object.hasOwn(map, key)) return false;
  return String(map[key]).toLowerCase() === value.toLowerCase();
}

/** Labels and annotations that all objects of a set get. */
export interface CommonMetadata {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * The object with these labels and annotations over its own; empty ones leave no trace.
 *
 * ```ts
 * withCommonMetadata({ metadata: { name: 'a' } }, { labels: { team: 'shop' } }).metadata; // { name: 'a', labels: { team: 'shop' } }
 * ```
 */
export function withCommonMetadata<T extends KubeObject>(object: T, common: CommonMetadata): T {
  const metadata = { ...object.metadata };
  if (Object.keys(common.labels ?? {}).length > 0) {
    metadata.labels = { ...metadata.labels, ...common.labels };
  }
  if (Object.keys(common.annotations ?? {}).length > 0) {
    metadata.annotations = { ...metadata.annotations, ...common.annotations };
  }
  return { ...object, metadata };
}
