// The process of the embedded gateway: traffic shares its event loop with nothing that a tenant can make
// heavy, such as lists of the Kubernetes API, translation and builds.
import { type FurtherListener, Gateway, type GatewayAddresses } from '@waygate/gateway';
import type { RouterFlavor } from '@waygate/kong';
import { runPart } from './part-process.ts';

export interface GatewayPorts {
  readonly http: number;
  readonly https: number;
  readonly admin: number;
}

export interface GatewayOrder {
  /** Where the database lives. */
  readonly directory: string;
  /** Where the certificate for names without one is kept, from run to run. */
  readonly certificateDirectory: string;
  readonly ports: GatewayPorts;
  /** What the Admin API wants to hear. */
  readonly token: string;
  /** Whose web pages may use the Admin API. */
  readonly adminOrigins: readonly string[];
  readonly flavor: RouterFlavor;
  /** The ports of Gateways with addresses of their own. */
  readonly further: readonly FurtherListener[];
}

const host = '127.0.0.1';

runPart<GatewayOrder, GatewayPorts>(async (order, log) => {
  const { directory, certificateDirectory, ports, token, adminOrigins, flavor, further } = order;
  const tell = (message: string, details?: Readonly<Record<string, unknown>>): void =>
    log(details === undefined ? message : `${message} ${JSON.stringify(details)}`);
  // In database mode a change is one write, and the gateway answers right after a restart, before any
  // controller has said a word.
  const gateway = new Gateway({
    mode: 'database',
    directory,
    certificateDirectory,
    flavor,
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
  await gateway.listenAlso(further);
  return {
    value: portsOf(addresses),
    call: (wanted) => gateway.listenAlso(wanted as FurtherListener[]),
    stop: () => gateway.stop(),
  };
});

function portsOf({ proxy, admin }: GatewayAddresses): GatewayPorts {
  const find = (isTls: boolean): number => proxy.find((each) => each.isTls === isTls)?.port ?? 0;
  return { http: find(false), https: find(true), admin: admin?.port ?? 0 };
}
