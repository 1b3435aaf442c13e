import type { GatewayMetrics } from '../../metrics/gateway-metrics.ts';
import { addressProblems, isInList } from '../../plugin/address-list.ts';
import { configSchema, problemsOf, texts } from '../../plugin/config-schema.ts';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';

interface Config {
  readonly allow: readonly string[];
}

/**
 * The page of nginx's `stub_status`: connections and requests of the process that answers. Only the
 * addresses in `allow` see it; without any, nobody does.
 */
export function nginxStatus(metrics: GatewayMetrics): AnyPlugin {
  return definePlugin<Config>({
    name: 'nginx-status',
    isUnlisted: true,
    priority: 2_970,
    schema: configSchema({ allow: texts({ required: true }) }),
    check: ({ allow }) => problemsOf({ allow: addressProblems(allow) }),
    access(context, { allow }) {
      if (!isInList(allow, context.client.ip)) {
        context.fail(403, 'the status page is for others');
        return;
      }
      const { accepted, active, totalRequests, writing } = metrics.connections;
      const lines = [
        `Active connections: ${active} `,
        'server accepts handled requests',
        ` ${accepted} ${accepted} ${totalRequests} `,
        `Reading: 0 Writing: ${writing} Waiting: ${Math.max(active - writing, 0)} `,
      ];
      context.exit(200, `${lines.join('\n')}\n`, { 'Content-Type': 'text/plain' });
    },
  });
}
