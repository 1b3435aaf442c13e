import { RuntimeError } from '../runtime-error.ts';
import type { Clock } from '../time/clock.ts';
import type { Transform } from './delta.ts';
import { InitialEventsEndTicker } from './initial-events-ticker.ts';
import type { WatchSession } from './watch-session.ts';

interface InitialEventsOptions<T> {
  readonly keyOf: (object: T) => string;
  readonly transform: Transform<T> | undefined;
  readonly clock: Clock;
  readonly report: (warning: RuntimeError) => void;
}

/**
 * The list that a streaming list sends as events, whole. Undefined when the stream ended before the
 * initial events did: what came until then is no list.
 */
export async function collectInitialEvents<T>(
  session: WatchSession<T>,
  { keyOf, transform, clock, report }: InitialEventsOptions<T>,
): Promise<{ objects: T[]; resourceVersion: string } | undefined> {
  const objects = new Map<string, T>();
  const ticker = new InitialEventsEndTicker(clock);
  let resourceVersion = '';
  ticker.start((warning) => report(new RuntimeError('WG_RUNTIME_WATCH', warning)));
  const put = (object: T) => {
    ticker.observeEvent();
    objects.set(keyOf(object), transform?.(object) ?? object);
  };
  try {
    const end = await session.follow(
      {
        add: put,
        update: put,
        delete: (object) => objects.delete(keyOf(object)),
        setResourceVersion: (version) => {
          resourceVersion = version;
        },
      },
      true,
    );
    if (end.kind === 'error') throw end.error;
    if (end.kind !== 'initialEventsEnd') return undefined;
  } finally {
    ticker.stop();
  }
  return { objects: [...objects.values()], resourceVersion };
}
