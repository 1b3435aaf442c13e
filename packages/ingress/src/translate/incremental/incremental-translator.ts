import type { KubeObject } from '@waygate/schema';
import type { Ingress } from '../../objects/ingress.ts';
import { kindIdOf } from '../../objects/kind-id.ts';
import type { KongConsumerResource } from '../../objects/kong-resources.ts';
import type { ObjectName } from '../../objects/object-id.ts';
import { DependencyIndex } from '../../store/dependency-index.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { ObjectStore, type ReadKey } from '../../store/object-store.ts';
import { TrackingReader } from '../../store/tracking-reader.ts';
import type { CertificatesResult } from '../certificates.ts';
import { buildCertificates } from '../certificates.ts';
import { buildConsumer, buildConsumerGroup } from '../consumers.ts';
import type { MatchOrder } from '../gateway/match-order.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { KongState } from '../kong-state.ts';
import { withFallback } from '../nginx/fallback-certificate.ts';
import { NginxModel } from '../nginx/model.ts';
import { anyHost } from '../nginx/parsed-ingress.ts';
import type { ResolvedOptions } from '../options.ts';
import { pluginText } from '../plugin-use.ts';
import { buildPlugins } from '../plugins.ts';
import { ProblemList } from '../problem.ts';
import { buildRules, effectiveObject, type RuleResult } from '../route-rules.ts';
import { buildServices } from './build-services.ts';
import { ClaimIndex } from './claim-index.ts';
import type { ClusterTranslator, ObjectChange, TranslationChanges } from './cluster-translator.ts';
import { type ChangedUses, ConsumerTable } from './consumer-table.ts';
import { DefaultBackends } from './default-backends.ts';
import { GlobalEntities } from './global-entities.ts';
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
import type { Incumbents } from './unique-claims.ts';
import { type Unit, type UnitOf, type UnitSort, UnitTable, unitOf } from './unit.ts';
import type { PluginResult, Reported } from './unit-result.ts';

/** Units that there is one of, beside the global parts. */
const singles = ['certificates', 'default backend'] as const;

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
  readonly #units = new UnitTable();

  readonly #rules = new Map<string, RuleResult>();
  readonly #claims = new ClaimIndex();
  readonly #defaultBackends = new DefaultBackends();
  readonly #order = new RouteOrder();
  readonly #services = new ServiceTable();
  readonly #missing = new Map<ReadKey, ObjectName>();
  #changes: { services: Set<string>; isServicesOnly: boolean } = {
    services: new Set(),
    isServicesOnly: true,
  };
  readonly #consumers = new ConsumerTable();
  readonly #uses = new PluginUseIndex();
  readonly #plugins = new Map<string, PluginResult>();
  readonly #globals = new GlobalEntities();
  #certificates: Reported<CertificatesResult> = { result: undefined, problems: [] };
  readonly #nginx: NginxModel | undefined;
  readonly #derived = new Map<string, unknown>();
  #incumbents: Incumbents | undefined;
  /** Kept for as long as only services change. */
  #rest: StateBesideServices | undefined;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    for (const sort of [...singles, ...GlobalEntities.parts]) this.#units.soil({ sort, key: '' });
    if (options.nginx !== undefined) {
      this.#nginx = new NginxModel(options, options.nginx);
      this.#units.soil({ sort: 'nginx server', key: anyHost });
    }
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
    for (const unit of this.#consumers.setIncumbents(incumbents)) this.#units.soil(unit);
    this.#soilServices(this.#services.setIncumbents(incumbents));
    for (const sort of singles) this.#units.soil({ sort, key: '' });
  }

  takeMissing(): readonly ObjectName[] {
    const missing = [...this.#missing.values()];
    this.#missing.clear();
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
      if (unit !== undefined) this.#units.soil(unit);
      for (const key of touched) this.#touch(key);
    }
  }

  snapshot(): Snapshot {
    this.settle();
    return snapshotOf(this.#made());
  }

  state(): KongState {
    this.settle();
    const made = this.#made();
    this.#rest ??= stateBesideServices(made);
    return wholeState(made, this.#rest);
  }

  isStale(name: string): boolean {
    return !this.#derived.has(name) || this.#units.isDirty({ sort: 'derived', key: name });
  }

  derived<Result>(name: string, make: (reader: ObjectReader) => Result): Result {
    if (this.isStale(name)) {
      const unit = this.#units.of({ sort: 'derived', key: name });
      this.#units.clean(unit);
      this.#derived.set(name, this.#tracked(unit, make));
    }
    return this.#derived.get(name) as Result;
  }

  #made(): Units {
    return {
      options: this.#options,
      rules: this.#rules,
      services: this.#services,
      consumers: this.#consumers,
      plugins: this.#plugins,
      globals: this.#globals,
      certificates: this.#certificates,
      nginxCaCertificates: this.#nginx?.caCertificates() ?? [],
      otherProblems: [...this.#defaultBackends.problems, ...(this.#nginx?.problems() ?? [])],
    };
  }

  /** Remakes what changed, in the order in which units build on each other; returns how many. */
  settle(): number {
    let made = 0;
    const run = <Sort extends UnitSort>(sort: Sort, make: (unit: UnitOf<Sort>) => void) => {
      for (const unit of this.#units.take(sort)) {
        make(unit);
        made += 1;
        if (sort !== 'rules' && sort !== 'nginx server' && sort !== 'service') {
          this.#changes.isServicesOnly = false;
          this.#rest = undefined;
        }
      }
    };
    if (this.#options.isExpressions) this.#reorder();
    run('rules', (unit) => this.#makeRules(unit));
    run('default backend', (unit) => this.#makeDefaultBackend(unit));
    run('nginx server', (unit) => this.#makeNginxServer(unit));
    run('service', (unit) => this.#makeService(unit));
    run('group', (unit) => this.#makeGroup(unit));
    run('consumer', (unit) => this.#makeConsumer(unit));
    run('plugin', (unit) => this.#makePlugin(unit));
    run('certificates', (unit) => this.#makeCertificates(unit));
    for (const part of GlobalEntities.parts) run(part, (unit) => this.#makeGlobal(unit));
    return made;
  }

  #touch(key: ReadKey): void {
    for (const unit of this.#dependencies.readersOf(key)) this.#units.soil(unit);
  }

  #soilServices(names: Iterable<string>): void {
    for (const name of names) this.#units.soil({ sort: 'service', key: name });
  }

  /** There is nothing left to make it from. */
  #remove(unit: Unit): void {
    this.#dependencies.remove(unit);
    this.#units.forget(unit);
  }

  #tracked<T>(unit: Unit, make: (reader: TrackingReader) => T): T {
    const reader = new TrackingReader(this.#store);
    const result = make(reader);
    this.#dependencies.record(unit, reader.reads);
    for (const [key, name] of reader.misses) this.#missing.set(key, name);
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
    for (const { key, family, object } of this.#units.dirty('rules')) {
      const source = this.#objectOf(object);
      const effective = source && effectiveObject(family, source, this.#store, this.#options);
      for (const moved of this.#order.update(family, key, effective))
        this.#touch(`priority ${moved}`);
    }
  }

  #objectOf<T extends KubeObject>(object: ObjectName): T | undefined {
    return this.#store.get<T>(object.kind, object.namespace, object.name);
  }

  #makeRules(unit: UnitOf<'rules'>): void {
    const { key, family } = unit;
    const object = this.#objectOf(unit.object);
    const before = this.#rules.get(key);
    let result: RuleResult | undefined;
    if (object === undefined) {
      this.#rules.delete(key);
      this.#remove(unit);
    } else {
      result = this.#tracked(unit, (reader) => {
        const priorityOf = this.#priorityReader(this.#order.grpc, reader);
        return buildRules(family, object, reader, this.#options, priorityOf);
      });
      this.#rules.set(key, result);
    }
    this.#soilServices(this.#claims.set(key, result?.claims ?? []));
    for (const host of this.#nginx?.setIngress(key, result?.nginx) ?? [])
      this.#units.soil({ sort: 'nginx server', key: host });
    if ((before?.certificates.length ?? 0) + (result?.certificates.length ?? 0) > 0)
      this.#units.soil({ sort: 'certificates', key: '' });
    if (before?.hasDefaultBackend || result?.hasDefaultBackend) {
      this.#defaultBackends.set(key, result?.hasDefaultBackend ? (object as Ingress) : undefined);
      this.#units.soil({ sort: 'default backend', key: '' });
    }
  }

  #makeDefaultBackend(unit: Unit): void {
    const claim = this.#tracked(unit, (reader) =>
      this.#defaultBackends.claim(reader, this.#options, this.#incumbents),
    );
    this.#soilServices(this.#claims.set('default backend', claim === undefined ? [] : [claim]));
  }

  #makeNginxServer(unit: UnitOf<'nginx server'>): void {
    const made = this.#tracked(unit, (reader) => this.#nginx!.makeServer(unit.key, reader));
    this.#soilServices(made.names);
    if (made.isGone) this.#remove(unit);
    if (made.hasCertificates) this.#units.soil({ sort: 'certificates', key: '' });
  }

  #makeService(unit: UnitOf<'service'>): void {
    const { key: name } = unit;
    const results: ServiceResult[] = [];
    const byFamily = this.#claims.of(name);
    if (this.#nginx?.hasLocation(name))
      results.push(...this.#tracked(unit, (reader) => this.#nginx!.makeLocation(name, reader)));
    else if (byFamily.length === 0) this.#remove(unit);
    else {
      this.#tracked(unit, (reader) => {
        const priorityOf = this.#priorityReader(this.#order.http, reader);
        const context = { options: this.#options, reader, priorityOf };
        results.push(...buildServices(name, byFamily, context));
      });
    }
    for (const [changed, change] of this.#services.set(name, results)) {
      this.#changes.services.add(changed);
      if (change.hasOtherCertificates) this.#units.soil({ sort: 'certificates', key: '' });
      this.#setUses([[`service ${changed}`, change.results.flatMap((one) => one.pluginUses)]]);
    }
  }

  #setUses(changed: ChangedUses): void {
    for (const [unit, uses] of changed) {
      for (const plugin of this.#uses.set(unit, uses)) {
        const key = pluginText(plugin);
        this.#units.soil({ sort: 'plugin', key, plugin });
        this.#touch(`uses of plugin ${key}`);
        this.#touch(`uses of plugins called ${plugin.name}`);
      }
    }
  }

  #makeConsumer(unit: UnitOf<'consumer' | 'group'>): void {
    const object = this.#objectOf<KongConsumerResource>(unit.object);
    const made = this.#makeReported(unit, object, (source, reader, problems) => {
      const isGroupInForce = (namespace: string, name: string) => {
        reader.dependOn(`owner of group ${name}`);
        return this.#consumers.isGroupInForce(namespace, name);
      };
      return buildConsumer(source, reader, this.#options, isGroupInForce, problems);
    });
    this.#setUses(this.#consumers.set(unit, made));
  }

  #makeGroup(unit: UnitOf<'consumer' | 'group'>): void {
    const object = this.#objectOf<KubeObject>(unit.object);
    const made = this.#makeReported(unit, object, (source, reader, problems) =>
      buildConsumerGroup(source, reader, this.#options, problems),
    );
    const { uses, names } = this.#consumers.setGroup(unit, made);
    this.#setUses(uses);
    for (const name of names) this.#touch(`owner of group ${name}`);
  }

  #makeReported<Source extends KubeObject, Result>(
    unit: Unit,
    source: Source | undefined,
    make: (source: Source, reader: TrackingReader, problems: ProblemList) => Result | undefined,
  ): Reported<Result> | undefined {
    if (source === undefined) {
      this.#remove(unit);
      return undefined;
    }
    const problems = new ProblemList();
    const result = this.#tracked(unit, (reader) => make(source, reader, problems));
    return { result, problems: problems.items };
  }

  #makePlugin(unit: UnitOf<'plugin'>): void {
    const { key, plugin } = unit;
    const uses = this.#uses.usesOf(plugin);
    if (uses.length === 0) {
      this.#plugins.delete(key);
      this.#remove(unit);
      return;
    }
    const problems = new ProblemList();
    const { entities, source, unmet } = this.#tracked(unit, (reader) =>
      buildPlugins(plugin, uses, reader, this.#options, problems),
    );
    const translated = source === undefined || entities.length === 0 ? [] : [source];
    this.#plugins.set(key, { entities, problems: problems.items, translated, unmet });
  }

  #makeCertificates(unit: Unit): void {
    const problems = new ProblemList();
    const result = this.#tracked(unit, (reader) =>
      buildCertificates(
        [
          ...[...this.#rules.values()].flatMap(({ certificates }) => certificates),
          ...(this.#nginx?.certificates(reader) ?? []),
          ...this.#services.clientCertificateClaims(),
        ],
        reader,
        this.#options,
        problems,
        this.#incumbents,
      ),
    );
    this.#certificates = {
      result: withFallback(result, this.#options.nginx),
      problems: problems.items,
    };
  }

  #makeGlobal(unit: UnitOf<(typeof GlobalEntities.parts)[number]>): void {
    this.#tracked(unit, (reader) => {
      this.#globals.make(unit.sort, reader, this.#options, {
        usesOf: (plugin) => {
          reader.dependOn(`uses of plugin ${pluginText(plugin)}`);
          return this.#uses.usesOf(plugin);
        },
        usesOfName: (name) => {
          reader.dependOn(`uses of plugins called ${name}`);
          return this.#uses.usesOfName(name);
        },
        serviceOfRoute: (route) => this.#services.serviceOfRoute(route),
      });
    });
  }
}
