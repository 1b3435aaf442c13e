import { formatDuration } from '@waygate/text';
import type { Kustomization } from '../api/kustomization-object.ts';
import { durationMs } from '../interval.ts';

/** For a spec whose interval makes no sense; the API refuses those. */
const fallbackIntervalMs = 600_000;

/** The shortest wait for health or for an end, whatever the spec says. */
const leastTimeoutMs = 30_000;

/** Time between two passes that went well. */
export function intervalMs({ spec }: Kustomization): number {
  return durationMs(spec.interval, fallbackIntervalMs);
}

/** Time until the next try after a pass that failed. */
export function retryMs(object: Kustomization): number {
  return durationMs(object.spec.retryInterval, intervalMs(object));
}

/** How long objects may take to become healthy, or to be gone. */
export function healthTimeoutMs(object: Kustomization): number {
  return Math.max(durationMs(object.spec.timeout, intervalMs(object) - 30_000), leastTimeoutMs);
}

/** A duration for people: whole milliseconds, or hundredths of a second. */
export function shortDuration(ms: number): string {
  return formatDuration(ms >= 1000 ? Math.round(ms / 10) * 10 : Math.round(ms));
}
