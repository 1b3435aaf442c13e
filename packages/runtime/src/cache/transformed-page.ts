import type { ListOptions, ListPage } from '@waygate/kube';
import { RuntimeError } from '../runtime-error.ts';
import type { TurnKeeper } from '../time/turn-keeper.ts';
import type { Transform } from './delta.ts';
import type { ListerWatcher } from './lister-watcher.ts';

/** What happens to the objects of a page on their way. */
interface TransformedPageOptions<T> {
  readonly transform: Transform<T> | undefined;
  readonly turns: TurnKeeper;
  readonly report: (error: unknown) => void;
}

/**
 * One page of a list, each object transformed as it comes in. An object that fails the transform is
 * left out; the others go through.
 */
export async function transformedPage<T>(
  listerWatcher: ListerWatcher<T>,
  options: ListOptions,
  signal: AbortSignal,
  { transform, turns, report }: TransformedPageOptions<T>,
): Promise<ListPage<T>> {
  if (transform === undefined) return listerWatcher.list(options, signal);
  const items: T[] = [];
  const put = (item: T) => {
    try {
      items.push(transform(item));
    } catch (cause) {
      report(new RuntimeError('WG_RUNTIME_TRANSFORM', 'the transform failed', { cause }));
    }
  };
  if (listerWatcher.listEach !== undefined)
    return { ...(await listerWatcher.listEach(options, put, signal)), items };
  const page = await listerWatcher.list(options, signal);
  for (const item of page.items) {
    put(item);
    const turn = turns.step();
    if (turn !== undefined) await turn;
  }
  return { ...page, items };
}

/** Tables have no objects: a list of them is an error, and not an empty cache. */
export function refuseTable<T>({ apiVersion, kind }: ListPage<T>): void {
  if (kind !== 'Table' || !apiVersion?.startsWith('meta.k8s.io/')) return;
  throw new RuntimeError(
    'WG_RUNTIME_UNSUPPORTED_LIST',
    `unsupported list gvk ${apiVersion}, Kind=${kind}: Tables cannot be cached`,
  );
}
