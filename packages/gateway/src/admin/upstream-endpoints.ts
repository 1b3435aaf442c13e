import type { KongUpstream, StoredEntity } from '@waygate/kong';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { TargetState, UpstreamBalancer } from '../balancer/upstream-balancer.ts';
import { nodeId } from '../node-id.ts';
import { type AdminHandler, type AdminResponse, message, notFound, ok } from './admin-message.ts';
import type { Endpoint } from './endpoint-table.ts';
import type { EntityAccess } from './entity-access.ts';

/** `/upstreams/{name}/health` and the overrides of targets' health. */
export function upstreamEndpoints(
  access: EntityAccess,
  balancers: BalancerRegistry,
  publish: () => void,
): Endpoint[] {
  const withUpstream =
    (
      act: (
        upstream: StoredEntity & KongUpstream,
        balancer: UpstreamBalancer | undefined,
        parameters: Readonly<Record<string, string>>,
        query: URLSearchParams,
      ) => AdminResponse | Promise<AdminResponse>,
    ): AdminHandler =>
    (request, parameters) => {
      const upstream = access.store.get('upstreams', parameters.upstreams ?? '');
      if (upstream === undefined) return notFound;
      // An earlier call of the same batch may have made it: its balancer comes with the publication.
      publish();
      return act(
        upstream as StoredEntity & KongUpstream,
        balancers.find(String(upstream.name)),
        parameters,
        request.query,
      );
    };
  const override = (isHealthy: boolean): AdminHandler =>
    withUpstream((upstream, balancer, parameters) => {
      const owner = { field: 'upstream', id: upstream.id };
      const target = access.store.getUnder('targets', owner, parameters.targets ?? '');
      if (target === undefined) return notFound;
      return setHealth(upstream, balancer, target, parameters.address, isHealthy);
    });
  const base = '/upstreams/{upstreams}';
  return [
    {
      pattern: `${base}/health`,
      methods: {
        GET: withUpstream(async (upstream, balancer, _parameters, query) => {
          await balancer?.resolve();
          return query.get('balancer_health') === '1'
            ? ok({ data: balancerHealth(upstream, balancer), next: null, node_id: nodeId })
            : ok({ data: targetsHealth(balancer), next: null, node_id: nodeId });
        }),
      },
    },
    {
      pattern: `${base}/targets/all`,
      methods: {
        GET: withUpstream((upstream) => {
          const owner = { field: 'upstream', id: upstream.id };
          const page = access.store.list('targets', { size: 1_000 }, owner);
          return page.kind === 'error'
            ? { status: page.error.status, body: page.error.body }
            : ok({ data: page.page.data, next: null });
        }),
      },
    },
    { pattern: `${base}/targets/{targets}/healthy`, methods: { PUT: override(true) } },
    { pattern: `${base}/targets/{targets}/unhealthy`, methods: { PUT: override(false) } },
    { pattern: `${base}/targets/{targets}/{address}/healthy`, methods: { PUT: override(true) } },
    { pattern: `${base}/targets/{targets}/{address}/unhealthy`, methods: { PUT: override(false) } },
  ];
}

function setHealth(
  upstream: KongUpstream,
  balancer: UpstreamBalancer | undefined,
  target: StoredEntity,
  address: string | undefined,
  isHealthy: boolean,
): AdminResponse {
  if (balancer === undefined) return message(400, `Upstream ${upstream.name} has no balancer`);
  if (!balancer.hasHealthchecks) return message(400, `no healthchecker found for ${upstream.name}`);
  const state = balancer.states.find((item) => item.target.id === target.id);
  for (const item of state?.addresses ?? []) {
    if (address === undefined || item.authority === address || item.ip === address) {
      balancer.setHealth(item, isHealthy);
    }
  }
  return { status: 204 };
}

/** Newest first, as the targets are listed. */
function targetsHealth(balancer: UpstreamBalancer | undefined): unknown[] {
  const states = [...(balancer?.states ?? [])]
    .reverse()
    .sort((a, b) => (b.target.created_at ?? 0) - (a.target.created_at ?? 0));
  return states.map((state) => {
    const health = balancer?.healthOf(state) ?? 'HEALTHCHECKS_OFF';
    return { ...state.target, health, data: hostData(state, health) };
  });
}

function hostData(state: TargetState, health?: string): object {
  const weights = weightsOf([state]);
  return {
    host: state.host,
    port: state.port,
    dns: state.addresses.length === 0 ? undefined : 'A',
    nodeWeight: state.target.weight ?? 100,
    weight: weights,
    addresses: state.addresses.map((address) => ({
      ip: address.ip,
      port: address.port,
      weight: address.weight,
      ...(health === undefined
        ? { healthy: address.isHealthy }
        : { health: health === 'HEALTHCHECKS_OFF' ? health : wordFor(address.isHealthy) }),
    })),
  };
}

function balancerHealth(
  upstream: StoredEntity & KongUpstream,
  balancer: UpstreamBalancer | undefined,
): object | undefined {
  if (balancer === undefined) return undefined;
  const healthy = balancer.isHealthy;
  return {
    id: upstream.id,
    health: balancer.hasHealthchecks ? wordFor(healthy) : 'HEALTHCHECKS_OFF',
    balancer_health: wordFor(healthy),
    details: {
      healthy,
      weight: weightsOf(balancer.states),
      hosts: balancer.states.map((state) => hostData(state)),
    },
  };
}

function wordFor(isHealthy: boolean): string {
  return isHealthy ? 'HEALTHY' : 'UNHEALTHY';
}

function weightsOf(states: readonly TargetState[]): object {
  let available = 0;
  let unavailable = 0;
  for (const address of states.flatMap((state) => state.addresses)) {
    if (address.isHealthy) {
      available += address.weight;
    } else {
      unavailable += address.weight;
    }
  }
  return { total: available + unavailable, available, unavailable };
}
