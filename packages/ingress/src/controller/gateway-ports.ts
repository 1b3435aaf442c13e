import type { Gateway, GatewayClass, Listener } from '../objects/gateway-api.ts';
import { compareText } from '../objects/reference.ts';
import type { GatewayPlaces, PortState } from '../status/gateway-places.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { clientValidation } from '../translate/gateway/frontend-validation.ts';
import { listenersOf, servedListeners } from '../translate/gateway/gateway-listeners.ts';

/** A port of a Gateway with an address of its own. */
export interface GatewayPort {
  readonly host: string;
  readonly port: number;
  readonly kind: 'http' | 'https' | 'tls' | 'tcp' | 'udp';
  /** Beside requests, streams of TLS are taken by their server names. */
  readonly isShared?: boolean;
  /** Of `https`: PEM of the authorities of clients' certificates. */
  readonly clientCa?: readonly string[];
  /** Whether clients without a right one are let in, too. */
  readonly isClientOptional?: boolean;
}

/** Gives each Gateway an address to itself, and opens the ports of its listeners there. */
export interface GatewayAddressing {
  /** Always the same for a Gateway; undefined when it asks for one that it cannot have. */
  addressOf(gateway: Gateway): string | undefined;
  /** Opens these ports and closes all others; returns those that cannot be opened, and why. */
  open(
    ports: readonly GatewayPort[],
  ): Promise<readonly (GatewayPort & { readonly code: string })[]>;
}

const kinds: Readonly<Record<string, GatewayPort['kind']>> = {
  HTTP: 'http',
  HTTPS: 'https',
  TLS: 'tls',
  TCP: 'tcp',
  UDP: 'udp',
};

/** Has the ports opened that the Gateways ask for, and knows what became of them. */
export class GatewayPorts implements GatewayPlaces {
  readonly #addressing: GatewayAddressing;
  readonly #onChange: () => void;
  readonly #onError: (error: unknown) => void;
  #wanted = '[]';
  /** By what was asked for; those that are not here are on their way. */
  #states = new Map<string, PortState>();

  constructor(
    addressing: GatewayAddressing,
    onChange: () => void,
    onError: (error: unknown) => void,
  ) {
    this.#addressing = addressing;
    this.#onChange = onChange;
    this.#onError = onError;
  }

  addressOf(gateway: Gateway): string | undefined {
    return this.#addressing.addressOf(gateway);
  }

  stateOf(gateway: Gateway, { port, protocol }: Listener): PortState {
    const host = this.addressOf(gateway) ?? '';
    return this.#states.get(keyOf({ host, port, kind: kinds[protocol] ?? 'tcp' })) ?? 'pending';
  }

  /** Looks at what is wanted now; what changed is opened, and told when it is. */
  update(reader: ObjectReader, controllerName: string, now: Date): void {
    const ports = wantedPorts(reader, controllerName, this.#addressing, now);
    const wanted = JSON.stringify(ports);
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#addressing.open(ports).then(
      (refused) => {
        if (this.#wanted !== wanted) return;
        this.#states = new Map(ports.map((port) => [keyOf(port), 'open']));
        for (const port of refused) this.#states.set(keyOf(port), { code: port.code });
        this.#onChange();
      },
      (error: unknown) => {
        // With the next change, or the next look, it is tried again.
        if (this.#wanted === wanted) this.#wanted = '';
        this.#onError(error);
      },
    );
  }
}

/** Streams of TLS that share a port with requests are found under its name, too. */
function keyOf({ host, port, kind }: GatewayPort): string {
  const transport = kind === 'udp' ? 'udp' : 'tcp';
  return `${transport} ${host} ${port}`;
}

function wantedPorts(
  reader: ObjectReader,
  controllerName: string,
  addressing: GatewayAddressing,
  now: Date,
): GatewayPort[] {
  const ports = new Map<string, GatewayPort>();
  for (const gateway of reader.list<Gateway>('Gateway')) {
    const className = gateway.spec?.gatewayClassName ?? '';
    const gatewayClass = reader.get<GatewayClass>('GatewayClass', '', className);
    if (gatewayClass?.spec?.controllerName !== controllerName) continue;
    const host = addressing.addressOf(gateway);
    if (host === undefined) continue;
    for (const listener of servedListeners(listenersOf(reader, gateway))) {
      const { port, protocol } = listener;
      const kind = kinds[protocol];
      const clients = clientValidation(reader, gateway, listener, now);
      // A port whose clients cannot be judged stays closed.
      if (kind === undefined || clients?.authorities.length === 0) continue;
      const judged = clients && {
        clientCa: clients.authorities,
        ...(!clients.isRequired && { isClientOptional: true }),
      };
      const key = keyOf({ host, port, kind });
      const before = ports.get(key);
      // The first listener says what is spoken; one in conflict with it is told so.
      const isShared =
        before !== undefined && before.kind !== kind && isTls(before.kind) && isTls(kind);
      if (before === undefined) ports.set(key, { host, port, kind, ...judged });
      else if (isShared) ports.set(key, { ...before, ...judged, kind: 'https', isShared: true });
    }
  }
  return [...ports.values()].sort((left, right) => compareText(keyOf(left), keyOf(right)));
}

function isTls(kind: GatewayPort['kind']): boolean {
  return kind === 'https' || kind === 'tls';
}
