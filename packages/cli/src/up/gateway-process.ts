// The process of the embedded gateway: traffic shares its event loop with nothing that a tenant can make
// heavy, such as lists of the Kubernetes API, translation and builds.
import { Gateway, type GatewayAddresses } from '@waygate/gateway';
import { runPart } from './part-process.ts';

export interface GatewayPorts {
  readonly http: number;
  readonly https: number;
  readonly admin: number;
}

export interface GatewayOrder {
  /** Where the database lives. */
  readonly directory: string;
  readonly ports: GatewayPorts;
  /** What the Admin API wants to hear. */
  readonly token: string;
  /** Whose web pages may use the Admin API. */
  readonly adminOrigins: readonly string[];
}

const host = '127.0.0.1';

runPart<GatewayOrder, GatewayPorts>(async ({ directory, ports, token, adminOrigins }, log) => {
  const tell = (message: string, details?: Readonly<Record<string, unknown>>): void =>
    log(details === undefined ? message : `${message} ${JSON.stringify(details)}`);
  // In database mode a change is one write, and the gateway answers right after a restart, before any
  // controller has said a word.
  const gateway = new Gateway({
    mode: 'database',
    directory,
    proxy: [
      { host, port: ports.http },
      { host, port: ports.https, isTls: true },
    ],
    admin: { host, port: ports.admin, token, pages: adminOrigins },
    // The dashboard shows what goes over each route.
    countsRequests: true,
    log: { warn: tell, error: tell },
  });
  const addresses = await gateway.start();
  return { value: portsOf(addresses), stop: () => gateway.stop() };
});

function portsOf({ proxy, admin }: GatewayAddresses): GatewayPorts {
  const find = (isTls: boolean): number => proxy.find((each) => each.isTls === isTls)?.port ?? 0;
  return { http: find(false), https: find(true), admin: admin?.port ?? 0 };
}
