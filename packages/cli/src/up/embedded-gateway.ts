import { Gateway, type GatewayAddresses } from '@waygate/gateway';
import { portTaken } from './embedded-api.ts';

export interface GatewayPorts {
  readonly http: number;
  readonly https: number;
  readonly admin: number;
}

export interface EmbeddedGateway {
  readonly ports: GatewayPorts;
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts the gateway in database mode: a change is one write, and with a directory the gateway
 * answers right after a restart, before any controller has said a word.
 */
export async function startEmbeddedGateway(options: {
  readonly directory: string | undefined;
  readonly ports: GatewayPorts;
  /** What the Admin API wants to hear. */
  readonly token: string;
  /** Whose web pages may use the Admin API. */
  readonly adminOrigins: readonly string[];
  readonly log: (line: string) => void;
}): Promise<EmbeddedGateway> {
  const host = '127.0.0.1';
  const { ports } = options;
  const gateway = new Gateway({
    mode: 'database',
    ...(options.directory === undefined ? {} : { directory: options.directory }),
    proxy: [
      { host, port: ports.http },
      { host, port: ports.https, isTls: true },
    ],
    admin: { host, port: ports.admin, token: options.token, pages: options.adminOrigins },
  });
  const addresses = await gateway.start().catch(async (error: NodeJS.ErrnoException) => {
    await gateway.stop();
    throw portTaken(
      error,
      'the gateway',
      takenPort(error),
      '--http-port, --https-port or --admin-port',
    );
  });
  const chosen = portsOf(addresses);
  return {
    ports: chosen,
    adminUrl: `http://${host}:${chosen.admin}`,
    stop: () => gateway.stop(),
  };
}

function portsOf({ proxy, admin }: GatewayAddresses): GatewayPorts {
  const find = (isTls: boolean): number => proxy.find((each) => each.isTls === isTls)?.port ?? 0;
  return { http: find(false), https: find(true), admin: admin?.port ?? 0 };
}

function takenPort(error: NodeJS.ErrnoException & { port?: number; cause?: unknown }): number {
  const cause = error.cause as { port?: number } | undefined;
  return error.port ?? cause?.port ?? 0;
}
