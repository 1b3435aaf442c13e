import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Session } from '../../../src/protocol/pages.ts';
import type { DashboardRefusal } from '../../../src/protocol/requests.ts';
import type { Topic } from '../../../src/protocol/stream.ts';
import { Api, ApiFailure } from './api.ts';
import { LiveConnection } from './live-connection.ts';
import { createTables } from './topic-table.ts';

/** Who looks: not known yet, nobody, somebody, or the server could not be asked. */
type SessionState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'signedOut'; readonly refusal: DashboardRefusal }
  | { readonly kind: 'signedIn'; readonly session: Session }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

export const api = new Api();
export const tables = createTables();
export const sessionState = signal<SessionState>({ kind: 'asking' });
export const connection = new LiveConnection({ api, tables, nextFrame, wait });

api.onSignedOut = (refusal) => {
  const before = sessionState.peek();
  // A refused token says why; the ways to sign in stay those that were offered.
  const signIn =
    refusal.signIn ?? (before.kind === 'signedOut' ? before.refusal.signIn : undefined);
  sessionState.value = { kind: 'signedOut', refusal: signIn ? { ...refusal, signIn } : refusal };
};

function signedIn(session: Session): void {
  api.csrfToken = session.csrfToken;
  sessionState.value = { kind: 'signedIn', session };
  connection.retryNow();
}

/** Who looks; undefined until that is known. */
export function currentSession(): Session | undefined {
  const state = sessionState.value;
  return state.kind === 'signedIn' ? state.session : undefined;
}

export async function askSession(): Promise<void> {
  try {
    signedIn(await api.get<Session>('session'));
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.status !== 401) sessionState.value = { kind: 'failed', failure: error };
  }
}

export async function signOut(): Promise<void> {
  await api.post('sign-out', {});
  // Nothing that was read stays in this page's memory.
  location.assign('/');
}

/** Keeps topics live while a component is there. Must be the same list at every call. */
export function useTopics(...topics: readonly Topic[]): void {
  useEffect(() => connection.watch(topics), []);
}

/** Between two flushes keys have the page to themselves: who types waits for no change of others. */
const calmMs = 100;
let lastFlush = 0;

/**
 * What comes after a quiet time is shown in the next frame; of many changes a second, all of a tenth at once.
 * A page that is not seen gets no frames, but must not pile up what comes either.
 */
function nextFrame(flush: () => void): void {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    lastFlush = performance.now();
    flush();
  };
  const timer = setTimeout(once, 1_000);
  const pauseMs = lastFlush + calmMs - performance.now();
  if (pauseMs <= 0) requestAnimationFrame(once);
  else setTimeout(() => requestAnimationFrame(once), pauseMs);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}
