import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { Gateway } from '../gateway.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { type FaultUpstream, type Misbehaviour, startFaultUpstream } from './fault-upstream.ts';

/** Short enough to wait for, and long enough for a busy machine. */
export const shortLimits = {
  headTimeoutMs: 400,
  bodyTimeoutMs: 400,
  sendTimeoutMs: 800,
  keepAliveMs: 800,
  lingerMs: 3_000,
  lingerQuietMs: 500,
};

export interface FaultService {
  readonly name: string;
  readonly port: number;
  readonly protocol?: string;
  /** More of the service, the route, or the upstream. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly route?: Readonly<Record<string, unknown>>;
  readonly upstream?: Readonly<Record<string, unknown>>;
}

/** A gateway with a neighbour that must not notice what is done to the others. */
export class FaultWorld {
  readonly #gateways: Gateway[] = [];
  readonly #upstreams: FaultUpstream[] = [];
  readonly #servers: Server[] = [];
  port = 0;
  tlsPort = 0;
  adminPort = 0;
  streamPorts: readonly number[] = [];

  async upstream(
    misbehave: Misbehaviour,
    options?: Parameters<typeof startFaultUpstream>[1],
  ): Promise<FaultUpstream> {
    const upstream = await startFaultUpstream(misbehave, options);
    this.#upstreams.push(upstream);
    return upstream;
  }

  async start(services: readonly FaultService[], options: GatewayOptions = {}): Promise<void> {
    const backend = createServer((request, reply) => {
      request.resume();
      request.on('end', () => reply.end('ok'));
    });
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    this.#servers.push(backend);
    const { port } = backend.address() as AddressInfo;
    // Only what the others do may make it wait, never a busy machine.
    const patient = { connect_timeout: 60_000, read_timeout: 60_000 };
    const all = [{ name: 'neighbour', port, more: patient }, ...services];
    const gateway = new Gateway({
      config: configOf(all),
      proxy: [
        { host: '127.0.0.1', port: 0 },
        { host: '127.0.0.1', port: 0, isTls: true },
      ],
      drainMs: 200,
      limits: shortLimits,
      ...options,
    });
    this.#gateways.push(gateway);
    const addresses = await gateway.start();
    this.port = addresses.proxy[0]?.port ?? 0;
    this.tlsPort = addresses.proxy[1]?.port ?? 0;
    this.adminPort = addresses.admin?.port ?? 0;
    this.streamPorts = addresses.streams.map((stream) => stream.port);
  }

  async expectNeighbour(): Promise<void> {
    expect(await this.raw(get('/neighbour'))).toMatch(/^HTTP\/1\.1 200 .*ok$/s);
  }

  /** What a client gets for bytes, until the connection is over. */
  raw(bytes: string | Buffer): Promise<string> {
    return readAll(dial(this.port, bytes));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#gateways.splice(0).map((gateway) => gateway.stop()));
    await Promise.all(this.#upstreams.splice(0).map((upstream) => upstream.close()));
    for (const server of this.#servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

export function dial(port: number, bytes: string | Buffer): Socket {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}

export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('end', () => socket.destroy());
    socket.on('close', () => resolve(text));
  });
}

export const get = (path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n${more}\r\n`;

function configOf(services: readonly FaultService[]): object {
  return {
    _format_version: '3.0',
    services: services.map(({ name, port, protocol = 'http', more, route, upstream }) => ({
      name,
      host: upstream === undefined ? '127.0.0.1' : `${name}.up`,
      port,
      protocol,
      connect_timeout: 500,
      read_timeout: 300,
      write_timeout: 300,
      retries: 2,
      ...more,
      routes: [{ name, paths: [`/${name}`], ...route }],
    })),
    upstreams: services.flatMap(({ name, port, upstream }) =>
      upstream === undefined
        ? []
        : [{ name: `${name}.up`, targets: [{ target: `127.0.0.1:${port}` }], ...upstream }],
    ),
  };
}
