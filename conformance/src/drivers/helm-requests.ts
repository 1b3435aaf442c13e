import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { equalJson, isObject } from '@waygate/text';

/** A request to the API, as the recordings have them. */
export interface RecordedRequest {
  readonly m: string;
  readonly u: string;
  readonly ct?: string | null;
  readonly s?: number;
  readonly body?: unknown;
}

/** Stands before an API and writes down what is asked. */
export class RequestRecorder {
  readonly url: string;
  readonly #server: Server;
  #requests: RecordedRequest[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(target: string): Promise<RequestRecorder> {
    let onRequest: (request: RecordedRequest) => void = () => {};
    const server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const body = Buffer.concat(chunks);
        const { method: m = 'GET', url: u = '/', headers } = incoming;
        const forwarded = request(`${target}${u}`, { method: m, headers }, (answer) => {
          const ct = headers['content-type'] ?? null;
          const s = answer.statusCode ?? 0;
          onRequest({ m, u, ct, s, body: body.toString('utf8') });
          outgoing.writeHead(s, answer.headers);
          answer.pipe(outgoing);
        });
        forwarded.on('error', () => outgoing.destroy());
        outgoing.on('close', () => forwarded.destroy());
        forwarded.end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const recorder = new RequestRecorder(server);
    onRequest = (each) => recorder.#requests.push(each);
    return recorder;
  }

  /** What was asked since the last time. */
  take(): RecordedRequest[] {
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/**
 * Whether two runs changed the same things in the same order. Reads are not compared: what Go's client asks
 * of discovery is its own affair. Objects of one kind are written at once, so that their order is not said.
 */
export function sameWrites(
  actual: readonly RecordedRequest[],
  expected: readonly RecordedRequest[],
): string | undefined {
  const [ours, theirs] = [writesOf(actual), writesOf(expected)];
  if (equalJson(ours, theirs)) return undefined;
  const at = theirs.findIndex((each, index) => !equalJson(each, ours[index]));
  const shown = (list: readonly Write[]) =>
    list
      .slice(Math.max(0, at - 1), at + 4)
      .map((each) => JSON.stringify(each))
      .join('\n');
  return `requests that change something differ at ${at}: expected\n${shown(theirs)}\n... but got\n${shown(ours)}`;
}

interface Write {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly type: string;
  readonly status: number;
  readonly body: unknown;
}

function writesOf(requests: readonly RecordedRequest[]): Write[] {
  const writes = requests.filter(({ m }) => m !== 'GET').map(writeOf);
  const sorted: Write[] = [];
  let group: Write[] = [];
  const groupKey = ({ method, path }: Write) =>
    `${method} ${method === 'POST' ? path : path.replace(/[^/]*$/, '')}`;
  for (const write of writes) {
    if (group.length > 0 && groupKey(group[0]!) !== groupKey(write)) {
      sorted.push(...sortGroup(group));
      group = [];
    }
    group.push(write);
  }
  return [...sorted, ...sortGroup(group)];
}

/** Secrets are written one after the other, always. */
function sortGroup(group: readonly Write[]): readonly Write[] {
  if (group[0]?.path.includes('/secrets') === true) return group;
  return group.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function writeOf({ m, u, ct, s, body }: RecordedRequest): Write {
  const { pathname, searchParams } = new URL(u, 'http://api');
  // Not to force is what the API does when nothing is said.
  if (searchParams.get('force') === 'false') searchParams.delete('force');
  searchParams.delete('timeout');
  searchParams.sort();
  const isSecret = pathname.includes('/secrets');
  return {
    method: m,
    path: pathname,
    query: searchParams.toString(),
    type: isSecret || m === 'DELETE' ? '' : (ct ?? ''),
    status: s ?? 0,
    body: isSecret ? null : bodyOf(m, body),
  };
}

function bodyOf(method: string, body: unknown): unknown {
  const data: unknown = typeof body === 'string' && body.trim() !== '' ? JSON.parse(body) : body;
  if (!isObject(data)) return data ?? null;
  if (method === 'DELETE') return { propagationPolicy: data.propagationPolicy ?? null };
  if (!isObject(data.metadata)) return data;
  const { resourceVersion: _, ...metadata } = data.metadata;
  return { ...data, metadata };
}
