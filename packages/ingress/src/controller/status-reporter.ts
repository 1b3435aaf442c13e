import type { KubeClient } from '@waygate/kube';
import type { Clock } from '@waygate/runtime';
import type { LoadBalancerIngress } from '../objects/ingress.ts';
import { routeKinds } from '../objects/kind-id.ts';
import { type AddressSettings, AddressSource } from '../status/address-source.ts';
import { backendTlsPolicyStatuses } from '../status/backend-tls-policy-status.ts';
import { replicasOf } from '../status/node-addresses.ts';
import type { StatusPatch, StatusWriter } from '../status/status-writer.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import type { PassReport } from '../sync/pass-report.ts';
import type { ConfigurationLoop } from './configuration-loop.ts';
import { type GatewayAddressing, GatewayPorts } from './gateway-ports.ts';
import { upstreamPolicyPatches } from './policy-users.ts';
import {
  addressPatches,
  gatewayApiPatches,
  hasConditions,
  knativePatches,
  licensePatches,
  liveObjects,
  programmedPatches,
  withdrawalPatches,
} from './status-reports.ts';

interface StatusReporterOptions extends AddressSettings {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly writer: StatusWriter;
  readonly loop: ConfigurationLoop;
  readonly gatewayAddressing?: GatewayAddressing | undefined;
  readonly onError: (error: unknown) => void;
}

/** What statuses follow from beside the configuration, by its name among what follows from objects. */
const statusInputs = 'status inputs';

/** How long the end of the program may wait for statuses to be cleared. */
const withdrawalMs = 5_000;

/** Says on objects what became of them: after each pass on those that it was about. */
export class StatusReporter {
  readonly #options: StatusReporterOptions;
  readonly #addresses: AddressSource;
  /** Only where Gateways have addresses of their own. */
  readonly #ports: GatewayPorts | undefined;
  #published = '';

  constructor(options: StatusReporterOptions) {
    this.#options = options;
    this.#addresses = new AddressSource(options);
    const { gatewayAddressing, loop, onError } = options;
    this.#ports =
      gatewayAddressing &&
      new GatewayPorts(gatewayAddressing, () => loop.requestFullPass(), onError);
  }

  report({ outcome, snapshot: whole, services, changed, removed }: PassReport): void {
    if (outcome.kind !== 'applied' && outcome.kind !== 'unchanged') return;
    const { loop, writer, clock, publishService = '' } = this.#options;
    const addresses = this.#addresses.addresses(loop.objects);
    // New addresses are news for every object, whatever this pass was about.
    const published = JSON.stringify(addresses);
    const isStale = loop.isStale(statusInputs);
    const isWide =
      isStale || published !== this.#published || [...changed, ...removed].some(hasConditions);
    const snapshot = whole ?? (isWide ? loop.snapshot() : undefined);
    this.#published = published;
    const translated =
      snapshot?.translated ?? new Set(services.flatMap((one) => [...one.translated]));
    const problems = [
      ...(snapshot?.problems ?? services.flatMap((one) => [...one.problems])),
      ...loop.refused(),
    ];
    const live = liveObjects(translated);
    const now = new Date(clock.now());
    const latest = [...translated].map((object) => loop.current(object));
    const objects = snapshot === undefined ? latest : [...loop.clusterObjects()];
    writer.write(addressPatches(latest, addresses));
    writer.write(knativePatches(latest, publishService, loop.options.clusterDomain, now));
    writer.write(
      programmedPatches(
        objects,
        live,
        problems.map(({ object }) => object),
        now,
      ),
    );
    const { gatewayControllerName: controllerName } = loop.options;
    if (snapshot !== undefined) this.#ports?.update(loop.objects, controllerName, now);
    const made = (reader: ObjectReader): StatusPatch[] => [
      ...gatewayApiPatches({
        reader,
        controllerName,
        objects: snapshot === undefined ? latest : routeKinds.flatMap((kind) => reader.list(kind)),
        live,
        problems,
        addresses: unique([...addresses.tcp, ...addresses.udp]),
        concernsGateways: snapshot !== undefined,
        places: this.#ports,
        isExpressions: loop.options.isExpressions,
        hasOwnPlugins: loop.options.features.httpRoutePlugins,
        now,
      }),
      ...(snapshot === undefined ? [] : upstreamPolicyPatches(reader, controllerName, live, now)),
      ...(snapshot !== undefined && loop.options.features.httpRoutePlugins
        ? backendTlsPolicyStatuses(reader, controllerName, now)
        : []),
    ];
    // Grants, labels of namespaces, Secrets, Services: what is looked at for all of them is noted.
    writer.write(isStale ? loop.derived(statusInputs, made) : made(loop.objects));
    if (snapshot === undefined) return;
    writer.write(licensePatches(loop.objects, snapshot.state.licenses, now));
  }

  /** Follows the addresses of nodes, if they are what statuses show. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, loop, onError } = this.#options;
    const onChange = () => loop.requestFullPass();
    await this.#addresses.run(client, clock, signal, onChange, onError);
  }

  /** Takes our addresses out of all statuses, unless another replica goes on to serve them. */
  async withdraw(): Promise<void> {
    const { client, clock, loop, writer, pod, onError } = this.#options;
    const deadline = new AbortController();
    const ended = new AbortController();
    const expire = clock.sleep(withdrawalMs, ended.signal).then(() => deadline.abort());
    try {
      const replicas = pod && (await replicasOf(client, pod, deadline.signal));
      if (replicas !== undefined && replicas.count > 1) return;
      const addresses = this.#addresses.addresses(loop.objects);
      writer.write(withdrawalPatches(loop.clusterObjects(), addresses));
      await writer.idle(deadline.signal);
    } catch (error) {
      onError(error);
    } finally {
      ended.abort();
      await expire;
    }
  }
}

function unique(addresses: readonly LoadBalancerIngress[]): LoadBalancerIngress[] {
  return [...new Map(addresses.map((one) => [JSON.stringify(one), one])).values()];
}
