import { Buffer } from 'node:buffer';
import type { KubeObject } from '@waygate/schema';

export interface Secret extends KubeObject {
  type?: string;
  /** Base64, as the API sends it. */
  data?: Record<string, string> | null;
  /** Clear text; only in manifests that were not through an API server. */
  stringData?: Record<string, string> | null;
}

export interface ConfigMap extends KubeObject {
  data?: Record<string, string> | null;
}

/** One value of a Secret as text, or undefined when the key is absent. */
export function secretText(secret: Secret, key: string): string | undefined {
  const clear = own(secret.stringData, key);
  if (clear !== undefined) return clear;
  const encoded = own(secret.data, key);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

/** The keys of a Secret, sorted: everything that walks over a Secret does so in one order. */
export function secretKeys(secret: Secret): string[] {
  const keys = new Set([
    ...Object.keys(secret.data ?? {}),
    ...Object.keys(secret.stringData ?? {}),
  ]);
  return [...keys].sort();
}

function own(values: Record<string, string> | null | undefined, key: string): string | undefined {
  if (values === null || values === undefined || !Object.hasOwn(values, key)) return undefined;
  return values[key] ?? '';
}
