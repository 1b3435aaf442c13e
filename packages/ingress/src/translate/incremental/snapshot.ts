import type { KubeObject } from '@waygate/schema';
import { compareByAge, compareText, keyOf } from '../../objects/reference.ts';
import type { CertificatesResult } from '../certificates.ts';
import type { ConsumerGroupResult, ConsumerResult, UniqueClaim } from '../consumers.ts';
import type { ConsumerEntity, KongState, PluginEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Problem } from '../problem.ts';
import { ProblemList } from '../problem.ts';
import type { RuleResult } from '../route-rules.ts';
import type { GlobalEntities } from './global-entities.ts';
import type { PluginResult, Reported } from './incremental-translator.ts';
import type { ServiceTable } from './service-table.ts';

/** A configuration with what is wrong in the objects that it was made from. */
export interface Snapshot {
  readonly state: KongState;
  readonly problems: readonly Problem[];
  /** Objects whose wishes are in the state, for their status; one may have problems all the same. */
  readonly translated: ReadonlySet<KubeObject>;
}

export interface Units {
  readonly options: ResolvedOptions;
  readonly rules: ReadonlyMap<string, RuleResult>;
  readonly services: ServiceTable;
  readonly consumers: ReadonlyMap<string, Reported<ConsumerResult>>;
  readonly groups: ReadonlyMap<string, Reported<ConsumerGroupResult>>;
  conflictsOf(consumer: string): readonly UniqueClaim[];
  readonly plugins: ReadonlyMap<string, PluginResult>;
  readonly globals: GlobalEntities;
  readonly certificates: Reported<CertificatesResult>;
  readonly defaultBackendProblems: readonly Problem[];
}

/** All of a configuration but its services and upstreams, which change far more often. */
export type StateBesideServices = Omit<KongState, 'services' | 'upstreams'>;

/** Puts the units together: entities sorted, problems in a fixed order. */
export function snapshotOf(units: Units): Snapshot {
  const problems: Problem[] = [];
  const translated = new Set<KubeObject>();
  for (const key of [...units.rules.keys()].sort(compareText))
    problems.push(...units.rules.get(key)!.problems);
  problems.push(...units.defaultBackendProblems);
  for (const name of units.services.ordered.names()) {
    for (const result of units.services.named(name)) {
      problems.push(...result.problems);
      for (const object of result.translated) translated.add(object);
    }
  }
  const rest = collectBesideServices(units, problems, translated);
  return { state: wholeState(units, rest), problems, translated };
}

export function stateBesideServices(units: Units): StateBesideServices {
  return collectBesideServices(units, [], new Set());
}

/** Services and upstreams with all the rest. */
export function wholeState(units: Units, rest: StateBesideServices): KongState {
  return { ...units.services.ordered.lists(units.certificates.result?.idOfSecret), ...rest };
}

function collectBesideServices(
  units: Units,
  problems: Problem[],
  translated: Set<KubeObject>,
): StateBesideServices {
  const consumers = collectConsumers(units, problems, translated);
  const consumerGroups = [...units.groups.values()].flatMap(({ result, problems: own }) => {
    problems.push(...own);
    if (result === undefined) return [];
    translated.add(result.source);
    return [result.group];
  });
  const plugins = collectPlugins(units, problems, translated);
  problems.push(...units.certificates.problems, ...units.globals.problems());
  for (const object of units.globals.translated()) translated.add(object);
  return {
    consumers,
    consumerGroups: consumerGroups.sort((left, right) => compareText(left.name, right.name)),
    plugins,
    certificates: [...(units.certificates.result?.certificates ?? [])],
    caCertificates: units.globals.caCertificates,
    vaults: units.globals.vaults,
    licenses: units.globals.licenses,
    customEntities: units.globals.customEntities,
  };
}

function collectConsumers(
  units: Units,
  problems: Problem[],
  translated: Set<KubeObject>,
): ConsumerEntity[] {
  const valid: ConsumerResult[] = [];
  for (const key of [...units.consumers.keys()].sort(compareText)) {
    const { result, problems: own } = units.consumers.get(key)!;
    problems.push(...own);
    if (result === undefined) continue;
    const conflicts = units.conflictsOf(key);
    if (conflicts.length === 0) {
      valid.push(result);
      continue;
    }
    const list = new ProblemList();
    for (const { index, secret, consumer } of conflicts) {
      const detail = `conflict detected in ${JSON.stringify(index)} index`;
      list.add(`Consumer has conflicting credentials: ${detail}`, consumer);
      list.add(`Secret has conflicting credential: ${detail}`, secret);
    }
    problems.push(...list.items);
  }
  const consumers = withoutNamesakes(valid, problems).map(({ consumer, source }) => {
    translated.add(source);
    return consumer;
  });
  return consumers.sort((left, right) => compareText(nameOf(left), nameOf(right)));
}

function nameOf({ username, custom_id }: ConsumerEntity): string {
  return username ?? custom_id ?? '';
}

/**
 * Kong knows a consumer by its username and by its custom id, in all namespaces. Of two with the same
 * the older one counts; sending both would have Kong refuse the whole configuration.
 */
function withoutNamesakes(
  results: readonly ConsumerResult[],
  problems: Problem[],
): ConsumerResult[] {
  const taken = new Map<string, ConsumerResult>();
  return [...results]
    .sort((left, right) => compareByAge(left.source, right.source))
    .filter((result) => {
      const { username, custom_id } = result.consumer;
      const keys = [
        ...(username === undefined ? [] : [`username ${JSON.stringify(username)}`]),
        ...(custom_id === undefined ? [] : [`custom_id ${JSON.stringify(custom_id)}`]),
      ];
      const key = keys.find((one) => taken.has(one));
      if (key === undefined) {
        for (const one of keys) taken.set(one, result);
        return true;
      }
      const list = new ProblemList();
      list.add(
        `${key} is already used by KongConsumer ${keyOf(taken.get(key)!.source)}`,
        result.source,
      );
      problems.push(...list.items);
      return false;
    });
}

function collectPlugins(
  units: Units,
  problems: Problem[],
  translated: Set<KubeObject>,
): PluginEntity[] {
  const plugins = new Map<string, PluginEntity>();
  for (const plugin of units.globals.plugins) plugins.set(placeOf(plugin), plugin);
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
      plugins.set(placeOf(plugin), plugin);
      isUsed = true;
    }
    if (isUsed) for (const object of result.translated) translated.add(object);
  }
  return [...plugins].sort(([left], [right]) => compareText(left, right)).map(([, one]) => one);
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
