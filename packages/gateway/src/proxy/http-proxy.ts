import type { AddressRange } from '@waygate/text';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import { type ConnectionFacts, clientFacts, isValidHost } from '../exchange/client-facts.ts';
import type { Reply } from '../exchange/reply.ts';
import type { ServerRequest } from '../exchange/server-request.ts';
import { HeaderList } from '../http/header-list.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { Welcome } from '../plugin/plugin.ts';
import type { PlannedPlugin } from '../plugin/plugin-plan.ts';
import type { PluginRuntime } from '../plugin/plugin-runtime.ts';
import type { Followed } from '../plugin/proxy-manner.ts';
import { RequestContext, type RequestSnapshot } from '../plugin/request-context.ts';
import { upstreamHeaders } from '../plugin/upstream-headers.ts';
import { escapePath, isAcceptablePath } from '../router/request-path.ts';
import type { RouteRequest } from '../router/route-match.ts';
import { GrpcExchange } from './grpc-exchange.ts';
import type { GrpcSessions } from './grpc-sessions.ts';
import { checkProtocol } from './protocol-check.ts';
import { ClientGoneError } from './request-body.ts';
import { requestRoute } from './request-route.ts';
import { ResponseWriter } from './response-writer.ts';
import { UpstreamExchange } from './upstream-exchange.ts';
import type { UpstreamPools } from './upstream-pools.ts';

interface HttpProxyOptions {
  /** The configuration of now; read once for each request. */
  readonly snapshot: () => RequestSnapshot;
  readonly balancers: BalancerRegistry;
  readonly pools: UpstreamPools;
  readonly grpc: GrpcSessions;
  readonly runtime: PluginRuntime;
  readonly metrics: GatewayMetrics;
  readonly trusted: AddressRange | undefined;
  readonly areDebugHeadersAllowed: boolean;
  /** Called once for each request, when its answer is out or given up. */
  readonly onEnd: (context: RequestContext) => void;
}

/** Takes a request through its phases: rewrite, route, access, upstream, filters, log. */
export class HttpProxy {
  readonly #options: HttpProxyOptions;

  constructor(options: HttpProxyOptions) {
    this.#options = options;
  }

  connectionOpened(): void {
    this.#options.metrics.connectionOpened();
  }

  connectionClosed(): void {
    this.#options.metrics.connectionClosed();
  }

  handle(request: ServerRequest, reply: Reply, connection: ConnectionFacts): void {
    const { runtime, trusted, metrics } = this.#options;
    metrics.requestStarted();
    const headers = new HeaderList(request.rawHeaders);
    const host = hostOf(request, headers);
    const client = clientFacts(connection, headers, host, trusted);
    const snapshot = this.#options.snapshot();
    const context = new RequestContext(runtime, snapshot, request, reply, client, headers);
    reply.whenClosed(() => this.#end(context));
    this.#run(context, host);
  }

  #run(context: RequestContext, sentHost: string): void {
    // nginx goes by the host of the target, if there is one; Kong by the header.
    const isNginx = context.snapshot.plan.welcome !== undefined;
    const host = (isNginx ? context.request.authority : undefined) ?? sentHost;
    const writer = new ResponseWriter(context, this.#options.areDebugHeadersAllowed);
    try {
      const pending = this.#phases(context, writer, host);
      pending?.catch((error: unknown) => this.#crash(context, writer, error));
    } catch (error) {
      this.#crash(context, writer, error);
    }
  }

  /** Returns a promise only if some plugin asked to wait: most requests go through in one turn. */
  #phases(
    context: RequestContext,
    writer: ResponseWriter,
    host: string,
  ): Promise<void> | undefined {
    const { rewriting, welcome } = context.snapshot.plan;
    const refused = refusedStatus(context, host, welcome);
    if (refused !== undefined) {
      if (welcome !== undefined) context.manner = { errorPage: welcome.refusalPage, isBare: true };
      writer.sendError(refused);
      return undefined;
    }
    if (rewriting.length === 0) return this.#afterRewrite(context, writer, host);
    return (async () => {
      for (const { definition, config, entity } of rewriting) {
        await definition.rewrite?.(context, config, entity);
        if (context.exitWith !== undefined) {
          writer.sendExit(context.exitWith);
          return;
        }
      }
      await this.#afterRewrite(context, writer, host);
    })();
  }

  #afterRewrite(
    context: RequestContext,
    writer: ResponseWriter,
    host: string,
  ): Promise<void> | undefined {
    const { snapshot } = context;
    const { match, normalized } = requestRoute(context, (path) =>
      snapshot.routers.http.match(routeRequest(context, path, host)),
    );
    if (match === undefined) {
      context.plugins.push(...snapshot.plan.global);
      context.fail(404, 'no Route matched with those values');
      this.#exit(context, writer);
      return undefined;
    }
    context.match = match;
    checkProtocol(context);
    if (context.exitWith !== undefined) {
      context.plugins.push(...snapshot.plan.global);
      this.#exit(context, writer);
      return undefined;
    }
    const scheme = match.entry.service?.protocol ?? 'http';
    // The path of a gRPC call names what is called: nothing is stripped of it, nor put before it.
    const path = scheme.startsWith('grpc') ? normalized.path : match.upstreamPath;
    context.upstream = {
      method: context.method,
      path: escapePath(path, normalized.isUtf8),
      query: context.query,
      scheme,
      headers: upstreamHeaders(context),
      body: undefined,
    };
    const planned = snapshot.plan.forRoute(match.entry.route, match.entry.service);
    return this.#access(context, writer, planned, 0);
  }

  #access(
    context: RequestContext,
    writer: ResponseWriter,
    planned: readonly PlannedPlugin[],
    from: number,
  ): Promise<void> | undefined {
    for (let index = from; index < planned.length; index += 1) {
      const active = planned[index]?.resolve(context.consumer?.id);
      if (active === undefined) continue;
      context.plugins.push(active);
      if (context.exitWith !== undefined) {
        // The request is over, but the filters and logs of later plugins still apply.
        continue;
      }
      const pending = active.definition.access?.(context, active.config, active.entity);
      if (pending instanceof Promise) {
        return pending.then(() => this.#access(context, writer, planned, index + 1));
      }
    }
    context.exitWith ??= context.manner?.refusal;
    if (context.exitWith !== undefined) {
      this.#exit(context, writer);
      return undefined;
    }
    this.#proxy(context, writer);
    return undefined;
  }

  #proxy(context: RequestContext, writer: ResponseWriter): void {
    const { service } = context;
    if (service === undefined) {
      context.fail(503, 'no Service found with those values');
      this.#exit(context, writer);
      return;
    }
    const { balancers, pools, grpc } = this.#options;
    const isGrpc = service.protocol === 'grpc' || service.protocol === 'grpcs';
    const exchange = isGrpc
      ? new GrpcExchange(context, balancers, grpc, writer)
      : new UpstreamExchange(context, balancers, pools, writer);
    context.reply.whenClosed(() => exchange.cancel());
    writer.onFollow = (followed) => {
      exchange.cancel();
      this.#follow(context, writer, followed);
    };
    exchange.start();
  }

  /** Another path of the host answers, as if the client had asked for it: all its guards look again. */
  #follow(context: RequestContext, writer: ResponseWriter, followed: Followed): void {
    if (followed.kind === 'refused') {
      writer.sendError(followed.status);
      return;
    }
    const { runtime, request, reply, client, method, headers } = context;
    const next = new RequestContext(
      runtime,
      this.#options.snapshot(),
      redirected(request, method, followed.target),
      reply,
      client,
      withoutBody(headers),
      context,
      [...context.carried, ...followed.carried],
    );
    context.successor = next;
    this.#run(next, hostOf(request, headers));
  }

  #exit(context: RequestContext, writer: ResponseWriter): void {
    if (context.exitWith !== undefined) writer.sendExit(context.exitWith);
  }

  #crash(context: RequestContext, writer: ResponseWriter, error: unknown): void {
    if (error instanceof ClientGoneError) {
      context.reply.abort();
      return;
    }
    this.#options.runtime.log.error('a request failed inside the gateway', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    writer.sendError(500, 'An unexpected error occurred');
  }

  #end(first: RequestContext): void {
    // Where upstreams pointed on, the request counts for who answered.
    let context = first;
    while (context.successor !== undefined) context = context.successor;
    this.#options.onEnd(context);
    for (const { definition, config, entity } of context.plugins) {
      if (definition.log !== undefined) {
        const complain = (error: unknown) =>
          context.runtime.log.error('a plugin failed in its log phase', {
            plugin: definition.name,
            error: String(error),
          });
        try {
          const pending = definition.log(context, config, entity);
          if (pending instanceof Promise) pending.catch(complain);
        } catch (error) {
          complain(error);
        }
      }
    }
  }
}

/** The request for another path: its body went to who pointed there. */
function redirected(request: ServerRequest, method: string, target: string): ServerRequest {
  const { authority, httpVersion, httpVersionMajor, rawHeaders } = request;
  return {
    method: method === 'HEAD' ? 'HEAD' : 'GET',
    target,
    authority,
    httpVersion,
    httpVersionMajor,
    rawHeaders,
    body: undefined,
    contentLength: undefined,
    expectsContinue: false,
    upgrade: undefined,
    trailers: [],
  };
}

function withoutBody(headers: HeaderList): HeaderList {
  const rest = new HeaderList([...headers.raw]);
  for (const name of ['content-length', 'transfer-encoding', 'expect']) rest.remove(name);
  return rest;
}

/** The expression engine takes UTF-8 only; the traditional router compares bytes. */
function hostOf(request: ServerRequest, headers: HeaderList): string {
  const authority = request.httpVersionMajor === 2 ? headers.get(':authority') : undefined;
  return authority ?? headers.get('host') ?? (request.httpVersion === '1.0' ? 'localhost' : '');
}

function routeRequest(context: RequestContext, path: string, host: string): RouteRequest {
  const { client, headers } = context;
  return {
    protocol: client.isTls ? 'https' : 'http',
    method: context.method,
    path,
    host,
    sni: client.sni,
    sourceIp: client.ip,
    sourcePort: client.remotePort,
    destinationIp: client.localAddress,
    destinationPort: client.localPort,
    header(name) {
      const values = headers.getAll(name);
      return values.length === 0 ? undefined : values;
    },
    query(name) {
      return context.arguments.has(name) ? context.arguments.getAll(name) : undefined;
    },
  };
}

/** What is answered to a request that no route is looked for; undefined for the others. */
function refusedStatus(
  { method, reply, target }: RequestContext,
  host: string,
  welcome: Welcome | undefined,
): number | undefined {
  if (method === 'TRACE' || method === 'CONNECT') {
    reply.closeAfter();
    // nginx reads the target of CONNECT as a path, which it is not.
    return method === 'CONNECT' && welcome !== undefined ? 400 : 405;
  }
  return isValidHost(host) && isAcceptablePath(target) ? undefined : 400;
}
