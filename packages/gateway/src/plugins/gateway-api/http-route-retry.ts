import { oncePer } from '@waygate/text';
import { configSchema } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RetryPolicy } from '../../plugin/proxy-manner.ts';

interface Config {
  readonly codes: readonly number[];
  /** Tries after the first one. */
  readonly attempts: number;
  readonly backoff_ms: number;
  /** What all tries may take together; 0 for no such limit. */
  readonly total_ms: number;
}

/**
 * Tries again after answers with certain statuses, as the Gateway API's `retry` of a rule says; Kong tries
 * again only where there was no answer. What may have changed something (`POST`, `PATCH`) is sent again
 * only while it cannot have arrived.
 */
export const httpRouteRetry = definePlugin<Config>({
  name: 'http-route-retry',
  isUnlisted: true,
  priority: 94,
  schema: configSchema({
    codes: {
      type: 'array',
      required: true,
      default: [],
      elements: { type: 'integer', between: [400, 599] },
    },
    attempts: { type: 'integer', required: true, default: 1, between: [0, 100] },
    backoff_ms: { type: 'integer', required: true, default: 0, between: [0, 3_600_000] },
    total_ms: { type: 'integer', required: true, default: 0, between: [0, 86_400_000] },
  }),
  access(context, config) {
    context.manner = { ...context.manner, retry: policyOf(config) };
  },
});

const policyOf = oncePer(
  ({ codes, attempts, backoff_ms: backoffMs, total_ms: totalMs }: Config): RetryPolicy => ({
    tries: attempts + 1,
    timeoutMs: totalMs,
    isTimeoutTotal: totalMs > 0,
    backoffMs,
    onError: true,
    onTimeout: true,
    onInvalidHead: true,
    statuses: new Set(codes),
    hasUnsafeMethods: false,
  }),
);
