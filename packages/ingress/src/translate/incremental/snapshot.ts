import { createHash } from 'node:crypto';
import type { KubeObject } from '@waygate/schema';
import { compareByAge, compareText } from '../../objects/reference.ts';
import type { CertificatesResult } from '../certificates.ts';
import { FaultList, type Faults } from '../faults.ts';
import type { CaCertificateEntity, KongState, PluginEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Problem } from '../problem.ts';
import { ProblemList } from '../problem.ts';
import { faultsOf, type RuleResult } from '../route-rules.ts';
import type { ConsumerTable } from './consumer-table.ts';
import type { DefaultBackends } from './default-backends.ts';
import type { GlobalEntities } from './global-entities.ts';
import type { ServiceTable } from './service-table.ts';
import type { PluginResult, Reported } from './unit-result.ts';

/** A configuration with what is wrong in the objects that it was made from. */
export interface Snapshot {
  readonly state: KongState;
  readonly problems: readonly Problem[];
  /** Objects whose wishes are in the state, for their status; one may have problems all the same. */
  readonly translated: ReadonlySet<KubeObject>;
  /** What must not go live as it is in the state. */
  readonly faults: Faults;
}

export interface Units {
  readonly options: ResolvedOptions;
  readonly rules: ReadonlyMap<string, RuleResult>;
  readonly services: ServiceTable;
  readonly consumers: ConsumerTable;
  readonly plugins: ReadonlyMap<string, PluginResult>;
  readonly globals: GlobalEntities;
  readonly certificates: Reported<CertificatesResult>;
  readonly defaultBackends: DefaultBackends;
  readonly nginxProblems: readonly Problem[];
  readonly nginxCaCertificates: readonly CaCertificateEntity[];
}

/** All of a configuration but its services and upstreams, which change far more often. */
export type StateBesideServices = Omit<KongState, 'services' | 'upstreams'>;

/** Puts the units together: entities sorted, problems in a fixed order. */
export function snapshotOf(units: Units): Snapshot {
  const problems: Problem[] = [];
  const translated = new Set<KubeObject>();
  const faults = new FaultList();
  for (const key of [...units.rules.keys()].sort(compareText)) {
    const result = units.rules.get(key)!;
    problems.push(...result.problems);
    faults.addProblems(faultsOf(result));
  }
  problems.push(...units.defaultBackends.problems, ...units.nginxProblems);
  faults.addProblems(units.defaultBackends.faults);
  for (const name of units.services.ordered.names()) {
    for (const result of units.services.named(name)) {
      problems.push(...result.problems);
      faults.addIncomplete(result.incomplete);
      faults.addObjects(result.leftOut);
      for (const object of result.translated) translated.add(object);
    }
  }
  const rest = collectBesideServices(units, problems, translated, faults);
  return { state: wholeState(units, rest), problems, translated, faults };
}

export function stateBesideServices(units: Units): StateBesideServices {
  return collectBesideServices(units, [], new Set(), new FaultList());
}

/** Services and upstreams with all the rest. */
export function wholeState(units: Units, rest: StateBesideServices): KongState {
  return { ...units.services.ordered.lists(units.certificates.result?.idOfSecret), ...rest };
}

function collectBesideServices(
  units: Units,
  problems: Problem[],
  translated: Set<KubeObject>,
  faults: FaultList,
): StateBesideServices {
  const consumers = units.consumers.collect(problems, translated, faults);
  const consumerGroups = units.consumers.collectGroups(problems, translated, faults);
  for (const { unmet } of units.plugins.values())
    faults.addIncomplete(unmet.map(({ scope, entity }) => `${scope} ${entity}`));
  const plugins = collectPlugins(units, problems, translated);
  problems.push(...units.certificates.problems, ...units.globals.problems());
  for (const object of units.globals.translated()) translated.add(object);
  return {
    consumers,
    consumerGroups,
    plugins,
    certificates: [...(units.certificates.result?.certificates ?? [])],
    caCertificates: [...units.globals.entitiesOf('ca certificates'), ...units.nginxCaCertificates],
    vaults: units.globals.entitiesOf('vaults'),
    licenses: units.globals.entitiesOf('licenses'),
    customEntities: units.globals.entitiesOf('custom entities'),
  };
}

function collectPlugins(
  units: Units,
  problems: Problem[],
  translated: Set<KubeObject>,
): PluginEntity[] {
  const plugins = new Map<string, PluginEntity>();
  const instanceNames = new Set<string>();
  for (const plugin of units.globals.entitiesOf('global plugins'))
    plugins.set(placeOf(plugin), withOwnInstanceName(plugin, instanceNames));
  const results = [...units.plugins.keys()].sort(compareText).map((key) => units.plugins.get(key)!);
  for (const result of results.sort(compareSources)) {
    problems.push(...result.problems);
    let isUsed = false;
    for (const plugin of result.entities) {
      // Kong takes one plugin of a sort in one place: the older KongPlugin's.
      if (plugins.has(placeOf(plugin))) {
        const list = new ProblemList();
        const place = `${plugin.service ?? plugin.route ?? plugin.consumer ?? plugin.consumer_group}`;
        list.add(
          `another KongPlugin already configures the plugin ${plugin.name} on ${place}`,
          result.translated[0],
        );
        problems.push(...list.items);
        continue;
      }
      plugins.set(placeOf(plugin), withOwnInstanceName(plugin, instanceNames));
      isUsed = true;
    }
    if (isUsed) for (const object of result.translated) translated.add(object);
  }
  return [...plugins].sort(([left], [right]) => compareText(left, right)).map(([, one]) => one);
}

/** Kong takes an instance name once; the older KongPlugin's stays as it is. */
function withOwnInstanceName(plugin: PluginEntity, taken: Set<string>): PluginEntity {
  const { instance_name: name } = plugin;
  if (name === undefined) return plugin;
  if (!taken.has(name)) {
    taken.add(name);
    return plugin;
  }
  const digest = createHash('sha256').update(placeOf(plugin)).digest('hex');
  const instance_name = `${name}-${digest}`;
  taken.add(instance_name);
  return { ...plugin, instance_name };
}

function placeOf(plugin: PluginEntity): string {
  const { name, consumer = '', consumer_group = '', route = '', service = '' } = plugin;
  return `${name} ${consumer} ${consumer_group} ${route} ${service}`;
}

function compareSources(left: PluginResult, right: PluginResult): number {
  const [first] = left.translated;
  const [second] = right.translated;
  if (first === undefined || second === undefined) return 0;
  return compareByAge(first, second);
}
