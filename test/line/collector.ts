import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it is on the wire. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: { key: string; value: { stringValue?: string } }[];
  readonly status: { code?: number; message?: string };
}

/** A collector of OpenTelemetry on loopback. */
interface Collector {
  readonly url: string;
  /** All that it took, in the order in which it came. */
  readonly spans: readonly OtlpSpan[];
  /** While true it answers 503, and takes nothing. */
  isAway: boolean;
  /** Requests that it refused. */
  readonly refusedCount: number;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: OtlpSpan[] = [];
  let refusedCount = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      if (collector.isAway || request.url !== '/v1/traces') {
        refusedCount += 1;
        response.writeHead(503).end();
        return;
      }
      spans.push(...JSON.parse(text).resourceSpans[0].scopeSpans[0].spans);
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    isAway: false,
    get refusedCount() {
      return refusedCount;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

export const revisionOf = ({ attributes }: OtlpSpan): string | undefined =>
  attributes.find(({ key }) => key === 'waygate.revision')?.value.stringValue;

/** The steps of a revision that came as far as a gateway, from the last up to the commit. */
export const wholeWay = ['sync', 'translate', 'apply', 'build', 'download', 'fetch', 'commit'];

/** The names of a revision's spans from the last step up to the commit. */
export function wayOf(spans: readonly OtlpSpan[], revision: string | undefined): string[] {
  const own = spans.filter((span) => revisionOf(span) === revision);
  const way: string[] = [];
  let at = own.find(({ name }) => name === 'sync');
  while (at !== undefined) {
    way.push(at.name);
    const parent: string | undefined = at.parentSpanId;
    at = own.find(({ spanId }) => spanId === parent);
  }
  return way;
}
