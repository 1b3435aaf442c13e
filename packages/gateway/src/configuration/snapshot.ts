import type { KongCertificate, KongPlugin, KongRoute, KongService, KongSni } from '@waygate/kong';
import type { PluginDefinition } from '../plugin/plugin.ts';
import { PluginPlan } from '../plugin/plugin-plan.ts';
import { createRouters, type RouterPair } from '../router/create-router.ts';
import type { RouteEntry, RouterFlavor } from '../router/route-match.ts';
import { CertificateIndex } from '../tls/certificate-index.ts';
import { ConsumerIndex } from './consumer-index.ts';
import type { EntitySource } from './entity-source.ts';

/** What a snapshot is made from besides entities. */
export interface SnapshotSettings {
  readonly flavor: RouterFlavor;
  readonly plugins: ReadonlyMap<string, PluginDefinition<unknown>>;
}

interface Part<T> {
  readonly version: string;
  readonly value: T;
}

interface Parts {
  readonly routers: Part<RouterPair>;
  readonly plan: Part<PluginPlan>;
  readonly consumers: Part<ConsumerIndex>;
  readonly certificates: Part<CertificateIndex>;
}

/**
 * A configuration, compiled and never changed again: the proxy swaps one for the next in a single
 * assignment, and requests under way keep the one they started with. Parts whose entities did not
 * change are taken over from the snapshot before.
 */
export class Snapshot {
  readonly flavor: RouterFlavor;
  readonly #source: EntitySource;
  readonly #parts: Parts;

  constructor(source: EntitySource, settings: SnapshotSettings, previous?: Snapshot) {
    this.flavor = settings.flavor;
    this.#source = source;
    const before = previous === undefined ? undefined : previous.#parts;
    this.#parts = {
      routers: this.#part(['routes', 'services'], before?.routers, () =>
        createRouters(settings.flavor, this.#routeEntries()),
      ),
      plan: this.#part(
        ['plugins', 'routes', 'services'],
        before?.plan,
        () => new PluginPlan(this.#list<KongPlugin>('plugins'), settings.plugins),
      ),
      consumers: this.#part(
        consumerCollections,
        before?.consumers,
        () => new ConsumerIndex(source),
      ),
      certificates: this.#part(
        ['certificates', 'snis'],
        before?.certificates,
        () =>
          new CertificateIndex(
            this.#list<KongCertificate>('certificates'),
            this.#list<KongSni>('snis'),
          ),
      ),
    };
  }

  get routers(): RouterPair {
    return this.#parts.routers.value;
  }

  get plan(): PluginPlan {
    return this.#parts.plan.value;
  }

  get consumers(): ConsumerIndex {
    return this.#parts.consumers.value;
  }

  get certificates(): CertificateIndex {
    return this.#parts.certificates.value;
  }

  /** The entity with this id, for the few that are looked up seldom. */
  find<T>(collection: string, id: string | undefined): T | undefined {
    for (const entity of id === undefined ? [] : this.#source.list(collection)) {
      if (entity.id === id) {
        return entity as T;
      }
    }
    return undefined;
  }

  #part<T>(collections: readonly string[], previous: Part<T> | undefined, build: () => T): Part<T> {
    const version = collections.map((name) => this.#source.version(name)).join('.');
    return previous?.version === version ? previous : { version, value: build() };
  }

  #list<T>(collection: string): Iterable<T> {
    return this.#source.list(collection) as Iterable<T>;
  }

  /** Routes of a disabled service do not exist for the router; routes without a service do. */
  #routeEntries(): RouteEntry[] {
    const services = new Map<string, KongService>();
    for (const service of this.#list<KongService>('services')) {
      services.set(service.id ?? '', service);
    }
    const entries: RouteEntry[] = [];
    for (const route of this.#list<KongRoute & { readonly id: string }>('routes')) {
      const service = services.get(route.service?.id ?? '');
      if (service?.enabled !== false) {
        entries.push({ route, service });
      }
    }
    return entries;
  }
}

const consumerCollections = [
  'consumers',
  'keyauth_credentials',
  'basicauth_credentials',
  'hmacauth_credentials',
  'jwt_secrets',
  'oauth2_credentials',
  'oauth2_tokens',
  'acls',
];
