import type { KubeObject } from '@waygate/schema';
import type { Ingress } from '../../objects/ingress.ts';
import { kindIdOf } from '../../objects/kind-id.ts';
import type { KongConsumerResource } from '../../objects/kong-resources.ts';
import type { ObjectName } from '../../objects/object-id.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { ObjectStore, ReadKey } from '../../store/object-store.ts';
import type { TrackingReader } from '../../store/tracking-reader.ts';
import type { CertificatesResult } from '../certificates.ts';
import { buildCertificates } from '../certificates.ts';
import { buildConsumer, buildConsumerGroup } from '../consumers.ts';
import type { MatchOrder } from '../gateway/match-order.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { KongState } from '../kong-state.ts';
import { withFallback } from '../nginx/fallback-certificate.ts';
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
import { NginxUnits } from './nginx-units.ts';
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
import { type Unit, type UnitOf, type UnitSort, unitOf } from './unit.ts';
import type { PluginResult, Reported } from './unit-result.ts';
import { Workshop } from './workshop.ts';

/** Units that there is one of, beside the global parts. */
const singles = ['certificates', 'default backend'] as const;

/** Units whose changes show in Kong services only. */
const ofServices: ReadonlySet<UnitSort> = new Set([
  'rules',
  'nginx server',
  'nginx streams',
  'service',
]);

/**
 * Translates a cluster and keeps the translation true while the cluster changes. The configuration is
 * made of units (the rules of one object, one Kong service, one consumer, one plugin, …). While a
 * unit is made, every look-up is noted; when an object changes, only units that looked at it are made
 * again, and then those that build on them. The outcome is that of a translation from nothing.
 *
 * ```ts
 * import { resolveOptions } from '../options.ts';
 *
 * const translator = new IncrementalTranslator(resolveOptions());
 * const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } };
 * translator.apply([{ type: 'put', object }]);
 * translator.snapshot().state.services; // []: no route leads to it yet
 * ```
 */
export class IncrementalTranslator implements ClusterTranslator {
  readonly #options: ResolvedOptions;
  readonly #workshop = new Workshop();

  readonly #rules = new Map<string, RuleResult>();
  readonly #claims = new ClaimIndex();
  readonly #defaultBackends = new DefaultBackends();
  readonly #order = new RouteOrder();
  readonly #services = new ServiceTable();
  #changes: { services: Set<string>; isServicesOnly: boolean } = {
    services: new Set(),
    isServicesOnly: true,
  };
  readonly #consumers = new ConsumerTable();
  readonly #uses = new PluginUseIndex();
  readonly #plugins = new Map<string, PluginResult>();
  readonly #globals = new GlobalEntities();
  #certificates: Reported<CertificatesResult> = { result: undefined, problems: [] };
  readonly #nginx: NginxUnits;
  readonly #derived = new Map<string, unknown>();
  #incumbents: Incumbents | undefined;
  /** Kept for as long as only services change. */
  #rest: StateBesideServices | undefined;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    for (const sort of [...singles, ...GlobalEntities.parts])
      this.#workshop.soil({ sort, key: '' });
    this.#nginx = new NginxUnits(this.#workshop, options);
  }

  get objects(): ObjectStore {
    return this.#workshop.store;
  }

  servicesNamed(name: string): readonly ServiceResult[] {
    return this.#services.named(name);
  }

  isHostShared(host: string): boolean {
    return this.#services.isHostShared(host);
  }

  isRead(key: ReadKey): boolean {
    return this.#workshop.isRead(key);
  }

  setIncumbents(incumbents: Incumbents): void {
    this.#incumbents = incumbents;
    for (const unit of this.#consumers.setIncumbents(incumbents)) this.#workshop.soil(unit);
    this.#workshop.soilServices(this.#services.setIncumbents(incumbents));
    for (const sort of singles) this.#workshop.soil({ sort, key: '' });
  }

  takeMissing(): readonly ObjectName[] {
    return this.#workshop.takeMissing();
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
      const touched =
        type === 'put' ? this.#workshop.store.put(object) : this.#workshop.store.delete(object);
      if (touched.length === 0) continue;
      const unit = unitOf(kind, object);
      if (unit !== undefined) this.#workshop.soil(unit);
      for (const key of touched) this.#workshop.touch(key);
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
    return !this.#derived.has(name) || this.#workshop.units.isDirty({ sort: 'derived', key: name });
  }

  derived<Result>(name: string, make: (reader: ObjectReader) => Result): Result {
    if (this.isStale(name)) {
      const unit = this.#workshop.units.of({ sort: 'derived', key: name });
      this.#workshop.units.clean(unit);
      this.#derived.set(name, this.#workshop.tracked(unit, make));
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
      nginxCaCertificates: this.#nginx.caCertificates,
      defaultBackends: this.#defaultBackends,
      nginxProblems: this.#nginx.problems,
    };
  }

  /** Remakes what changed, in the order in which units build on each other; returns how many. */
  settle(): number {
    let made = 0;
    const run = <Sort extends UnitSort>(sort: Sort, make: (unit: UnitOf<Sort>) => void) => {
      for (const unit of this.#workshop.units.take(sort)) {
        make(unit);
        made += 1;
        if (!ofServices.has(sort)) {
          this.#changes.isServicesOnly = false;
          this.#rest = undefined;
        }
      }
    };
    if (this.#options.isExpressions) this.#reorder();
    run('rules', (unit) => this.#makeRules(unit));
    run('default backend', (unit) => this.#makeDefaultBackend(unit));
    run('nginx server', (unit) => this.#noteProblems(this.#nginx.makeServer(unit)));
    run('nginx streams', (unit) => this.#noteProblems(this.#nginx.makeStreams(unit)));
    run('service', (unit) => this.#makeService(unit));
    run('group', (unit) => this.#makeGroup(unit));
    run('consumer', (unit) => this.#makeConsumer(unit));
    run('plugin', (unit) => this.#makePlugin(unit));
    run('certificates', (unit) => this.#makeCertificates(unit));
    for (const part of GlobalEntities.parts) run(part, (unit) => this.#makeGlobal(unit));
    return made;
  }

  #priorityReader(order: MatchOrder, reader: TrackingReader): (id: string) => number {
    return (id) => {
      reader.dependOn(`priority ${id}`);
      return order.priorityOf(id);
    };
  }

  /** The order among all routes of a kind comes first: priorities of other routes may follow from it. */
  #reorder(): void {
    for (const { key, family, object } of this.#workshop.units.dirty('rules')) {
      const source = this.#workshop.objectOf(object);
      const effective =
        source && effectiveObject(family, source, this.#workshop.store, this.#options);
      for (const moved of this.#order.update(family, key, effective))
        this.#workshop.touch(`priority ${moved}`);
    }
  }

  /** Who is at fault may keep what it had, and is told: both take a look at everything. */
  #noteProblems(hasProblems: boolean): void {
    if (hasProblems) this.#changes.isServicesOnly = false;
  }

  #makeRules(unit: UnitOf<'rules'>): void {
    const { key, family } = unit;
    const object = this.#workshop.objectOf(unit.object);
    const before = this.#rules.get(key);
    let result: RuleResult | undefined;
    if (object === undefined) {
      this.#rules.delete(key);
      this.#workshop.remove(unit);
    } else {
      result = this.#workshop.tracked(unit, (reader) => {
        const priorityOf = this.#priorityReader(this.#order.grpc, reader);
        return buildRules(family, object, reader, this.#options, priorityOf);
      });
      this.#rules.set(key, result);
    }
    this.#noteProblems((before?.problems.length ?? 0) + (result?.problems.length ?? 0) > 0);
    this.#workshop.soilServices(this.#claims.set(key, result?.claims ?? []));
    this.#nginx.setIngress(key, result?.nginx);
    if ((before?.certificates.length ?? 0) + (result?.certificates.length ?? 0) > 0)
      this.#workshop.soil({ sort: 'certificates', key: '' });
    if (before?.hasDefaultBackend || result?.hasDefaultBackend) {
      this.#defaultBackends.set(key, result?.hasDefaultBackend ? (object as Ingress) : undefined);
      this.#workshop.soil({ sort: 'default backend', key: '' });
    }
  }

  #makeDefaultBackend(unit: Unit): void {
    const claim = this.#workshop.tracked(unit, (reader) =>
      this.#defaultBackends.claim(reader, this.#options, this.#incumbents),
    );
    this.#workshop.soilServices(
      this.#claims.set('default backend', claim === undefined ? [] : [claim]),
    );
  }

  #makeService(unit: UnitOf<'service'>): void {
    const { key: name } = unit;
    const results: ServiceResult[] = [];
    const byFamily = this.#claims.of(name);
    const ofNginx = this.#nginx.makeService(unit);
    if (ofNginx !== undefined) results.push(...ofNginx);
    else if (byFamily.length === 0) this.#workshop.remove(unit);
    else {
      this.#workshop.tracked(unit, (reader) => {
        const priorityOf = this.#priorityReader(this.#order.http, reader);
        const context = { options: this.#options, reader, priorityOf };
        results.push(...buildServices(name, byFamily, context));
      });
    }
    for (const [changed, change] of this.#services.set(name, results)) {
      this.#changes.services.add(changed);
      this.#noteProblems(change.isFaulty);
      if (change.hasOtherCertificates) this.#workshop.soil({ sort: 'certificates', key: '' });
      this.#setUses([[`service ${changed}`, change.results.flatMap((one) => one.pluginUses)]]);
    }
  }

  #setUses(changed: ChangedUses): void {
    for (const [unit, uses] of changed) {
      for (const plugin of this.#uses.set(unit, uses)) {
        const key = pluginText(plugin);
        this.#workshop.soil({ sort: 'plugin', key, plugin });
        this.#workshop.touch(`uses of plugin ${key}`);
        this.#workshop.touch(`uses of plugins called ${plugin.name}`);
      }
    }
  }

  #makeConsumer(unit: UnitOf<'consumer' | 'group'>): void {
    const object = this.#workshop.objectOf<KongConsumerResource>(unit.object);
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
    const object = this.#workshop.objectOf<KubeObject>(unit.object);
    const made = this.#makeReported(unit, object, (source, reader, problems) =>
      buildConsumerGroup(source, reader, this.#options, problems),
    );
    const { uses, names } = this.#consumers.setGroup(unit, made);
    this.#setUses(uses);
    for (const name of names) this.#workshop.touch(`owner of group ${name}`);
  }

  #makeReported<Source extends KubeObject, Result>(
    unit: Unit,
    source: Source | undefined,
    make: (source: Source, reader: TrackingReader, problems: ProblemList) => Result | undefined,
  ): Reported<Result> | undefined {
    if (source === undefined) {
      this.#workshop.remove(unit);
      return undefined;
    }
    const problems = new ProblemList();
    const result = this.#workshop.tracked(unit, (reader) => make(source, reader, problems));
    return { result, problems: problems.items };
  }

  #makePlugin(unit: UnitOf<'plugin'>): void {
    const { key, plugin } = unit;
    const uses = this.#uses.usesOf(plugin);
    if (uses.length === 0) {
      this.#plugins.delete(key);
      this.#workshop.remove(unit);
      return;
    }
    const problems = new ProblemList();
    const { entities, source, unmet } = this.#workshop.tracked(unit, (reader) =>
      buildPlugins(plugin, uses, reader, this.#options, problems),
    );
    const translated = source === undefined || entities.length === 0 ? [] : [source];
    this.#plugins.set(key, { entities, problems: problems.items, translated, unmet });
  }

  #makeCertificates(unit: Unit): void {
    const problems = new ProblemList();
    const result = this.#workshop.tracked(unit, (reader) =>
      buildCertificates(
        [
          ...[...this.#rules.values()].flatMap(({ certificates }) => certificates),
          ...this.#nginx.certificates(reader),
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
    this.#workshop.tracked(unit, (reader) => {
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
