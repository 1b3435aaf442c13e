import { configSchema } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';

interface Config {
  readonly server_name: boolean;
  readonly name: string | null;
}

/** What nginx calls an upstream that nobody gave a name. */
const unnamed = 'upstream_balancer';

/**
 * What an upstream with TLS is called: the name that is sent to it (SNI) and that its certificate must be
 * for. Without it the `Host` is; whether certificates are verified is the service's `tls_verify`.
 */
export const proxySsl = definePlugin<Config>({
  name: 'proxy-ssl',
  isUnlisted: true,
  priority: 88,
  schema: configSchema({
    server_name: { type: 'boolean', required: true, default: false },
    name: { type: 'string', match: '^[%w%-._]+$' },
  }),
  access(context, { server_name: isSent, name }) {
    const identity = name ?? unnamed;
    context.manner = { ...context.manner, serverName: { sni: isSent ? identity : '', identity } };
  },
});
