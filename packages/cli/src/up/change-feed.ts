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

/** `Ingress shop/orders: Warning … message`, on one line. */
export function describeEvent(event: CoreEvent): string {
  const { kind = 'object', namespace, name = '' } = event.involvedObject ?? {};
  const subject = namespace ? `${kind} ${namespace}/${name}` : `${kind} ${name}`;
  const alarm = event.type === 'Warning' ? ' (warning)' : '';
  const message = (event.message ?? '').replaceAll(/\s*\n\s*/g, '; ');
  return `${subject}: ${event.reason ?? 'Event'}${alarm}: ${message}`;
}
