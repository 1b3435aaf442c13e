import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@waygate/runtime';
import { DashboardError } from '../dashboard-error.ts';
import { securityHeaders } from '../http/http-answer.ts';
import type { Topic } from '../protocol/stream.ts';
import { pingText } from '../stream/event-text.ts';
import { type Hub, topicNames, type Wanted } from '../stream/hub.ts';
import type { Rights } from '../view/guarded.ts';

interface PageStreamOptions {
  readonly hub: Hub;
  readonly clock: Clock;
  /** What the person may see now; asked again and again while the page is open. */
  readonly rights: () => Promise<Rights>;
  /** Aborts when the rights are to be asked for at once. */
  readonly newNeeds: () => AbortSignal;
  /** Whether they are still signed in. */
  readonly isSignedIn: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** How much may wait to be read by one page. */
const mostUnread = 256 * 1024;
const pingMs = 15_000;

/** Sends a page what changes, from the versions that it knows on, until it or the server goes. */
export async function streamPage(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  options: PageStreamOptions,
): Promise<void> {
  const { hub, clock, signal } = options;
  const wanted = wantedTopics(request, url);
  const rights = await options.rights();
  if (response.destroyed) return;
  response.writeHead(200, {
    ...securityHeaders,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // A proxy that collects what it passes on would keep changes from the page.
    'X-Accel-Buffering': 'no',
  });
  response.write(pingText);
  const write = (text: string): boolean => {
    response.write(text);
    return response.writableLength < mostUnread;
  };
  const subscription = hub.subscribe({ write }, wanted, rights);
  response.on('drain', () => subscription.resume());
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const ended = AbortSignal.any([signal, gone.signal]);
  try {
    for (;;) {
      await clock.sleep(pingMs, AbortSignal.any([ended, options.newNeeds()]));
      if (ended.aborted) break;
      if (!(await options.isSignedIn())) break;
      hub.setRights(subscription, await options.rights());
      if (response.writableLength < mostUnread) response.write(pingText);
    }
  } finally {
    hub.close(subscription);
    response.end();
    // Whoever does not read does not hold the server either.
    if (signal.aborted) response.destroy();
  }
}

/** `topics=routes:VERSION,problems`; the browser's own word on what it saw last counts more. */
function wantedTopics({ headers }: IncomingMessage, url: URL): Wanted {
  const last = headers['last-event-id'];
  const since = typeof last === 'string' ? last : (url.searchParams.get('since') ?? undefined);
  const wanted = new Map<Topic, string | undefined>();
  for (const part of (url.searchParams.get('topics') ?? '').split(',')) {
    const [name = '', own] = part.split(':', 2);
    const topic = topicNames.find((each) => each === name);
    if (topic === undefined)
      throw new DashboardError(
        'WG_DASHBOARD_BAD_REQUEST',
        `there is no topic ${JSON.stringify(name.slice(0, 40))}`,
      );
    wanted.set(topic, typeof last === 'string' ? last : (own ?? since));
  }
  return wanted;
}
