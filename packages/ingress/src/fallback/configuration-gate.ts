import { idOfReference } from '../objects/object-id.ts';
import type { ObjectReference } from '../objects/reference.ts';
import { type Faults, noFaults } from '../translate/faults.ts';
import type { Incumbents } from '../translate/incremental/unique-claims.ts';
import type { ServiceResult } from '../translate/kong-service.ts';
import type { KongState } from '../translate/kong-state.ts';
import type { Problem } from '../translate/problem.ts';
import { referenceFromTags } from '../translate/tags.ts';
import { type EffectiveState, effectiveState } from './effective-state.ts';
import { entitiesOf } from './entity-key.ts';
import { type FallbackReport, fallbackReport } from './fallback-report.ts';
import { type HeldConfig, stateOfHeld } from './held-config.ts';
import { LastGood } from './last-good.ts';
import { locateRefused, type RefusedEntity } from './locate-refused.ts';
import { Refusals } from './refusals.ts';

/**
 * Stands between the translation and the gateways. What cannot be as the cluster asks for, because
 * it is not whole or because a gateway refuses it, stays as gateways last took it; the rest goes on.
 */
export class ConfigurationGate {
  readonly #good = new LastGood();
  readonly #refusals = new Refusals();
  #faults: Faults = noFaults;
  #effective: EffectiveState | undefined;

  /** Whether it is known what gateways have. */
  get knowsGateways(): boolean {
    return this.#good.isKnown;
  }

  /** Who has what in the gateways. */
  get incumbents(): Incumbents {
    return this.#good.incumbents;
  }

  /** Whether something is held back: left out, or in its last good version. */
  get isFallback(): boolean {
    const { kept = [], leftOut = [] } = this.#effective ?? {};
    return kept.length + leftOut.length > 0;
  }

  /** What gateways were found with, from before there was a configuration of ours. */
  remember(held: HeldConfig | undefined): void {
    if (!this.#good.isKnown && held !== undefined) this.#good.accept(stateOfHeld(held));
  }

  /** The configuration as it can go live. */
  admit(desired: KongState, faults: Faults): KongState {
    this.#faults = faults;
    const isClean = faults.incomplete.size + faults.objects.size === 0;
    if (isClean && this.#refusals.isEmpty) {
      this.#effective = undefined;
      return desired;
    }
    if (!this.#refusals.isEmpty) {
      const keys = new Set<string>();
      for (const { key } of entitiesOf(desired)) keys.add(key);
      this.#refusals.keepOnly(keys);
    }
    this.#effective = effectiveState(desired, faults, this.#refusals, this.#good);
    return this.#effective.state;
  }

  /** The same after a change of services that are clear of what is held back. */
  readmit(desired: KongState): KongState {
    return this.isFallback ? this.admit(desired, this.#faults) : desired;
  }

  /** Whether these services can go live by themselves, whatever is held back beside them. */
  isClear(changed: ReadonlyMap<string, readonly ServiceResult[]>): boolean {
    for (const [name, results] of changed) {
      for (const { leftOut, incomplete, service, upstream } of results) {
        if (leftOut.length + incomplete.length > 0) return false;
        if (service !== undefined && this.#isHeldBack(service.name)) return false;
        // A refusal that still stands must be seen by a look at everything.
        if (!this.#refusals.isEmpty && upstream !== undefined) return false;
      }
      if (this.#isHeldBack(name)) return false;
      // An object that is at fault may have routes of before at a service that goes.
      if (results.length === 0 && this.#faults.objects.size > 0) return false;
    }
    return true;
  }

  /** Gateways refused entities of what they were sent; says how many of these are news. */
  reject(sent: KongState, refused: readonly RefusedEntity[], problems: readonly Problem[]): number {
    let news = 0;
    for (const one of refused) {
      const object = referenceFromTags(one.tags);
      const id = object && idOfReference(object);
      const own = problems.filter((problem) => idOfReference(problem.object) === id);
      for (const { key, entity } of locateRefused(sent, one))
        news += Number(this.#refusals.add(key, entity, own));
    }
    return news;
  }

  /** Gateways have this now. */
  accepted(state: KongState): void {
    this.#good.accept(state);
  }

  acceptedServices(changed: ReadonlyMap<string, readonly ServiceResult[]>): void {
    this.#good.acceptServices(changed);
  }

  /** A gateway may take now what it refused before. */
  forgive(): void {
    this.#refusals.clear();
  }

  /** What gateways refuse of what the cluster asks for now. */
  problems(desired: () => KongState): Problem[] {
    // Nearly always nothing: putting everything together for that would cost what the cluster is large.
    if (this.#refusals.isEmpty) return [];
    return [...entitiesOf(desired())].flatMap(({ key, entity }) => [
      ...this.#refusals.problemsOf(key, entity),
    ]);
  }

  /** For people: what is held back, and because of what. */
  report(problems: readonly Problem[]): FallbackReport {
    const { kept = [], leftOut = [] } = this.#effective ?? {};
    if (kept.length + leftOut.length === 0) return { status: 'not-triggered' };
    return fallbackReport(
      problems.map(({ object }) => object),
      leftOut.flatMap(sourceOf),
      kept.flatMap(sourceOf),
    );
  }

  #isHeldBack(service: string): boolean {
    return this.#effective?.services.has(service) ?? false;
  }
}

function sourceOf({ tags }: { readonly tags?: readonly string[] }): ObjectReference | [] {
  return referenceFromTags(tags) ?? [];
}
