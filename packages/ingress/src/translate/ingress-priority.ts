import type { Annotations } from './annotations.ts';
import { annotationList, headerMatches } from './annotations.ts';
import { type NormalPath, pathWeight } from './ingress-path.ts';

/**
 * The priority of an Ingress's expression route: the rules of Kong's traditional router written
 * into one number. From the highest bits down: the kind (Ingress before Gateway API), the number of
 * fields that match, the number of headers, are all hosts plain, is a path exact, the longest path.
 * Numbers stay below 2^46, so they are exact; shift operators would cut them to 32 bits.
 */
export function ingressPriority(
  paths: readonly NormalPath[],
  regexPrefix: string,
  host: string,
  annotations: Annotations,
): number {
  const weights = paths.map((path) => pathWeight(path, regexPrefix));
  const hosts = [
    ...(host === '' ? [] : [host]),
    ...(annotationList(annotations, 'host-aliases') ?? []),
  ];
  const headers = headerMatches(annotations);
  const fields = [
    paths.length > 0,
    hosts.length > 0,
    headers !== undefined,
    (annotationList(annotations, 'methods') ?? []).length > 0,
    (annotationList(annotations, 'snis') ?? []).length > 0,
  ].filter(Boolean).length;
  const isPlainHostOnly = hosts.length > 0 && hosts.every((one) => !one.startsWith('*'));
  const longest = weights.reduce((max, { length }) => Math.max(max, length), 0);
  return (
    3 * 2 ** 44 +
    fields * 2 ** 41 +
    Math.min(Object.keys(headers ?? {}).length, 255) * 2 ** 33 +
    (isPlainHostOnly ? 2 ** 32 : 0) +
    (weights.some(({ isRegex }) => isRegex) ? 2 ** 16 : 0) +
    Math.min(longest, 2 ** 16 - 1)
  );
}
