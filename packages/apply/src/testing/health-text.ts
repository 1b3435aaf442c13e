import type { KubeObject } from '@waygate/schema';
import { objectHealth } from '../health/object-health.ts';

/** When all objects are looked at. */
const now = Date.parse('2026-01-01T00:01:00Z');

/** `Current: message`, or `InProgress LessReady: message`. */
export function said(object: unknown): string {
  const { status, message, conditions } = objectHealth(object as KubeObject, { now });
  return `${[status, ...conditions.map(({ reason }) => reason)].join(' ')}: ${message}`;
}

/** Objects of a kind, by what counts for their health. */
export const of =
  (apiVersion: string, kind: string) => (spec: unknown, status: unknown, metadata?: unknown) => ({
    apiVersion,
    kind,
    metadata: { name: 'a', generation: 1, ...(metadata as object) },
    spec,
    status,
  });

/** A condition as controllers write it. */
export const condition = (type: string, status: string, reason = '', message = '') => ({
  type,
  status,
  reason,
  message,
});
