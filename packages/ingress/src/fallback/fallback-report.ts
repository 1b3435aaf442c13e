import { parseApiVersion } from '@waygate/schema';
import type { ObjectReference } from '../objects/reference.ts';

/** An object that a fallback is about, in the words of Kong Ingress Controller's diagnostics. */
interface AffectedObject {
  readonly group: string;
  readonly kind: string;
  readonly version?: string;
  readonly namespace: string;
  readonly name: string;
  readonly id: string;
}

/** What is held back from the gateways now, and why. */
export interface FallbackReport {
  readonly status: 'triggered' | 'not-triggered';
  readonly brokenObjects?: readonly AffectedObject[];
  readonly excludedObjects?: readonly AffectedObject[];
  /** Those of which the last good version stays in force. */
  readonly backfilledObjects?: readonly AffectedObject[];
}

/** The report on objects with problems, on those that are left out, and on those that stay as they were. */
export function fallbackReport(
  broken: readonly ObjectReference[],
  excluded: readonly ObjectReference[],
  backfilled: readonly ObjectReference[],
): FallbackReport {
  return {
    status: 'triggered',
    brokenObjects: once(broken),
    ...(excluded.length > 0 && { excludedObjects: once(excluded) }),
    ...(backfilled.length > 0 && { backfilledObjects: once(backfilled) }),
  };
}

function once(references: readonly ObjectReference[]): AffectedObject[] {
  const objects = new Map<string, AffectedObject>();
  for (const { apiVersion, kind, namespace, name, uid } of references) {
    const { group, version } = parseApiVersion(apiVersion);
    const object = { group, kind, version, namespace, name, id: uid };
    objects.set(`${group}/${kind}:${namespace}/${name}`, object);
  }
  return [...objects.values()];
}
