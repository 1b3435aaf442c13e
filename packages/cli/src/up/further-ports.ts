import type { FurtherListener, RefusedListener } from '@waygate/gateway';
import type { GatewayAddressing, GatewayPort, OpenStreamPorts } from '@waygate/ingress';
import type { GatewayAddressBook } from './gateway-address-book.ts';

/**
 * The ports beside those for requests that the gateway listens on: of Gateways with addresses of their
 * own, and of ingress-nginx' streams. A gateway that is started again opens the same.
 */
export class FurtherPorts {
  /** All of them; one and the same list for as long as the stack runs. */
  readonly all: FurtherListener[] = [];
  readonly #listen: (ports: readonly FurtherListener[]) => Promise<readonly RefusedListener[]>;
  #ofGateways: readonly GatewayPort[] = [];
  #ofStreams: readonly FurtherListener[] = [];

  constructor(listen: (ports: readonly FurtherListener[]) => Promise<readonly RefusedListener[]>) {
    this.#listen = listen;
  }

  /** Gives Gateways addresses of the book, and opens their ports there. */
  addressing(book: GatewayAddressBook): GatewayAddressing {
    return {
      addressOf: (gateway) => book.addressOf(gateway),
      open: async (ports) => {
        this.#ofGateways = ports;
        const refused = await this.#open();
        return refused.filter(({ host, port }) => isAmong(ports, host, port)) as Awaited<
          ReturnType<GatewayAddressing['open']>
        >;
      },
    };
  }

  /** Opens the ports of streams on loopback. */
  readonly openStreams: OpenStreamPorts = async (ports) => {
    this.#ofStreams = ports.map((port) => ({ ...port, host: loopback }));
    const refused = await this.#open();
    return refused.flatMap(({ kind, host, port, code }) =>
      (kind === 'tcp' || kind === 'udp') && isAmong(this.#ofStreams, host, port)
        ? [{ kind, port, code }]
        : [],
    );
  };

  #open(): Promise<readonly RefusedListener[]> {
    this.all.splice(0, Number.POSITIVE_INFINITY, ...this.#ofGateways, ...this.#ofStreams);
    return this.#listen(this.all);
  }
}

const loopback = '127.0.0.1';

function isAmong(
  ports: readonly { readonly host: string; readonly port: number }[],
  host: string,
  port: number,
): boolean {
  return ports.some((one) => one.host === host && one.port === port);
}
