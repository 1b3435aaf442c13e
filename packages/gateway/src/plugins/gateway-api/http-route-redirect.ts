import { configSchema } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { withPrefixReplaced } from './prefix-replacement.ts';

interface Config {
  readonly status_code: number;
  readonly scheme: string | null;
  readonly hostname: string | null;
  readonly port: number | null;
  readonly full_path: string | null;
  /** What takes the place of `matched_prefix`. */
  readonly prefix: string | null;
  readonly matched_prefix: string | null;
}

const wellKnownPorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

/**
 * Sends clients elsewhere as the Gateway API's RequestRedirect says: what it does not name is as in the
 * request, which Kong's `redirect` cannot do.
 */
export const httpRouteRedirect = definePlugin<Config>({
  name: 'http-route-redirect',
  isUnlisted: true,
  priority: 779,
  schema: configSchema({
    status_code: { type: 'integer', between: [300, 399], default: 302 },
    scheme: { type: 'string', one_of: ['http', 'https'] },
    hostname: { type: 'string' },
    port: { type: 'integer', between: [1, 65535] },
    full_path: { type: 'string' },
    prefix: { type: 'string', len_min: 0 },
    matched_prefix: { type: 'string', default: '/' },
  }),
  access(context, config) {
    context.exit(config.status_code, '', { Location: locationOf(context, config) });
  },
});

function locationOf({ client, target }: RequestContext, config: Config): string {
  const scheme = config.scheme ?? client.forwardedProto;
  const host = config.hostname ?? client.forwardedHost;
  // With a scheme of its own the port is that scheme's; else the one that the client came to.
  const port = config.port ?? (config.scheme === null ? client.forwardedPort : undefined);
  const authority =
    port === undefined || port === wellKnownPorts[scheme] ? host : `${host}:${port}`;
  const [, path = '/', query = ''] = /^([^?]*)(\?.*)?$/s.exec(target) ?? [];
  return `${scheme}://${authority}${pathOf(path, config)}${query}`;
}

function pathOf(path: string, { full_path, prefix, matched_prefix }: Config): string {
  if (full_path !== null) return full_path;
  if (prefix === null) return path;
  return withPrefixReplaced(path, matched_prefix ?? '/', prefix);
}
