import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DynamicObject } from '@waygate/schema';

interface Target {
  /** `/apis/example.com/v1/greetings`: what one list or watch covers, in all namespaces. */
  readonly collection: string;
  readonly apiVersion: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

interface Watcher {
  readonly target: Target;
  readonly response: ServerResponse;
}

/**
 * As much of a Kubernetes API as an operator needs, over a real socket: lists, watches, resource
 * versions, conflicts, and patches that merge. For the test of the example only.
 */
export class ModelApi {
  private readonly objects = new Map<string, DynamicObject>();
  private readonly watchers = new Set<Watcher>();
  private readonly server: Server;
  private version = 1;

  constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  /** Connections that are still open: a stopped operator leaves none. */
  get watchCount(): number {
    return this.watchers.size;
  }

  get(path: string): DynamicObject | undefined {
    return this.objects.get(path);
  }

  /** Every object below a path. */
  list(prefix: string): DynamicObject[] {
    return [...this.objects]
      .filter(([path]) => path.startsWith(prefix))
      .map(([, object]) => object);
  }

  put(path: string, object: DynamicObject): DynamicObject {
    const old = this.objects.get(path);
    const isSpecSame = JSON.stringify(old?.spec) === JSON.stringify(object.spec);
    const generation = (old?.metadata.generation ?? 0) + (isSpecSame ? 0 : 1);
    const stored: DynamicObject = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: old?.metadata.uid ?? `uid-${this.version}`,
        resourceVersion: `${++this.version}`,
        generation,
      },
    };
    this.objects.set(path, stored);
    this.tell(path, old === undefined ? 'ADDED' : 'MODIFIED', stored);
    return stored;
  }

  remove(path: string): void {
    const object = this.objects.get(path);
    if (object === undefined) return;
    this.objects.delete(path);
    this.tell(path, 'DELETED', {
      ...object,
      metadata: { ...object.metadata, resourceVersion: `${++this.version}` },
    });
  }

  private tell(path: string, type: string, object: DynamicObject): void {
    const target = parsePath(path);
    for (const watcher of this.watchers)
      if (target !== undefined && covers(watcher.target, target))
        watcher.response.write(`${JSON.stringify({ type, object })}\n`);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://model');
    const isStatus = url.pathname.endsWith('/status');
    const path = isStatus ? url.pathname.slice(0, -'/status'.length) : url.pathname;
    const target = parsePath(path);
    if (target === undefined) return refuse(response, 404, 'NotFound');
    if (request.method === 'GET' && target.name === undefined)
      return url.searchParams.get('watch')
        ? this.watch(target, url, response)
        : this.sendList(target, response);
    const known = this.objects.get(path);
    if (request.method === 'GET')
      return known ? send(response, 200, known) : refuse(response, 404, 'NotFound');
    const body = await readBody(request);
    if (request.method === 'POST') return this.create(path, body, response);
    if (request.method === 'DELETE') {
      this.remove(path);
      return send(response, 200, { kind: 'Status', status: 'Success' });
    }
    const isApply = String(request.headers['content-type']).includes('apply-patch');
    if (known === undefined && !isApply) return refuse(response, 404, 'NotFound');
    if (request.method === 'PATCH') {
      const merged = merge(known ?? {}, body) as DynamicObject;
      if (known !== undefined && JSON.stringify(merged) === JSON.stringify(known))
        return send(response, 200, known);
      return send(response, 200, this.put(path, merged));
    }
    if (
      body.metadata.resourceVersion !== known?.metadata.resourceVersion &&
      body.metadata.resourceVersion
    )
      return refuse(response, 409, 'Conflict');
    return send(
      response,
      200,
      this.put(path, isStatus ? { ...known!, status: body.status } : body),
    );
  }

  private create(path: string, body: DynamicObject, response: ServerResponse): void {
    const full = `${path}/${body.metadata.name}`;
    if (this.objects.has(full)) refuse(response, 409, 'AlreadyExists');
    else send(response, 201, this.put(full, body));
  }

  private sendList(target: Target, response: ServerResponse): void {
    const items = this.itemsOf(target);
    send(response, 200, {
      apiVersion: target.apiVersion,
      kind: 'List',
      metadata: { resourceVersion: `${this.version}` },
      items,
    });
  }

  private watch(target: Target, url: URL, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const watcher = { target, response };
    if (url.searchParams.get('sendInitialEvents') === 'true') {
      for (const object of this.itemsOf(target))
        response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
      const metadata = {
        resourceVersion: `${this.version}`,
        annotations: { 'k8s.io/initial-events-end': 'true' },
      };
      const kind = this.itemsOf(target)[0]?.kind ?? 'Greeting';
      const object = { apiVersion: target.apiVersion, kind, metadata };
      response.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
    }
    this.watchers.add(watcher);
    response.on('close', () => this.watchers.delete(watcher));
  }

  private itemsOf(target: Target): DynamicObject[] {
    return [...this.objects]
      .filter(([path]) => covers(target, parsePath(path)!))
      .map(([, object]) => object);
  }
}

function parsePath(path: string): Target | undefined {
  const match =
    /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/.exec(
      path,
    );
  if (match === null) return undefined;
  const [, core, grouped, namespace, plural, name] = match;
  const apiVersion = core ?? grouped!;
  return { collection: `${apiVersion}/${plural}`, apiVersion, namespace, name };
}

function covers(watched: Target, target: Target): boolean {
  if (watched.collection !== target.collection) return false;
  return watched.namespace === undefined || watched.namespace === target.namespace;
}

/** JSON merge patch; good enough for an apply by a single manager. */
function merge(old: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = { ...(old as object) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

async function readBody(request: IncomingMessage): Promise<DynamicObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return (text === '' ? { metadata: {} } : JSON.parse(text)) as DynamicObject;
}

function send(response: ServerResponse, statusCode: number, body: object): void {
  response.writeHead(statusCode, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, code: number, reason: string): void {
  send(response, code, {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code,
    reason,
    message: reason,
  });
}
