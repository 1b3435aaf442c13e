import { configSchema } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';

interface Config {
  readonly bytes_per_second: number;
  readonly free_bytes: number;
}

const bytes = { type: 'integer', required: true };

/**
 * Sends each answer no faster than this, as nginx's `limit_rate` and `limit_rate_after`. What an
 * upstream sends meanwhile stays with the upstream.
 */
export const responseRate = definePlugin<Config>({
  name: 'response-rate',
  isUnlisted: true,
  priority: 2_960,
  schema: configSchema({
    bytes_per_second: { ...bytes, between: [1, 2 ** 50] },
    free_bytes: { ...bytes, default: 0, between: [0, 2 ** 50] },
  }),
  access(context, { bytes_per_second: bytesPerSecond, free_bytes: freeBytes }) {
    context.manner = { ...context.manner, pace: { bytesPerSecond, freeBytes } };
  },
});
