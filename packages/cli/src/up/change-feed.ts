import type { KubeClient } from '@waygate/kube';
import { createInformer } from '@waygate/runtime';
import { type CoreEvent, kinds } from '@waygate/schema';

/** How many different Events are remembered so that one is not told twice. */
const rememberedEvents = 1_000;

/** Tells what happens in the cluster, as its Events say it, from now until the signal aborts. */
export async function followChanges(
  client: KubeClient,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const informer = createInformer(client, kinds.Event);
  const told = new Map<string, string>();
  const notice = (event: CoreEvent): void => {
    const key = `${event.metadata.namespace}/${event.metadata.name}`;
    const line = describeEvent(event);
    if (told.get(key) === line) return;
    told.delete(key);
    told.set(key, line);
    if (told.size > rememberedEvents) told.delete(told.keys().next().value!);
    tell(line);
  };
  informer.addEventHandler({
    // What was there before is history, not news.
    onAdd: (event, isInInitialList) => {
      if (!isInInitialList) notice(event as CoreEvent);
    },
    onUpdate: (_, event) => notice(event as CoreEvent),
  });
  await informer.run(signal);
}

/** How many lines of a long message are shown. */
const shownLines = 12;

/** `Ingress shop/orders: Reason (warning): message`; a message of several lines goes below it. */
export function describeEvent(event: CoreEvent): string {
  const { kind = 'object', namespace, name = '' } = event.involvedObject ?? {};
  const subject = namespace ? `${kind} ${namespace}/${name}` : `${kind} ${name}`;
  const alarm = event.type === 'Warning' ? ' (warning)' : '';
  const head = `${subject}: ${event.reason ?? 'Event'}${alarm}:`;
  const lines = (event.message ?? '').split('\n').filter((line) => line.trim() !== '');
  if (lines.length <= 1) return `${head} ${lines[0] ?? ''}`;
  const shown = lines.slice(0, shownLines).map((line) => `\n              ${line}`);
  const rest =
    lines.length > shownLines ? `\n              … and ${lines.length - shownLines} more` : '';
  return `${head}${shown.join('')}${rest}`;
}
