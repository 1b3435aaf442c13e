import type { SortOptions } from './config/kustomization.ts';
import { legacyOrder } from './config/legacy-order.ts';
import { KustomizeError } from './kustomize-error.ts';
import type { ResourceId } from './resource-id.ts';
import type { ResourceList } from './resource-list.ts';

/** Sorts resources by the order of their kinds, then by id. */
export function sortResources(
  resources: ResourceList,
  options: { orderFirst: readonly string[]; orderLast: readonly string[] },
): void {
  const ranks = new Map<string, number>();
  for (const [index, kind] of options.orderFirst.entries()) {
    ranks.set(kind, index - options.orderFirst.length);
  }
  for (const [index, kind] of options.orderLast.entries()) ranks.set(kind, index + 1);
  const keys = new Map(
    resources.toArray().map((resource) => {
      const { id } = resource;
      return [
        resource,
        { rank: ranks.get(id.kind) ?? 0, id, kind: kindText(id), text: idText(id) },
      ];
    }),
  );
  resources.sort((a, b) => {
    const x = keys.get(a)!;
    const y = keys.get(b)!;
    // Of all that is called Namespace the real ones come first: the others live in them.
    const areNamespaces = x.id.kind === 'Namespace' && y.id.kind === 'Namespace';
    const isReversed = areNamespaces && (x.id.group === '' || y.id.group === '');
    const kinds = isReversed ? compare(y.kind, x.kind) : compare(x.kind, y.kind);
    return x.rank - y.rank || kinds || compare(x.text, y.text);
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What is empty sorts last, since `~` comes after all letters. */
function kindText(id: ResourceId): string {
  return `${id.group || '~G'}_${id.version || '~V'}_${id.kind || '~K'}`;
}

function idText(id: ResourceId): string {
  return `${id.namespace || '~X'}|${id.name || '~N'}`;
}

/** Applies what the top kustomization says on order; by default kinds are in the legacy order. */
export function applySortOptions(resources: ResourceList, options: SortOptions | undefined): void {
  if (options === undefined) {
    sortResources(resources, legacyOrder);
    return;
  }
  switch (options.order) {
    case 'fifo':
      if (options.legacySortOptions !== undefined) {
        throw new KustomizeError(
          "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
        );
      }
      return;
    case 'legacy': {
      const legacy = options.legacySortOptions;
      sortResources(
        resources,
        legacy === undefined
          ? legacyOrder
          : { orderFirst: legacy.orderFirst ?? [], orderLast: legacy.orderLast ?? [] },
      );
      return;
    }
    default:
      throw new KustomizeError("the field 'sortOptions.order' must be one of [fifo, legacy]");
  }
}
