import { sendRaw } from '../drivers/kong-client.ts';
import { compareHeaders, type PluginExchange, stable } from '../drivers/kong-plugins.ts';
import type { Compared, FoundDifference } from './compare-kong.ts';

/** Where requests are taken, with and without TLS, on this machine; 0 where they are not. */
export interface ProxyPorts {
  readonly http: number;
  readonly https: number;
}

/** Sends the same requests through a real Kong and through ours, both with the same configuration. */
export async function compareProxied(
  real: ProxyPorts,
  ours: ProxyPorts,
  exchanges: readonly Pick<PluginExchange, 'name' | 'request'>[],
): Promise<Compared> {
  const differences: FoundDifference[] = [];
  let asked = 0;
  for (const [index, { name, request }] of exchanges.entries()) {
    const { scheme, method, path, host, headers, body } = request;
    const isTls = scheme === 'https';
    const portOf = ({ http, https }: ProxyPorts) => (isTls ? https : http);
    // A Kong need not speak both: what it cannot be asked is not compared.
    if (portOf(real) === 0 || portOf(ours) === 0) continue;
    const send = (ports: ProxyPorts) =>
      sendRaw({ method, path, host, headers, body: body ?? undefined, port: portOf(ports), isTls });
    asked += 1;
    const [theirs, own] = [await send(real), await send(ours)];
    const found = (kind: FoundDifference['kind'], what: string) =>
      differences.push({ kind, what, request: `proxied/${index} ${name} ${method} ${path}` });
    if (theirs.status !== own.status) {
      found('status', `${theirs.status}, ours ${own.status}`);
      continue;
    }
    const header = compareHeaders(Object.fromEntries(theirs.headers), own);
    if (header !== undefined) {
      found('header', header.kind === 'fail' ? header.reason : '');
    } else if (bodyText(theirs.body, real) !== bodyText(own.body, ours)) {
      found('value', `${bodyText(theirs.body, real)}, ours ${bodyText(own.body, ours)}`);
    }
  }
  return { asked, differences };
}

/** A body without what is volatile, and without the ports that the requests came in by. */
function bodyText(body: string, ports: ProxyPorts): string {
  let value: unknown = body.replace(/request_id: [0-9a-f]{32}/, '');
  try {
    value = JSON.parse(body);
  } catch {
    // It is no JSON, and compared as it is.
  }
  const text = JSON.stringify(stable(value));
  const known = Object.entries({ HTTP: ports.http, HTTPS: ports.https }).filter(
    ([, port]) => port !== 0,
  );
  return known.reduce((rest, [name, port]) => rest.replaceAll(String(port), name), text);
}
