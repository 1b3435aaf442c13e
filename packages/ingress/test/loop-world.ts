import type { RouterFlavor } from '@waygate/kong';
import { FakeClock } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import { expect } from 'vitest';
import { ConfigurationLoop } from '../src/controller/configuration-loop.ts';
import type { GatewaySync } from '../src/sync/gateway-sync.ts';
import type { KongState, ServiceEntity } from '../src/translate/kong-state.ts';
import { resolveOptions } from '../src/translate/options.ts';

const facadeGroup = 'incubator.ingress-controller.konghq.com';

export function made(apiVersion: string, kind: string, name: string, spec: object): KubeObject {
  const metadata = {
    name,
    namespace: 'shop',
    uid: name,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return { apiVersion, kind, metadata, spec } as KubeObject;
}

export function service(name: string): KubeObject {
  return made('v1', 'Service', name, { ports: [{ port: 80 }] });
}

export function withAnnotations(
  object: KubeObject,
  annotations: Record<string, string>,
): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export const toService = (name: string) => ({ service: { name, port: { number: 80 } } });
export const toResource = (kind: string) => ({
  resource: { apiGroup: facadeGroup, kind, name: 'f' },
});

export function ingress(
  name: string,
  paths: Record<string, object>,
  spec: object = {},
): KubeObject {
  const host = `${name}.example.com`;
  const http = {
    paths: Object.entries(paths).map(([path, backend]) => ({ path, pathType: 'Prefix', backend })),
  };
  return made('networking.k8s.io/v1', 'Ingress', name, {
    ingressClassName: 'kong',
    rules: [{ host, http }],
    ...spec,
  });
}

export function nginxIngress(
  name: string,
  paths: Record<string, object>,
  annotations: Record<string, string> = {},
): KubeObject {
  return withAnnotations(ingress(name, paths, { ingressClassName: 'nginx' }), annotations);
}

export function route(kind: string, name: string, spec: object): KubeObject {
  const version = ['HTTPRoute', 'GRPCRoute'].includes(kind) ? 'v1' : 'v1alpha2';
  return made(`gateway.networking.k8s.io/${version}`, kind, name, {
    parentRefs: [{ name: 'gw' }],
    ...spec,
  });
}

export const backendRefs = [{ name: 'web', port: 80 }];
export const badFilters = [
  { type: 'ExtensionRef', extensionRef: { group: 'x', kind: 'Y', name: 'z' } },
];
export const facade = withAnnotations(
  made(`${facadeGroup}/v1alpha1`, 'KongServiceFacade', 'f', {
    backendRef: { name: 'web', port: 80 },
  }),
  { 'kubernetes.io/ingress.class': 'kong' },
);
/** A loop with a gateway that takes everything, and that can be looked at. */
export class World {
  readonly #clock = new FakeClock();
  readonly #stop = new AbortController();
  readonly #isAlwaysFull: boolean;
  readonly #loop: ConfigurationLoop;
  readonly #running: Promise<void>;
  #gateway = new Map<string, ServiceEntity>();
  /** What each plugin is, and what it is on. */
  plugins: readonly string[] = [];
  readonly passes = { full: 0, ofServices: 0 };
  /** What is known to be wrong: all of it after a look at everything, else with what services say. */
  told: readonly string[] = [];

  constructor(isAlwaysFull: boolean, routerFlavor?: RouterFlavor) {
    this.#isAlwaysFull = isAlwaysFull;
    const sync: GatewaySync = {
      protocol: 'deck',
      sync: async ({ state, changedServices }) => {
        const all = state();
        const whole = byName(all);
        this.plugins = all.plugins.map((one) => `${one.name} ${one.route ?? one.service}`);
        if (changedServices === undefined) {
          this.passes.full += 1;
          this.#gateway = whole;
        } else {
          this.passes.ofServices += 1;
          for (const [name, results] of changedServices) {
            this.#gateway.delete(name);
            for (const { service: one } of results) if (one) this.#gateway.set(one.name, one);
          }
          // What a pass says of single services is what it says of the whole.
          expect(sorted(this.#gateway)).toEqual(sorted(whole));
        }
        return { kind: 'applied', writes: 1, bytes: 1 };
      },
      needsFullSync: async () => false,
      forget: () => {},
    };
    this.#loop = new ConfigurationLoop({
      options: resolveOptions({
        features: { kongServiceFacade: true },
        nginx: {},
        ...(routerFlavor && { routerFlavor }),
      }),
      sync,
      clock: this.#clock,
      settleMs: 2,
      maxPauseMs: 3_000,
      resyncCheckMs: 3_600_000,
      isActive: () => true,
      onPass: ({ snapshot, services }) => {
        const problems = snapshot?.problems ?? services.flatMap((one) => one.problems);
        const messages = problems.map(({ object, message }) => `${object.name}: ${message}`);
        this.told = snapshot === undefined ? [...this.told, ...messages] : messages;
      },
      onError: (error) => expect.fail(String(error)),
    });
    this.#running = this.#loop.run(this.#stop.signal);
  }

  async change(type: 'put' | 'delete', ...objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) this.#loop.change({ type, object });
    if (this.#isAlwaysFull) this.#loop.requestFullPass();
    await this.#clock.advance(4_000);
  }

  /** What the gateway has, without order. */
  get config(): readonly ServiceEntity[] {
    return sorted(this.#gateway);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

function byName({ services }: KongState): Map<string, ServiceEntity> {
  return new Map(services.map((one) => [one.name, one]));
}

function sorted(services: ReadonlyMap<string, ServiceEntity>): ServiceEntity[] {
  const routesOf = ({ routes = [] }: ServiceEntity) =>
    [...routes].sort((left, right) => (left.name < right.name ? -1 : 1));
  return [...services.keys()].sort().map((name) => {
    const one = services.get(name)!;
    return { ...one, routes: routesOf(one) };
  });
}
