import { oncePer } from '@waygate/text';
import { plainHost } from '../../exchange/client-facts.ts';
import { configSchema, record, texts } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import { sentHost } from '../nginx/request-facts.ts';

interface Place {
  readonly address: string;
  readonly port: number;
  /** Of the listeners there: names, also with `*.` before them; an empty one takes all others. */
  readonly hostnames: readonly string[];
}

interface Config {
  readonly places: readonly Place[];
}

type Hostnames = ReadonlySet<string>;

/**
 * Tells clients that a connection is not for the host that they ask for, where several listeners of a
 * Gateway share a port: each may have a certificate and demands of its own, which a request for another
 * one's host would come around. Such a request is answered with 421, and the client opens a connection
 * for it.
 */
export const httpRouteListeners = definePlugin<Config>({
  name: 'http-route-listeners',
  isUnlisted: true,
  priority: 99_999,
  schema: configSchema({
    places: {
      type: 'array',
      required: true,
      elements: record({
        address: { type: 'string', required: true },
        port: { type: 'integer', between: [1, 65535], required: true },
        hostnames: texts({ required: true, elements: { type: 'string', len_min: 0 } }),
      }),
    },
  }),
  rewrite(context, config) {
    const { client } = context;
    if (!client.isTls) return;
    const hostnames = tableOf(config).get(placeKey(client.localAddress, client.localPort));
    if (hostnames === undefined) return;
    if (
      listenerOf(hostnames, plainHost(sentHost(context))) !==
      listenerOf(hostnames, client.sni ?? '')
    ) {
      context.fail(421, 'the connection was made for another host');
    }
  },
});

function placeKey(address: string, port: number): string {
  return `${address} ${port}`;
}

const tableOf = oncePer(
  ({ places }: Config): ReadonlyMap<string, Hostnames> =>
    new Map(
      places.map(({ address, port, hostnames }) => [
        placeKey(address, port),
        new Set(hostnames.map((name) => name.toLowerCase())),
      ]),
    ),
);

/** The host name of the listener that a name belongs to, the most precise one; undefined for none. */
function listenerOf(hostnames: Hostnames, name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower !== '' && hostnames.has(lower)) return lower;
  for (let dot = lower.indexOf('.'); dot !== -1; dot = lower.indexOf('.', dot + 1)) {
    const wildcard = `*${lower.slice(dot)}`;
    if (hostnames.has(wildcard)) return wildcard;
  }
  return hostnames.has('') ? '' : undefined;
}
