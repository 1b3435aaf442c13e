import { useEffect, useState } from 'preact/hooks';
import { ApiFailure } from './api.ts';
import { api } from './dashboard.ts';

/** What was asked once, for a page that is not live. */
interface Answered<Answer> {
  readonly answer: Answer | undefined;
  readonly failure: ApiFailure | undefined;
  readonly again: () => void;
}

/** Asks `GET path`; again when the path changes. `undefined` asks nothing. */
export function useAnswer<Answer>(path: string | undefined): Answered<Answer> {
  return useAsked(path ?? '', path === undefined ? undefined : (signal) => api.get(path, signal));
}

/** Asks whatever it is told to; again when the key changes. An older answer never replaces a newer one. */
export function useAsked<Answer>(
  key: string,
  ask: ((signal: AbortSignal) => Promise<Answer>) | undefined,
): Answered<Answer> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ key: string; answer?: Answer; failure?: ApiFailure }>({
    key: '',
  });
  useEffect(() => {
    if (!ask) return;
    const over = new AbortController();
    ask(over.signal).then(
      (answer) => setState({ key, answer }),
      (error: unknown) => {
        if (over.signal.aborted) return;
        if (!(error instanceof ApiFailure)) throw error;
        setState({ key, failure: error });
      },
    );
    return () => over.abort();
  }, [key, round]);
  const isCurrent = state.key === key;
  return {
    answer: isCurrent ? state.answer : undefined,
    failure: isCurrent ? state.failure : undefined,
    again: () => setRound(round + 1),
  };
}
