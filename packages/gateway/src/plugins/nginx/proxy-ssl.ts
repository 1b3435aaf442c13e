import { configSchema, problemsOf, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';

interface Config {
  readonly server_name: boolean;
  readonly name: string | null;
  /** `DNS:name` or `URI:text`: the certificate must have one of these, whatever name is sent. */
  readonly alternative_names: readonly string[];
  /** Verifies a gRPC backend, for which a service has no `tls_verify`; none for the system's authorities. */
  readonly grpc_authorities: readonly string[] | null;
}

/** What nginx calls an upstream that nobody gave a name. */
const unnamed = 'upstream_balancer';

/**
 * What an upstream with TLS is called: the name that is sent to it (SNI) and that its certificate must be
 * for. Without it the `Host` is; whether certificates are verified is the service's `tls_verify`, or said here
 * for gRPC.
 */
export const proxySsl = definePlugin<Config>({
  name: 'proxy-ssl',
  isUnlisted: true,
  priority: 88,
  schema: configSchema({
    server_name: { type: 'boolean', required: true, default: false },
    name: { type: 'string', match: '^[%w%-._]+$' },
    alternative_names: texts({ required: true }),
    grpc_authorities: { type: 'array', elements: { type: 'string' } },
  }),
  check: ({ alternative_names: names }) =>
    problemsOf({
      alternative_names: names.every((name) => /^(DNS|URI):./.test(name))
        ? undefined
        : 'must each start with DNS: or URI:',
    }),
  access(context, config) {
    const { server_name: isSent, name, alternative_names: alternatives } = config;
    const authorities = config.grpc_authorities;
    const identity = name ?? unnamed;
    const serverName = {
      sni: isSent ? identity : '',
      identity,
      ...(alternatives.length === 0 ? {} : { alternatives }),
      ...(authorities === null ? {} : { authorities }),
    };
    context.manner = { ...context.manner, serverName };
  },
});
