import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import type { Operation, Plan } from './operation.ts';

/** The service that new routes wait at while their plugins are written. It leads nowhere. */
export interface WaitingService {
  readonly name: string;
  /** Its id, if it has to be made. */
  readonly id: string;
  readonly tags: readonly string[];
}

type Draft = Omit<Operation, 'dependsOn' | 'after'> & {
  after?: StoredEntity;
  dependsOn: number[];
};

/**
 * A plan in an order in which no route ever serves without a plugin that it should have, wherever it
 * is cut: what is written for a route, its service or everything comes before the route is. A plugin
 * can only be written for a route that is there, so a new route with plugins is written twice: at a
 * service that is switched off, which Kong answers as if there were no route, and then at its own.
 *
 * ```ts
 * const target = new KongEntities();
 * target.put('routes', { id: 'r', name: 'cart', paths: ['/cart'] });
 * target.put('plugins', { id: 'p', name: 'key-auth', route: { id: 'r' } });
 * const plan = guardRoutes(createPlan(new KongEntities(), target), { id: 'w', name: 'waiting', tags: [] });
 * plan.operations.find(({ label }) => label === 'cart')?.after?.service; // { id: 'w' }
 * ```
 */
export function guardRoutes(plan: Plan, waiting: WaitingService): Plan {
  // Without plugins there is nothing to guard, and a copy of a large plan is memory and time.
  if (!plan.operations.some(({ collection }) => collection === 'plugins')) return plan;
  const drafts: Draft[] = plan.operations.map((one) => ({ ...one, dependsOn: [...one.dependsOn] }));
  const plugins = new PluginWrites(drafts);
  const finals: Draft[] = [];
  const isThere = drafts.find(
    ({ op, collection, before }) =>
      op === 'delete' && collection === 'services' && before?.name === waiting.name,
  );
  const waitingId = isThere?.id ?? waiting.id;
  const waits: Draft[] = [];
  for (const draft of drafts) {
    const { op, collection, id, index, after } = draft;
    if (op === 'delete' || draft.isRelease || after === undefined) continue;
    if (collection === 'routes') {
      const first = [...plugins.global, ...plugins.of('service', referenceId(after.service))];
      const own = plugins.of('route', id);
      if (op === 'update') {
        draft.dependsOn.push(...first, ...own);
        // The route is there: its plugins need not wait for what becomes of it.
        for (const plugin of own) drop((drafts[plugin] as Draft).dependsOn, index);
      } else if (own.length === 0) draft.dependsOn.push(...first);
      else {
        const parked = { ...after, service: { id: waitingId } };
        draft.after = parked;
        waits.push(draft);
        const changes = [
          { path: ['service'], before: parked.service, after: after.service ?? null },
        ];
        const { label } = draft;
        const dependsOn = [index, ...first, ...own];
        finals.push({
          index: 0,
          op: 'update',
          collection,
          id,
          label,
          before: parked,
          after,
          changes,
          dependsOn,
        });
      }
    } else if (collection !== 'plugins' && collection !== 'services') {
      // A consumer has its limits before it has a key.
      draft.dependsOn.push(...plugins.of('consumer', referenceId(after.consumer)));
    }
  }
  guardDeletes(drafts);
  for (const final of finals) drafts.push({ ...final, index: drafts.length });
  if (waits.length > 0 && isThere === undefined) addWaiting(drafts, waits, waiting);
  return { operations: drafts };
}

/**
 * A route that goes, goes before its plugins, and before those of its service and of everything. Kong
 * takes them away with it; asking once more for that does no harm.
 */
function guardDeletes(drafts: readonly Draft[]): void {
  const gone = drafts.filter(({ op, collection }) => op === 'delete' && collection === 'routes');
  if (gone.length === 0) return;
  for (const draft of drafts) {
    const { op, collection, before, index } = draft;
    if (op !== 'delete' || collection !== 'plugins' || draft.isEarly || draft.isRelease) continue;
    const route = referenceId(before?.route);
    const service = referenceId(before?.service);
    const isGlobal = route === undefined && service === undefined;
    for (const one of gone) {
      const isOwn = one.id === route || (service && service === referenceId(one.before?.service));
      if (!isOwn && !isGlobal) continue;
      drop(one.dependsOn, index);
      draft.dependsOn.push(one.index);
    }
  }
}

function addWaiting(drafts: Draft[], waits: readonly Draft[], waiting: WaitingService): void {
  const { id, name, tags } = waiting;
  const entity = {
    id,
    name,
    host: `${name}.invalid`,
    port: 80,
    protocol: 'http',
    enabled: false,
    tags: [...tags],
  };
  const common = { collection: 'services' as const, id, label: name, changes: [], dependsOn: [] };
  const create: Draft = { ...common, index: drafts.length, op: 'create', after: entity };
  drafts.push(create);
  for (const draft of waits) draft.dependsOn.push(create.index);
  drafts.push({ ...common, index: drafts.length, op: 'delete', before: entity, dependsOn: [] });
}

function drop(list: number[], value: number): void {
  for (let at = list.indexOf(value); at >= 0; at = list.indexOf(value)) list.splice(at, 1);
}

type Scope = 'route' | 'service' | 'consumer';

/** The plugins that a plan writes, by what they are on. */
class PluginWrites {
  readonly global: number[] = [];
  readonly #by = new Map<string, number[]>();

  constructor(operations: readonly Draft[]) {
    for (const { collection, op, after, index, isRelease } of operations) {
      if (collection !== 'plugins' || op === 'delete' || isRelease || after === undefined) continue;
      const scope = (['route', 'service', 'consumer'] as const).find(
        (field) => referenceId(after[field]) !== undefined,
      );
      if (scope !== undefined) this.#add(`${scope} ${referenceId(after[scope])}`, index);
      else if (referenceId(after.consumer_group) === undefined) this.global.push(index);
    }
  }

  of(scope: Scope, id: string | undefined): readonly number[] {
    return id === undefined ? [] : (this.#by.get(`${scope} ${id}`) ?? []);
  }

  #add(key: string, index: number): void {
    const known = this.#by.get(key);
    if (known === undefined) this.#by.set(key, [index]);
    else known.push(index);
  }
}
