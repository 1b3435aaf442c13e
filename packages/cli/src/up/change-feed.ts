import type { KubeClient } from '@waygate/kube';
import { createInformer } from '@waygate/runtime';
import { type CoreEvent, kinds } from '@waygate/schema';
import { projectName, systemNamespace } from './project-objects.ts';
import { notServed } from './route-watch.ts';
import type { Screen } from './screen.ts';

/** How many different Events are remembered so that one is not told twice. */
const rememberedEvents = 1_000;

/** A feed that runs. */
export interface ChangeFeed {
  /** Resolves when it is known what is history: what happens from then on is told. */
  readonly following: Promise<unknown>;
  readonly ended: Promise<unknown>;
}

/**
 * Tells what happens in the cluster, as its Events say it, from now until the signal aborts. An Event that
 * is seen again because the API was asked again is not told again; the same thing happening twice is.
 */
export function followChanges(
  client: KubeClient,
  screen: Pick<Screen, 'tell'>,
  signal: AbortSignal,
  onApplied: () => void = () => undefined,
  /** Whether problems are told elsewhere, for as long as they last. */
  hasProblems = false,
): ChangeFeed {
  const informer = createInformer(client, kinds.Event);
  const told = new ToldEvents();
  const notice = (event: CoreEvent): void => {
    if (isApplied(event)) onApplied();
    if (!told.isNews(event)) return;
    if (hasProblems && isProblem(event)) return;
    if (event.reason === notServed || event.reason === 'GarbageCollectionSucceeded') return;
    // That nothing had to be done is no news: what was done is told by its own Event.
    if (isApplied(event)) return;
    const { kind, namespace, name } = event.involvedObject ?? {};
    screen.tell(describeEvent(event), {
      type: 'change',
      object: { kind, namespace, name },
      reason: event.reason,
      isWarning: event.type === 'Warning',
      message: event.message,
    });
  };
  const handler = informer.addEventHandler({
    // What was there before is history, not news.
    onAdd: (event, isInInitialList) => {
      if (!isInInitialList) notice(event as CoreEvent);
    },
    onUpdate: (_, event) => notice(event as CoreEvent),
  });
  return { following: handler.waitForSync(signal), ended: informer.run(signal) };
}

/** Remembers what was told, so that nothing is told twice and nothing that happened twice only once. */
export class ToldEvents {
  readonly #told = new Map<string, string>();
  /** What is wrong with an object, as it was told last. */
  readonly #warnings = new Map<string, string>();

  isNews(event: CoreEvent): boolean {
    const { count, series, message = '', type, reason } = event;
    const key = `${event.metadata.namespace}/${event.metadata.name}`;
    const happening = `${count ?? series?.count ?? 1} ${message}`;
    if (this.#told.get(key) === happening) return false;
    remember(this.#told, key, happening);
    const { kind, namespace, name } = event.involvedObject ?? {};
    const object = `${kind} ${namespace}/${name}`;
    // What is tried again and fails again in the same way is one problem, not a change each time.
    if (type !== 'Warning') this.#warnings.delete(object);
    else if (this.#warnings.get(object) === `${reason} ${message}`) return false;
    else remember(this.#warnings, object, `${reason} ${message}`);
    return true;
  }
}

function remember(map: Map<string, string>, key: string, value: string): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > rememberedEvents) map.delete(map.keys().next().value!);
}

/** What stays wrong is told as a problem, with what to do, until it is solved. */
function isProblem({ involvedObject, type, reason }: CoreEvent): boolean {
  if (type !== 'Warning') return false;
  const isOfSource = sourceKindNames.has(involvedObject?.kind ?? '');
  return isOfSource || (reason ?? '').startsWith('KongConfiguration');
}

const sourceKindNames: ReadonlySet<string> = new Set([
  'Bucket',
  'ExternalArtifact',
  'GitRepository',
  'Kustomization',
  'OCIRepository',
]);

function isApplied({ involvedObject, reason }: CoreEvent): boolean {
  const { kind, namespace, name } = involvedObject ?? {};
  return (
    kind === 'Kustomization' &&
    namespace === systemNamespace &&
    name === projectName &&
    reason === 'ReconciliationSucceeded'
  );
}

/** How many lines of a long message are shown, and from how many on they are counted by what they say. */
const shownLines = 12;

/** `Ingress shop/orders: Reason (warning): message`; a message of several lines goes below it. */
export function describeEvent(event: CoreEvent): string {
  const { kind = 'object', namespace, name = '' } = event.involvedObject ?? {};
  const subject = namespace ? `${kind} ${namespace}/${name}` : `${kind} ${name}`;
  const alarm = event.type === 'Warning' ? ' (warning)' : '';
  const head = `${subject}: ${event.reason ?? 'Event'}${alarm}:`;
  const lines = (event.message ?? '').split('\n').filter((line) => line.trim() !== '');
  if (lines.length <= 1) return `${head} ${lines[0] ?? ''}`;
  const shown = lines.length > shownLines ? grouped(lines) : lines;
  return `${head}${shown.map((line) => `\n              ${line}`).join('')}`;
}

/** `Service/shop/web created` for a thousand objects: how many of which kind were what. */
function grouped(lines: readonly string[]): string[] {
  const counts = new Map<string, { count: number; first: string }>();
  const others: string[] = [];
  for (const line of lines) {
    const [, kind, verb] = /^([A-Za-z]+)\/\S+ (\w+)$/.exec(line.trim()) ?? [];
    if (kind === undefined) others.push(line);
    else {
      const key = `${kind} ${verb}`;
      const known = counts.get(key);
      counts.set(key, { count: (known?.count ?? 0) + 1, first: known?.first ?? line.trim() });
    }
  }
  const groups = [...counts].map(([key, { count, first }]) => {
    const [kind, verb] = key.split(' ');
    return count === 1 ? first : `${count} × ${kind} ${verb}`;
  });
  const rest = others.length - shownLines;
  return [...groups, ...others.slice(0, shownLines), ...(rest > 0 ? [`… and ${rest} more`] : [])];
}
