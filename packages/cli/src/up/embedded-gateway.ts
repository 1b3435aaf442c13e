import { fileURLToPath } from 'node:url';
import { portTaken } from './embedded-api.ts';
import type { GatewayOrder, GatewayPorts } from './gateway-process.ts';
import { PartError, PartHost } from './part-host.ts';

export interface EmbeddedGateway {
  readonly ports: GatewayPorts;
  readonly adminUrl: string;
}

export interface EmbeddedGatewayOptions extends GatewayOrder {
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  readonly tell: (line: string) => void;
}

/** The gateway in a process of its own; not yet started. */
export function gatewayHost(options: EmbeddedGatewayOptions): PartHost<GatewayOrder, GatewayPorts> {
  const { directory, token, adminOrigins, env, log, tell } = options;
  return new PartHost({
    name: 'the gateway',
    entry: fileURLToPath(new URL('./gateway-process.js', import.meta.url)),
    order: (ports = options.ports) => ({ directory, ports, token, adminOrigins }),
    env,
    log,
    tell,
  });
}

/** Starts it, and says plainly when a port is taken. */
export async function startGateway(
  host: PartHost<GatewayOrder, GatewayPorts>,
): Promise<EmbeddedGateway> {
  const ports = await host.start().catch((error: Error) => {
    if (!(error instanceof PartError)) throw error;
    const flags = '--http-port, --https-port or --admin-port';
    throw portTaken(error as NodeJS.ErrnoException, 'the gateway', error.port, flags);
  });
  return { ports, adminUrl: `http://127.0.0.1:${ports.admin}` };
}
