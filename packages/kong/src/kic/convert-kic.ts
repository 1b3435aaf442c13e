import { withSortedKeys } from '@waygate/text';
import { copyState, isStateObject, type StateObject } from '../rewrite/state-document.ts';
import {
  classAnnotation,
  fieldAnnotations,
  type KicTarget,
  kongApi,
  kongBetaApi,
  type Manifest,
  manifest,
  textField,
} from './manifest.ts';
import { nameOf, PluginPlaces, pluginManifest, pluginsAnnotation } from './plugin-manifests.ts';
import { routeManifest } from './route-manifest.ts';
import { certificateSecret, credentialSecrets } from './secret-manifests.ts';
import { serviceManifests } from './service-manifest.ts';

/** The kinds in the order in which they are printed. */
const kindOrder = [
  ...['KongIngress', 'KongPlugin', 'KongClusterPlugin', 'Ingress', 'HTTPRoute'],
  ...['KongUpstreamPolicy', 'Service', 'Secret', 'KongConsumer', 'KongConsumerGroup'],
];

export interface KicManifests {
  readonly manifests: readonly Manifest[];
  /** What could not be said in manifests, or is not in force as they stand. */
  readonly warnings: readonly string[];
}

type Owner = 'service' | 'route' | 'consumer' | 'consumer_group';

/** Reads a declarative file as data, and makes manifests of its entities. */
class KicConverter {
  readonly #target: KicTarget;
  readonly #config: StateObject;
  readonly #plugins: PluginPlaces;
  readonly #made: Manifest[] = [];
  readonly #warnings: string[] = [];

  constructor(config: StateObject, target: KicTarget) {
    this.#config = copyState(config);
    this.#target = target;
    this.#plugins = new PluginPlaces(target);
  }

  convert(): KicManifests {
    this.#nestRoutes();
    const global = this.#nestPlugins();
    const upstreams = this.#list('upstreams');
    for (const service of this.#named('services', 'name')) this.#service(service, upstreams);
    for (const plugin of global) this.#globalPlugin(plugin);
    const groups = this.#groupsOfConsumers();
    for (const consumer of this.#named('consumers', 'username')) this.#consumer(consumer, groups);
    for (const group of this.#named('consumer_groups', 'name')) this.#group(group);
    for (const certificate of this.#list('ca_certificates')) this.#certificate('ca', certificate);
    for (const certificate of this.#list('certificates')) {
      this.#certificate('certificate', certificate);
    }
    for (const collection of ['vaults', 'keys', 'key_sets', 'snis', 'targets']) {
      const count = this.#list(collection).length;
      if (count > 0) this.#warn(`${collection}: ${count} left out, as no manifest says them`);
    }
    const all = [...this.#plugins.manifests, ...this.#made];
    const rank = ({ kind }: Manifest): number => kindOrder.indexOf(kind);
    return {
      manifests: all.sort((one, two) => rank(one) - rank(two)),
      warnings: this.#warnings,
    };
  }

  #warn(message: string): void {
    this.#warnings.push(message);
  }

  #list(field: string, owner = this.#config): StateObject[] {
    const value = owner[field];
    return Array.isArray(value) ? value.filter(isStateObject) : [];
  }

  /** The entities of a collection that have names; others have no name in Kubernetes either. */
  #named(collection: string, field: string): StateObject[] {
    return this.#list(collection).filter((entity) => {
      const isNamed = textField(entity, field) !== undefined;
      if (!isNamed) this.#warn(`${collection}: one without a ${field} is left out; name it first`);
      return isNamed;
    });
  }

  /** Routes at the top of a file go to the service that they name. */
  #nestRoutes(): void {
    for (const route of this.#list('routes')) {
      const service = this.#find('service', route.service);
      if (service === undefined) {
        this.#warn(`route ${this.#label(route)} has no service, and is left out`);
      } else service.routes = [...this.#list('routes', service), route];
    }
  }

  /** Plugins at the top of a file go to what they are on; those on nothing are left. */
  #nestPlugins(): StateObject[] {
    const owners: readonly Owner[] = ['service', 'route', 'consumer', 'consumer_group'];
    return this.#list('plugins').filter((plugin) => {
      const named = owners.filter((owner) => plugin[owner] !== undefined && plugin[owner] !== null);
      if (named.length === 0) return true;
      const found = named.map((owner) => this.#find(owner, plugin[owner]));
      const entities = found.filter((entity) => entity !== undefined);
      if (entities.length < named.length) {
        this.#warn(
          `plugin ${String(plugin.name)} is on what the file does not have, and is left out`,
        );
        return false;
      }
      const [only] = entities;
      if (only !== undefined && entities.length === 1) {
        only.plugins = [...this.#list('plugins', only), plugin];
        return false;
      }
      // A plugin that several objects name is in force where all of them are.
      const name = this.#plugins.add(
        [...entities.map((entity) => this.#label(entity)), String(plugin.name)].join('-'),
        plugin,
      );
      for (const entity of entities) this.#plugins.place(entity, name);
      return false;
    });
  }

  #label(entity: StateObject): string {
    return String(entity.name ?? entity.username ?? entity.id ?? '');
  }

  #find(owner: Owner, reference: StateObject[string]): StateObject | undefined {
    const keys = isStateObject(reference)
      ? [reference.name, reference.username, reference.id]
      : [reference];
    const wanted = new Set(keys.filter((key) => typeof key === 'string'));
    const services = this.#list('services');
    const entities = {
      service: services,
      route: services.flatMap((service) => this.#list('routes', service)),
      consumer: this.#list('consumers'),
      consumer_group: this.#list('consumer_groups'),
    }[owner];
    return entities.find((entity) =>
      [entity.name, entity.username, entity.id].some(
        (key) => typeof key === 'string' && wanted.has(key),
      ),
    );
  }

  #service(service: StateObject, upstreams: readonly StateObject[]): void {
    const name = String(service.name);
    const plugins = this.#plugins.of(service, name);
    const made = serviceManifests(this.#target, service, upstreams, plugins);
    this.#made.push(made.service, ...(made.upstream === undefined ? [] : [made.upstream]));
    for (const route of this.#list('routes', service)) {
      if (textField(route, 'name') === undefined) {
        this.#warn(`service ${name}: a route without a name is left out; name it first`);
        continue;
      }
      for (const field of ['sources', 'destinations', 'expression']) {
        if (route[field] !== undefined && route[field] !== null) {
          this.#warn(`route ${String(route.name)}: ${field} cannot be said in a manifest`);
        }
      }
      const names = this.#plugins.of(route, `${name}-${String(route.name)}`);
      this.#made.push(routeManifest(this.#target, { service, route, plugins: names }));
    }
  }

  #globalPlugin(plugin: StateObject): void {
    const name = textField(plugin, 'name');
    if (name === undefined) return;
    this.#made.push(pluginManifest(this.#target, 'KongClusterPlugin', name, plugin));
    this.#warn(
      `KongClusterPlugin ${name} is on nothing yet: label it global="true", or name it in annotations`,
    );
  }

  /** The groups that consumers are in, which the members of groups say as well. */
  #groupsOfConsumers(): ReadonlyMap<string, readonly string[]> {
    const groups = new Map<string, string[]>();
    const add = (consumer: StateObject[string], group: StateObject[string]): void => {
      if (typeof consumer !== 'string' || typeof group !== 'string') return;
      const list = groups.get(consumer) ?? [];
      if (!list.includes(group)) groups.set(consumer, [...list, group]);
    };
    for (const group of this.#list('consumer_groups')) {
      for (const member of this.#list('consumers', group)) add(member.username, group.name);
    }
    for (const consumer of this.#list('consumers')) {
      for (const group of this.#list('groups', consumer)) add(consumer.username, group.name);
    }
    return groups;
  }

  #consumer(consumer: StateObject, groups: ReadonlyMap<string, readonly string[]>): void {
    const name = String(consumer.username);
    const secrets = credentialSecrets(this.#target, consumer);
    const { custom_id: customId } = consumer;
    const inGroups = groups.get(name) ?? [];
    const plugins = this.#plugins.of(consumer, name);
    this.#made.push(
      ...secrets,
      manifest(kongApi, 'KongConsumer', name, {
        annotations: {
          ...fieldAnnotations(consumer, ['tags']),
          ...pluginsAnnotation(plugins),
          ...classAnnotation(this.#target),
        },
        body: {
          username: name,
          ...(typeof customId === 'string' ? { custom_id: customId } : {}),
          ...(secrets.length === 0 ? {} : { credentials: secrets.map(nameOf) }),
          ...(inGroups.length === 0 ? {} : { consumerGroups: [...inGroups] }),
        },
      }),
    );
  }

  #group(group: StateObject): void {
    const name = String(group.name);
    const plugins = this.#plugins.of(group, name);
    this.#made.push(
      manifest(kongBetaApi, 'KongConsumerGroup', name, {
        annotations: {
          ...fieldAnnotations(group, ['tags']),
          ...pluginsAnnotation(plugins),
          ...classAnnotation(this.#target),
        },
        body: {},
      }),
    );
  }

  #certificate(kind: 'certificate' | 'ca', certificate: StateObject): void {
    const made = certificateSecret(this.#target, kind, certificate);
    if (made === undefined) {
      this.#warn(
        `a certificate without ${kind === 'ca' ? 'its text' : 'text and key'} is left out`,
      );
      return;
    }
    this.#made.push(made);
    if (kind === 'certificate') {
      this.#warn(`Secret ${nameOf(made)} is used by nobody yet: name it in spec.tls or a listener`);
    }
  }
}

/**
 * Manifests for Kong Ingress Controller that say what a declarative file says.
 *
 * ```ts
 * const file = { services: [{ name: 'shop', host: 'shop.test', port: 80, routes: [] }] };
 * const target = { className: 'kong', version: 3, api: 'gateway' } as const;
 * convertToKic(file, target).manifests.map(({ kind }) => kind); // ['Service']
 * ```
 */
export function convertToKic(config: StateObject, target: KicTarget): KicManifests {
  return new KicConverter(config, target).convert();
}

/** Manifests as a stream of JSON, as decK writes it. */
export function writeKicJson(manifests: readonly Manifest[]): string {
  return manifests
    .map((one) =>
      JSON.stringify(withSortedKeys(one), undefined, 4).replace(
        /[<>&\u2028\u2029]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    )
    .join('');
}
