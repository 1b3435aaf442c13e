import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { CustomResourceDefinition } from '@waygate/schema';

const data = new URL('../../data/generated/', import.meta.url);

/**
 * The definitions of all kinds of Kong that the controller reads, sorted by name: the fields, defaults and rules of
 * Kong Ingress Controller's, and the kinds of its earlier versions. `deploy/crds/kong` holds the same as YAML;
 * `scripts/crds.mjs` makes both.
 *
 * ```ts
 * customResourceDefinitions().some(({ metadata }) => metadata.name === 'kongplugins.configuration.konghq.com'); // true
 * ```
 */
export function customResourceDefinitions(): readonly CustomResourceDefinition[] {
  return JSON.parse(readFileSync(new URL('kong-definitions.json', data), 'utf8'));
}

/**
 * The kinds of the Gateway API that the controller reads, of its experimental channel, for an API server that does
 * not have them yet. A cluster should have the project's own.
 *
 * ```ts
 * gatewayApiDefinitions().map(({ spec }) => spec.names.kind).includes('HTTPRoute'); // true
 * ```
 */
export function gatewayApiDefinitions(): readonly CustomResourceDefinition[] {
  const packed = readFileSync(new URL('gateway-api-definitions.json.gz', data));
  return JSON.parse(gunzipSync(packed).toString('utf8'));
}
