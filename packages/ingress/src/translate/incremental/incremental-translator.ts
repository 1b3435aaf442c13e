import type { KubeObject } from '@waygate/schema';
import type { Ingress } from '../../objects/ingress.ts';
import { type KindId, kindIdOf } from '../../objects/kind-id.ts';
import type { KongConsumerResource } from '../../objects/kong-resources.ts';
import { keyOf } from '../../objects/reference.ts';
import { DependencyIndex } from '../../store/dependency-index.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { ObjectStore, type ReadKey } from '../../store/object-store.ts';
import { TrackingReader } from '../../store/tracking-reader.ts';
import type { CertificateClaim, CertificatesResult } from '../certificates.ts';
import { buildCertificates } from '../certificates.ts';
import { buildConsumer, buildConsumerGroup } from '../consumers.ts';
import type { MatchOrder } from '../gateway/match-order.ts';
import { defaultBackendClaim } from '../ingress-rules.ts';
import { buildService, type ServiceResult } from '../kong-service.ts';
import type { KongState, PluginEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import type { PluginUse } from '../plugin-use.ts';
import { buildPlugins } from '../plugins.ts';
import { type Problem, ProblemList } from '../problem.ts';
import { buildRules, effectiveObject, type RuleResult } from '../route-rules.ts';
import type { Family, ServiceClaim } from '../service-claim.ts';
import { ClaimIndex } from './claim-index.ts';
import type { ClusterTranslator, ObjectChange, TranslationChanges } from './cluster-translator.ts';
import { ConsumerTable } from './consumer-table.ts';
import { GlobalEntities, type GlobalPart } from './global-entities.ts';
import { PluginUseIndex } from './plugin-use-index.ts';
import { RouteOrder } from './route-order.ts';
import { ServiceTable } from './service-table.ts';
import {
  type Snapshot,
  type StateBesideServices,
  snapshotOf,
  stateBesideServices,
  type Units,
  wholeState,
} from './snapshot.ts';
import { compareClaims, type Incumbents } from './unique-claims.ts';
import { nameOfUnit, type Unit, unitOf } from './unit.ts';

export interface PluginResult {
  readonly entities: readonly PluginEntity[];
  readonly problems: readonly Problem[];
  readonly translated: readonly KubeObject[];
  readonly unmet: readonly PluginUse[];
}

/** A unit's outcome with the problems that it met. */
export interface Reported<Result> {
  readonly result: Result | undefined;
  readonly problems: readonly Problem[];
}

/**
 * Translates a cluster and keeps the translation true while the cluster changes. The configuration is
 * made of units (the rules of one object, one Kong service, one consumer, one plugin, …). While a
 * unit is made, every look-up is noted; when an object changes, only units that looked at it are made
 * again, and then those that build on them. The outcome is that of a translation from nothing.
 *
 * @example
 * const translator = new IncrementalTranslator(resolveOptions());
 * translator.apply(objects.map((object) => ({ type: 'put', object })));
 * translator.snapshot().state.services;
 */
export class IncrementalTranslator implements ClusterTranslator {
  readonly #options: ResolvedOptions;
  readonly #store = new ObjectStore();
  readonly #dependencies = new DependencyIndex<Unit>();
  readonly #dirty = new Set<Unit>();

  readonly #rules = new Map<string, RuleResult>();
  readonly #claims = new ClaimIndex();
  readonly #defaultBackends = new Map<string, Ingress>();
  #defaultBackendProblems: readonly Problem[] = [];
  readonly #order = new RouteOrder();
  readonly #services = new ServiceTable();
  #missing = new Set<ReadKey>();
  #changes: { services: Set<string>; isServicesOnly: boolean } = {
    services: new Set(),
    isServicesOnly: true,
  };
  readonly #consumers = new ConsumerTable();
  readonly #uses = new PluginUseIndex();
  readonly #plugins = new Map<string, PluginResult>();
  readonly #globals = new GlobalEntities();
  #certificates: Reported<CertificatesResult> = { result: undefined, problems: [] };
  readonly #derived = new Map<string, unknown>();
  #incumbents: Incumbents | undefined;
  /** Kept for as long as only services change. */
  #rest: StateBesideServices | undefined;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#dirty.add('certificates').add('default backend');
    for (const part of GlobalEntities.parts) this.#dirty.add(part);
  }

  get objects(): ObjectStore {
    return this.#store;
  }

  servicesNamed(name: string): readonly ServiceResult[] {
    return this.#services.named(name);
  }

  isHostShared(host: string): boolean {
    return this.#services.isHostShared(host);
  }

  isRead(key: ReadKey): boolean {
    return this.#dependencies.isRead(key);
  }

  setIncumbents(incumbents: Incumbents): void {
    this.#incumbents = incumbents;
    for (const unit of this.#consumers.setIncumbents(incumbents)) this.#dirty.add(unit as Unit);
    for (const name of this.#services.setIncumbents(incumbents)) this.#dirty.add(`service ${name}`);
    this.#dirty.add('certificates').add('default backend');
  }

  takeMissing(): ReadonlySet<ReadKey> {
    const missing = this.#missing;
    if (missing.size > 0) this.#missing = new Set();
    return missing;
  }

  takeChanges(): TranslationChanges {
    const changes = this.#changes;
    this.#changes = { services: new Set(), isServicesOnly: true };
    return changes;
  }

  apply(changes: Iterable<ObjectChange>): void {
    for (const { type, object } of changes) {
      const kind = kindIdOf(object);
      if (kind === undefined) continue;
      const touched = type === 'put' ? this.#store.put(object) : this.#store.delete(object);
      if (touched.length === 0) continue;
      const unit = unitOf(kind, object);
      if (unit !== undefined) this.#dirty.add(unit);
      for (const key of touched) this.#touch(key);
    }
  }

  snapshot(): Snapshot {
    this.settle();
    return snapshotOf(this.#units());
  }

  state(): KongState {
    this.settle();
    const units = this.#units();
    this.#rest ??= stateBesideServices(units);
    return wholeState(units, this.#rest);
  }

  isStale(name: string): boolean {
    return !this.#derived.has(name) || this.#dirty.has(`derived ${name}`);
  }

  derived<Result>(name: string, make: (reader: ObjectReader) => Result): Result {
    const unit: Unit = `derived ${name}`;
    if (!this.#derived.has(name) || this.#dirty.has(unit)) {
      this.#dirty.delete(unit);
      this.#derived.set(name, this.#tracked(unit, make));
    }
    return this.#derived.get(name) as Result;
  }

  #units(): Units {
    return {
      options: this.#options,
      rules: this.#rules,
      services: this.#services,
      consumers: this.#consumers,
      plugins: this.#plugins,
      globals: this.#globals,
      certificates: this.#certificates,
      defaultBackendProblems: this.#defaultBackendProblems,
    };
  }

  /** Remakes what changed, in the order in which units build on each other; returns how many. */
  settle(): number {
    let made = 0;
    const run = (prefix: string, make: (unit: Unit) => void) => {
      for (const unit of [...this.#dirty]) {
        if (!unit.startsWith(prefix)) continue;
        this.#dirty.delete(unit);
        make(unit);
        made += 1;
        if (prefix !== 'rules ' && prefix !== 'service ') {
          this.#changes.isServicesOnly = false;
          this.#rest = undefined;
        }
      }
    };
    if (this.#options.isExpressions) this.#reorder();
    run('rules ', (unit) => this.#makeRules(unit, nameOfUnit(unit)));
    run('default backend', (unit) => this.#makeDefaultBackend(unit));
    run('service ', (unit) => this.#makeService(unit, nameOfUnit(unit)));
    run('group ', (unit) => this.#makeGroup(unit, nameOfUnit(unit)));
    run('consumer ', (unit) => this.#makeConsumer(unit, nameOfUnit(unit)));
    run('plugin ', (unit) => this.#makePlugin(unit, nameOfUnit(unit)));
    run('certificates', (unit) => this.#makeCertificates(unit));
    for (const part of GlobalEntities.parts) run(part, (unit) => this.#makeGlobal(unit, part));
    return made;
  }

  #touch(key: ReadKey): void {
    for (const unit of this.#dependencies.readersOf(key)) this.#dirty.add(unit);
  }

  #tracked<T>(unit: Unit, make: (reader: TrackingReader) => T): T {
    const reader = new TrackingReader(this.#store);
    const result = make(reader);
    this.#dependencies.record(unit, reader.reads);
    for (const key of reader.misses) this.#missing.add(key);
    return result;
  }

  #priorityReader(order: MatchOrder, reader: TrackingReader): (id: string) => number {
    return (id) => {
      reader.dependOn(`priority ${id}`);
      return order.priorityOf(id);
    };
  }

  /** The order among all routes of a kind comes first: priorities of other routes may follow from it. */
  #reorder(): void {
    for (const unit of [...this.#dirty]) {
      if (!unit.startsWith('rules ')) continue;
      const id = nameOfUnit(unit);
      const object = this.#objectOf(id);
      const family = id.slice(0, id.indexOf(' ')) as Family;
      const effective = object && effectiveObject(family, object, this.#store, this.#options);
      for (const moved of this.#order.update(id, effective)) this.#touch(`priority ${moved}`);
    }
  }

  #objectOf(id: string): KubeObject | undefined {
    const space = id.indexOf(' ');
    const key = id.slice(space + 1);
    const slash = key.indexOf('/');
    const namespace = slash < 0 ? '' : key.slice(0, slash);
    return this.#store.get(id.slice(0, space) as KindId, namespace, key.slice(slash + 1));
  }

  #makeRules(unit: Unit, id: string): void {
    const object = this.#objectOf(id);
    const family = id.slice(0, id.indexOf(' ')) as Family;
    const before = this.#rules.get(id);
    let result: RuleResult | undefined;
    if (object === undefined) {
      this.#rules.delete(id);
      this.#dependencies.remove(unit);
    } else {
      result = this.#tracked(unit, (reader) =>
        buildRules(
          family,
          object,
          reader,
          this.#options,
          this.#priorityReader(this.#order.grpc, reader),
        ),
      );
      this.#rules.set(id, result);
    }
    for (const name of this.#claims.set(id, result?.claims ?? []))
      this.#dirty.add(`service ${name}`);
    if ((before?.certificates.length ?? 0) + (result?.certificates.length ?? 0) > 0)
      this.#dirty.add('certificates');
    if (before?.hasDefaultBackend || result?.hasDefaultBackend) {
      if (result?.hasDefaultBackend) this.#defaultBackends.set(id, object as Ingress);
      else this.#defaultBackends.delete(id);
      this.#dirty.add('default backend');
    }
  }

  #makeDefaultBackend(unit: Unit): void {
    const [oldest, ...others] = [...this.#defaultBackends.values()]
      .map((ingress) => ({
        index: 'default backend',
        value: '',
        objects: [ingress] as const,
        holder: keyOf(ingress),
      }))
      .sort((left, right) => compareClaims(left, right, this.#incumbents))
      .map(({ objects }) => objects[0]);
    const problems = new ProblemList();
    for (const other of others)
      if (other.metadata.namespace !== oldest?.metadata.namespace)
        problems.addConflict(`Ingress ${keyOf(oldest!)} has the default backend`, other);
    let claims: ServiceClaim[] = [];
    if (oldest !== undefined) {
      const claim = this.#tracked(unit, (reader) =>
        defaultBackendClaim(oldest, reader, this.#options, problems),
      );
      claims = claim === undefined ? [] : [claim];
    }
    this.#defaultBackendProblems = problems.items;
    for (const name of this.#claims.set('default backend', claims))
      this.#dirty.add(`service ${name}`);
  }

  #makeService(unit: Unit, name: string): void {
    const results: ServiceResult[] = [];
    const byFamily = this.#claims.of(name);
    if (byFamily.length === 0) this.#dependencies.remove(unit);
    else {
      this.#tracked(unit, (reader) => {
        const context = {
          options: this.#options,
          reader,
          priorityOf: this.#priorityReader(this.#order.http, reader),
        };
        for (const [family, claims] of byFamily) {
          // HTTP and TCP rules on one port would share a name: the later family's gets a suffix.
          const suffix = results.length === 0 ? '' : `.${suffixOf(family)}`;
          results.push(buildService(name + suffix, claims, context));
        }
      });
    }
    for (const [changed, change] of this.#services.set(name, results)) {
      this.#changes.services.add(changed);
      if (change.hasOtherCertificates) this.#dirty.add('certificates');
      const uses = change.results.flatMap(({ pluginUses }) => pluginUses);
      this.#setUses(`service ${changed}`, uses);
    }
  }

  #setUses(unit: string, uses: Parameters<PluginUseIndex['set']>[1]): void {
    for (const plugin of this.#uses.set(unit, uses)) {
      this.#dirty.add(`plugin ${plugin}`);
      this.#touch(`uses of plugin ${plugin}`);
      this.#touch(`uses of plugin *:${plugin.slice(plugin.indexOf(':') + 1)}`);
    }
  }

  #makeConsumer(unit: Unit, key: string): void {
    const object = this.#objectOf(`KongConsumer ${key}`) as KongConsumerResource | undefined;
    const made = this.#makeReported(unit, object, (source, reader, problems) => {
      const isGroupInForce = (namespace: string, name: string) => {
        reader.dependOn(`owner of group ${name}`);
        return this.#consumers.isGroupInForce(namespace, name);
      };
      return buildConsumer(source, reader, this.#options, isGroupInForce, problems);
    });
    for (const [user, uses] of this.#consumers.set(key, made)) this.#setUses(user, uses);
  }

  #makeGroup(unit: Unit, key: string): void {
    const made = this.#makeReported(
      unit,
      this.#objectOf(`KongConsumerGroup ${key}`),
      (source, reader, problems) => buildConsumerGroup(source, reader, this.#options, problems),
    );
    const { uses: changed, names } = this.#consumers.setGroup(key, made);
    for (const [user, uses] of changed) this.#setUses(user, uses);
    for (const name of names) this.#touch(`owner of group ${name}`);
  }

  #makeReported<Source extends KubeObject, Result>(
    unit: Unit,
    source: Source | undefined,
    make: (source: Source, reader: TrackingReader, problems: ProblemList) => Result | undefined,
  ): Reported<Result> | undefined {
    if (source === undefined) {
      this.#dependencies.remove(unit);
      return undefined;
    }
    const problems = new ProblemList();
    const result = this.#tracked(unit, (reader) => make(source, reader, problems));
    return { result, problems: problems.items };
  }

  #makePlugin(unit: Unit, key: string): void {
    const uses = this.#uses.usesOf(key);
    if (uses.length === 0) {
      this.#plugins.delete(key);
      this.#dependencies.remove(unit);
      return;
    }
    const problems = new ProblemList();
    const { entities, source, unmet } = this.#tracked(unit, (reader) =>
      buildPlugins(key, uses, reader, this.#options, problems),
    );
    const translated = source === undefined || entities.length === 0 ? [] : [source];
    this.#plugins.set(key, { entities, problems: problems.items, translated, unmet });
  }

  #makeCertificates(unit: Unit): void {
    const problems = new ProblemList();
    const result = this.#tracked(unit, (reader) =>
      buildCertificates(
        this.#certificateClaims(),
        reader,
        this.#options,
        problems,
        this.#incumbents,
      ),
    );
    this.#certificates = { result, problems: problems.items };
  }

  #certificateClaims(): CertificateClaim[] {
    const claims: CertificateClaim[] = [];
    for (const { certificates } of this.#rules.values()) claims.push(...certificates);
    return [...claims, ...this.#services.clientCertificateClaims()];
  }

  #makeGlobal(unit: Unit, part: GlobalPart): void {
    this.#tracked(unit, (reader) => {
      this.#globals.make(part, reader, this.#options, {
        usesOf: (plugin) => {
          reader.dependOn(`uses of plugin ${plugin}`);
          return plugin.startsWith('*:')
            ? this.#uses.usesOfName(plugin.slice(2))
            : this.#uses.usesOf(plugin);
        },
        serviceOfRoute: (route) => this.#services.serviceOfRoute(route),
      });
    });
  }
}

function suffixOf(family: Family): string {
  return family === 'TCPIngress' ? 'tcp' : family.toLowerCase();
}
