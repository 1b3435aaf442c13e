import { configSchema } from '../plugin/config-schema.ts';
import { definePlugin } from '../plugin/plugin.ts';

interface Config {
  readonly accept: boolean;
  readonly send: 'none' | 'v1' | 'v2';
}

/**
 * PROXY protocol on the streams of a route or service: `accept` takes the header of a load balancer
 * before a client's first byte, and refuses connections without one; `send` tells the target who the
 * client is. It counts for TCP; `protocols` of the plugin must name it.
 */
export const proxyProtocol = definePlugin<Config>({
  name: 'proxy-protocol',
  isUnlisted: true,
  priority: 2_980,
  schema: configSchema({
    accept: { type: 'boolean', required: true, default: false },
    send: { type: 'string', required: true, default: 'none', one_of: ['none', 'v1', 'v2'] },
  }),
  stream: ({ accept, send }) => ({ takesProxyHeader: accept, sendsProxyHeader: send }),
});
