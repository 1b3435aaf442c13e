import type {
  ConsumerEntity,
  KongState,
  RouteEntity,
  ServiceEntity,
  UpstreamEntity,
} from '../translate/kong-state.ts';
import { objectFromTags } from '../translate/tags.ts';
import { idOf, type ObjectId } from './object-graph.ts';

/** What a gateway was found to hold, in the form of a declarative configuration. */
export interface HeldConfig {
  readonly services?: readonly ServiceEntity[];
  readonly upstreams?: readonly UpstreamEntity[];
  readonly consumers?: readonly ConsumerEntity[];
}

/**
 * A state in which objects that are held back keep what a gateway holds of them from before we were
 * started. Nobody knows their last good version any more; but the gateway has what became of it.
 */
export function withLastValid(
  state: KongState,
  held: HeldConfig,
  isHeldBack: (id: ObjectId) => boolean,
): KongState {
  const isKept = ({ tags }: { tags?: readonly string[] }): boolean => {
    const object = objectFromTags(tags ?? []);
    if (object === undefined) return false;
    const { group, version, kind, name, namespace } = object;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const id = idOf({ apiVersion, kind, metadata: { namespace, name } });
    return id !== undefined && isHeldBack(id);
  };
  const { services, hosts } = withRoutes(state.services, held.services ?? [], isKept);
  const known = new Set(state.upstreams.map(({ name }) => name));
  const usernames = new Set(state.consumers.map(nameOf));
  return {
    ...state,
    services,
    upstreams: [
      ...state.upstreams,
      ...(held.upstreams ?? []).filter(({ name }) => hosts.has(name) && !known.has(name)),
    ],
    consumers: [
      ...state.consumers,
      ...(held.consumers ?? []).filter((one) => isKept(one) && !usernames.has(nameOf(one))),
    ],
  };
}

function withRoutes(
  current: readonly ServiceEntity[],
  held: readonly ServiceEntity[],
  isKept: (route: RouteEntity) => boolean,
): { readonly services: ServiceEntity[]; readonly hosts: ReadonlySet<string> } {
  const services = new Map(current.map((service) => [service.name, service]));
  const taken = new Set(current.flatMap(({ routes }) => (routes ?? []).map(({ name }) => name)));
  const hosts = new Set<string>();
  for (const service of held) {
    const routes = (service.routes ?? []).filter((one) => isKept(one) && !taken.has(one.name));
    if (routes.length === 0) continue;
    const living = services.get(service.name);
    const kept =
      living === undefined
        ? { ...service, routes }
        : { ...living, routes: [...(living.routes ?? []), ...routes] };
    services.set(service.name, kept);
    hosts.add(service.host);
  }
  return { services: [...services.values()], hosts };
}

function nameOf({ username, custom_id }: ConsumerEntity): string {
  return username ?? custom_id ?? '';
}
