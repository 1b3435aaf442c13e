import type { KubeObject } from '@waygate/schema';
import { compareByAge, keyOf } from '../../objects/reference.ts';

/** One match of one rule for one host name: the unit that an expression route is made from. */
export interface SplitMatch {
  readonly route: KubeObject;
  readonly hostname: string;
  readonly hostIndex: number;
  readonly ruleIndex: number;
  readonly matchIndex: number;
  /** The part of the priority that follows from the match itself. */
  readonly basePriority: number;
}

export function splitMatchId(
  match: Omit<SplitMatch, 'basePriority' | 'route'>,
  route: KubeObject,
): string {
  return `${route.kind} ${keyOf(route)} ${match.hostIndex} ${match.ruleIndex} ${match.matchIndex}`;
}

/**
 * Breaks ties between matches of equal priority over a whole cluster: the oldest route wins, then
 * names, then the order of rules and matches. The winner gets the highest of the lowest bits, the
 * next one less. A change of one route moves only matches that are tied with its own, and says which.
 */
export class MatchOrder {
  readonly #bits: number;
  readonly #ties = new Map<number, SplitMatch[]>();
  readonly #priorities = new Map<string, number>();

  /** `bits` is how many of the lowest bits hold the order. */
  constructor(bits: number) {
    this.#bits = bits;
  }

  priorityOf(id: string): number {
    return this.#priorities.get(id) ?? 0;
  }

  /** Replaces the matches of one route; returns the ids of matches whose priority is another now. */
  update(before: readonly SplitMatch[], after: readonly SplitMatch[]): Set<string> {
    const moved = new Set<string>();
    const touched = new Set<number>();
    for (const match of before) {
      const tie = this.#ties.get(match.basePriority) ?? [];
      const index = tie.indexOf(match);
      if (index >= 0) tie.splice(index, 1);
      this.#priorities.delete(splitMatchId(match, match.route));
      touched.add(match.basePriority);
    }
    for (const match of after) {
      const tie = this.#ties.get(match.basePriority);
      if (tie === undefined) this.#ties.set(match.basePriority, [match]);
      else tie.push(match);
      touched.add(match.basePriority);
    }
    for (const base of touched) this.#renumber(base, moved);
    return moved;
  }

  #renumber(base: number, moved: Set<string>): void {
    const tie = this.#ties.get(base) ?? [];
    if (tie.length === 0) {
      this.#ties.delete(base);
      return;
    }
    if (tie.length > 1) tie.sort(compareMatches);
    const highest = 2 ** this.#bits - 1;
    for (const [index, match] of tie.entries()) {
      const id = splitMatchId(match, match.route);
      const priority = base + Math.max(highest - index, 0);
      if (this.#priorities.get(id) === priority) continue;
      this.#priorities.set(id, priority);
      moved.add(id);
    }
  }
}

function compareMatches(left: SplitMatch, right: SplitMatch): number {
  if (left.route !== right.route) {
    const byAge = compareByAge(left.route, right.route);
    if (byAge !== 0) return byAge;
  }
  return (
    left.ruleIndex - right.ruleIndex ||
    left.matchIndex - right.matchIndex ||
    right.hostIndex - left.hostIndex
  );
}
