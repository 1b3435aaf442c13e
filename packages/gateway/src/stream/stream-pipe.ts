import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterArrivals } from '@waygate/text';
import type { BalancerAddress } from '../balancer/balancer-address.ts';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { StreamFacts } from '../metrics/gateway-metrics.ts';
import { sentServerName } from '../tls/sent-server-name.ts';
import { pickTarget, type RoutedStream } from './stream-route.ts';

interface PipeContext {
  readonly balancers: BalancerRegistry;
  readonly sourceIp: string;
  /** What a target is told before the client's first byte. */
  readonly preface: Buffer | undefined;
  readonly onEnd: (facts: StreamFacts) => void;
}

/**
 * Joins a client with a target of its route's service. If one cannot be reached others are tried, as
 * often as the service allows; then the client's connection is closed.
 */
export async function pipeStream(
  client: Socket,
  routed: RoutedStream,
  { balancers, sourceIp, preface, onEnd }: PipeContext,
): Promise<void> {
  const startedAt = performance.now();
  const tried = new Set<BalancerAddress>();
  for (let attempt = 0; attempt <= routed.settings.retries; attempt += 1) {
    const destination = await pickTarget(balancers, routed, sourceIp, tried);
    if (destination.kind === 'none' || client.destroyed) break;
    const { address, upstream } = destination;
    tried.add(address);
    const target = await open(address, routed, upstream?.upstream.host_header);
    if (target === undefined) {
      upstream?.reportPassive(address, { kind: 'tcp-failure' });
      continue;
    }
    address.connections += 1;
    upstream?.reportPassive(address, { kind: 'tcp-success' });
    if (preface !== undefined) target.write(preface);
    await join(client, target, routed.settings.readTimeoutMs);
    address.connections -= 1;
    const { route, service } = routed.match.entry;
    onEnd({
      route: String(route.name ?? route.id),
      service: String(service?.name ?? ''),
      receivedBytes: client.bytesRead,
      sentBytes: client.bytesWritten,
      durationMs: performance.now() - startedAt,
    });
    return;
  }
  client.destroy();
}

function open(
  address: BalancerAddress,
  { settings }: RoutedStream,
  name: string | null | undefined,
): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const { tls, connectTimeoutMs } = settings;
    const where = { host: address.ip, port: address.port };
    const socket: Socket =
      tls === undefined
        ? connect(where)
        : connectTls({
            ...where,
            rejectUnauthorized: tls.isVerified,
            // As with HTTP, what an upstream wants to be called comes before what its target is.
            ...sentServerName(name ?? address.hostname),
            ...(tls.ca.length === 0 ? {} : { ca: [...tls.ca] }),
            ...(tls.cert === undefined ? {} : { cert: tls.cert }),
            ...(tls.key === undefined ? {} : { key: tls.key }),
          });
    const fail = () => {
      socket.destroy();
      resolve(undefined);
    };
    let isConnected = false;
    socket.setTimeout(connectTimeoutMs, () =>
      afterArrivals(() => {
        if (!isConnected) fail();
      }),
    );
    socket.once('error', fail);
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      isConnected = true;
      socket.off('error', fail);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

/** Each side's end is passed on; an error or silence ends both. */
function join(a: Socket, b: Socket, idleMs: number): Promise<void> {
  return new Promise((resolve) => {
    const close = () => {
      a.destroy();
      b.destroy();
    };
    const closeIfSilent = () => {
      const before = a.bytesRead + b.bytesRead;
      afterArrivals(() => {
        if (a.bytesRead + b.bytesRead === before) close();
      });
    };
    let open = 2;
    const closed = () => {
      open -= 1;
      close();
      if (open === 0) resolve();
    };
    for (const socket of [a, b]) {
      socket.on('error', close);
      socket.setTimeout(idleMs, closeIfSilent);
      if (socket.destroyed) {
        closed();
      } else {
        socket.once('close', closed);
      }
    }
    a.pipe(b);
    b.pipe(a);
  });
}
