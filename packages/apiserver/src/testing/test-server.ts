import { ApiServer, type RunningApiServer } from '../server/api-server.ts';
import type { ApiServerOptions } from '../server/api-server-options.ts';

/** A server of one test's own, with a small client to arrange and to look. */
export interface TestServer extends RunningApiServer, AsyncDisposable {
  /** Sends a request as the administrator; an object is sent as JSON, and JSON comes back parsed. */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: unknown }>;
  /** Creates a namespace with a name that no other test has, and returns the name. */
  namespace(prefix?: string): Promise<string>;
}

/**
 * Starts an in-memory server on loopback, over plain HTTP unless told otherwise: ready in
 * milliseconds, gone with `stop()`.
 *
 * ```ts
 * const server = await startTestServer();
 * const namespace = await server.namespace();
 * ```
 */
export async function startTestServer(options: ApiServerOptions = {}): Promise<TestServer> {
  const server = await new ApiServer({
    insecure: true,
    log: () => undefined,
    // A test has its backends on this machine.
    allowsLoopbackEndpoints: true,
    ...options,
  }).start();
  const request: TestServer['request'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${server.adminToken}`,
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text };
  };
  return {
    ...server,
    request,
    async namespace(prefix = 'test') {
      const { status, body } = await request('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { generateName: `${prefix}-` },
      });
      if (status !== 201) throw new Error(`the namespace was not created: ${JSON.stringify(body)}`);
      return (body as { metadata: { name: string } }).metadata.name;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
