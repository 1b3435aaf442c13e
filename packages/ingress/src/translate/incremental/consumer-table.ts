import type { KubeObject } from '@waygate/schema';
import { compareText, keyOf, namespacedKey } from '../../objects/reference.ts';
import {
  type ConsumerGroupResult,
  type ConsumerResult,
  type CredentialClaim,
  withoutCredentials,
} from '../consumers.ts';
import type { FaultList } from '../faults.ts';
import { type ConsumerEntity, type ConsumerGroupEntity, nameOfConsumer } from '../kong-state.ts';
import type { PluginUse } from '../plugin-use.ts';
import { type Problem, ProblemList } from '../problem.ts';
import { type Incumbents, UniqueClaims } from './unique-claims.ts';
import type { UnitOf } from './unit.ts';
import type { Reported } from './unit-result.ts';

/** Plugin uses that may have changed, each with a text for the unit that they come from. */
export type ChangedUses = readonly (readonly [unit: string, uses: readonly PluginUse[]])[];

type ConsumerUnit = UnitOf<'consumer' | 'group'>;

/** What was made of a unit, with the unit, which is to be made again when others win or lose. */
type Made<Result> = Reported<Result> & { readonly unit: ConsumerUnit };

/**
 * Consumers and consumer groups with what they may be known by. Kong knows them by name in all
 * namespaces: whoever lost a name is left out, with its credentials and its part in plugins; whoever
 * lost a credential only is there without it.
 */
export class ConsumerTable {
  readonly #consumers = new Map<string, Made<ConsumerResult>>();
  readonly #groups = new Map<string, Made<ConsumerGroupResult>>();
  readonly #names = new UniqueClaims();
  readonly #credentials = new UniqueClaims<CredentialClaim>();
  readonly #groupNames = new UniqueClaims();

  set(unit: ConsumerUnit, made: Reported<ConsumerResult> | undefined): ChangedUses {
    const { key } = unit;
    if (made === undefined) this.#consumers.delete(key);
    else this.#consumers.set(key, { ...made, unit });
    return this.#settleNames(this.#names.set(key, made?.result?.nameClaims ?? []));
  }

  /** The uses that changed, and the names of groups whose owner may be another one now. */
  setGroup(
    unit: ConsumerUnit,
    made: Reported<ConsumerGroupResult> | undefined,
  ): { readonly uses: ChangedUses; readonly names: ReadonlySet<string> } {
    const { key } = unit;
    const names = new Set<string>();
    const note = (result: ConsumerGroupResult | undefined) => {
      if (result !== undefined) names.add(result.group.name);
    };
    note(this.#groups.get(key)?.result);
    if (made === undefined) this.#groups.delete(key);
    else this.#groups.set(key, { ...made, unit });
    const result = made?.result;
    note(result);
    const claims =
      result === undefined
        ? []
        : [
            {
              index: 'consumer_group',
              value: result.group.name,
              objects: [result.source] as const,
              holder: key,
            },
          ];
    const touched = this.#groupNames.set(key, claims);
    const uses = [...touched].map((group) => [`group ${group}`, this.#usesOfGroup(group)] as const);
    return { uses, names };
  }

  isGroupInForce(namespace: string, name: string): boolean {
    return this.#groupNames.lostBy(namespacedKey(namespace, name)).length === 0;
  }

  /** Whom a value belongs to is judged anew; the units that this may concern. */
  setIncumbents(incumbents: Incumbents): ConsumerUnit[] {
    for (const claims of [this.#names, this.#credentials, this.#groupNames])
      claims.incumbents = incumbents;
    const consumers = new Set([...this.#names.contestants(), ...this.#credentials.contestants()]);
    return [
      ...[...consumers].flatMap((key) => this.#consumers.get(key)?.unit ?? []),
      ...[...this.#groupNames.contestants()].flatMap((key) => this.#groups.get(key)?.unit ?? []),
    ];
  }

  collect(problems: Problem[], translated: Set<KubeObject>, faults: FaultList): ConsumerEntity[] {
    const list = new ProblemList();
    const consumers: ConsumerEntity[] = [];
    for (const key of [...this.#consumers.keys()].sort(compareText)) {
      const { result, problems: own } = this.#consumers.get(key)!;
      list.items.push(...own);
      if (result === undefined) {
        faults.addProblems(own);
        continue;
      }
      const [taken] = this.#names.lostBy(key);
      if (taken !== undefined) {
        faults.addObjects([result.source]);
        const { index, value } = taken.claim;
        const owner = keyOf(taken.winner.objects[0]);
        list.addConflict(
          `${index} ${JSON.stringify(value)} is already used by KongConsumer ${owner}`,
          result.source,
        );
        continue;
      }
      // Only now: the name could be another one's.
      faults.addIncomplete(result.incomplete);
      const lost = this.#credentials.lostBy(key);
      for (const { claim } of lost) {
        // Whose it is is not said: that would tell who has a key that was guessed.
        const detail = `conflict detected in ${JSON.stringify(claim.index)} index`;
        list.addConflict(`Consumer has conflicting credentials: ${detail}`, result.source);
        list.addConflict(`Secret has conflicting credential: ${detail}`, claim.secret);
      }
      consumers.push(
        withoutCredentials(result.consumer, new Set(lost.map(({ claim }) => claim.entity))),
      );
      translated.add(result.source);
    }
    problems.push(...list.items);
    return consumers.sort((left, right) =>
      compareText(nameOfConsumer(left), nameOfConsumer(right)),
    );
  }

  collectGroups(
    problems: Problem[],
    translated: Set<KubeObject>,
    faults: FaultList,
  ): ConsumerGroupEntity[] {
    const list = new ProblemList();
    const groups: ConsumerGroupEntity[] = [];
    for (const key of [...this.#groups.keys()].sort(compareText)) {
      const { result, problems: own } = this.#groups.get(key)!;
      list.items.push(...own);
      if (result === undefined) continue;
      const [taken] = this.#groupNames.lostBy(key);
      if (taken === undefined) {
        faults.addIncomplete(result.incomplete);
        translated.add(result.source);
        groups.push(result.group);
        continue;
      }
      faults.addObjects([result.source]);
      const owner = keyOf(taken.winner.objects[0]);
      const name = JSON.stringify(result.group.name);
      const message = `consumer group ${name} is already defined by KongConsumerGroup ${owner}`;
      list.addConflict(message, result.source);
    }
    problems.push(...list.items);
    return groups.sort((left, right) => compareText(left.name, right.name));
  }

  #settleNames(consumers: Iterable<string>): ChangedUses {
    return [...consumers].map((key) => {
      const result = this.#consumers.get(key)?.result;
      const isLeftOut = this.#names.lostBy(key).length > 0;
      // Who is left out holds no keys either.
      this.#credentials.set(key, isLeftOut ? [] : (result?.credentialClaims ?? []));
      return [`consumer ${key}`, isLeftOut ? [] : (result?.pluginUses ?? [])] as const;
    });
  }

  #usesOfGroup(key: string): readonly PluginUse[] {
    const isLeftOut = this.#groupNames.lostBy(key).length > 0;
    return isLeftOut ? [] : (this.#groups.get(key)?.result?.pluginUses ?? []);
  }
}
