import type { JsonValue } from '@waygate/text';

/** A request with all but its name: that is made of the kind and the words before it. */
export type Ask = readonly [
  words: string,
  method: string,
  path: string,
  body?: JsonValue,
  headers?: Readonly<Record<string, string>>,
];

export const json = { 'Content-Type': 'application/json' };
export const merge = { 'Content-Type': 'application/merge-patch+json' };
export const strategic = { 'Content-Type': 'application/strategic-merge-patch+json' };
export const jsonPatch = { 'Content-Type': 'application/json-patch+json' };
export const apply = { 'Content-Type': 'application/apply-patch+yaml' };
export const metaV1 = 'v=v1;g=meta.k8s.io';
export const table = `application/json;as=Table;${metaV1}`;
export const dry = 'dryRun=All';
