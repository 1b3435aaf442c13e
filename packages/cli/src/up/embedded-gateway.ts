import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { gatewayEntry } from './early-processes.ts';
import { portTaken } from './embedded-api.ts';
import type { GatewayOrder, GatewayPorts } from './gateway-process.ts';
import { PartError, PartHost } from './part-host.ts';

export interface EmbeddedGateway {
  readonly ports: GatewayPorts;
  readonly adminUrl: string;
}

interface EmbeddedGatewayOptions extends GatewayOrder {
  readonly env: NodeJS.ProcessEnv;
  /** Its first process, which waits for its order. */
  readonly early: ChildProcess | undefined;
  readonly log: (line: string) => void;
  readonly tell: (line: string) => void;
}

/** The gateway in a process of its own; not yet started. */
export function gatewayHost(options: EmbeddedGatewayOptions): PartHost<GatewayOrder, GatewayPorts> {
  const { directory, certificateDirectory, token, adminOrigins, flavor, env, early, log, tell } =
    options;
  return new PartHost({
    name: 'the gateway',
    entry: gatewayEntry,
    early,
    order: (ports = options.ports) => ({
      directory,
      certificateDirectory,
      ports,
      token,
      adminOrigins,
      flavor,
      further: options.further,
    }),
    env,
    log,
    tell,
  });
}

/** How long the gateway of a run that was killed may take to notice. */
const orphanMs = 5_000;

/**
 * The state directory is ours: whoever holds the gateway's part of it belonged to a run that was killed,
 * and is about to end.
 */
async function startFree(host: PartHost<GatewayOrder, GatewayPorts>): Promise<GatewayPorts> {
  const deadline = performance.now() + orphanMs;
  for (;;) {
    try {
      return await host.start();
    } catch (error) {
      const isLocked = error instanceof PartError && error.code === 'WG_STORAGE_LOCKED';
      if (!isLocked || performance.now() > deadline) throw error;
      await setTimeout(50);
    }
  }
}

/** Starts it, and says plainly when a port is taken. */
export async function startGateway(
  host: PartHost<GatewayOrder, GatewayPorts>,
): Promise<EmbeddedGateway> {
  const ports = await startFree(host).catch((error: Error) => {
    if (!(error instanceof PartError)) throw error;
    const flags = '--http-port, --https-port or --admin-port';
    throw portTaken(error as NodeJS.ErrnoException, 'the gateway', error.port, flags);
  });
  return { ports, adminUrl: `http://127.0.0.1:${ports.admin}` };
}
