/** One recorded exchange; the suite's README tells the format. */
export interface RecordedExchange {
  readonly group: string;
  readonly name: string;
  readonly setup?: boolean;
  readonly polled?: boolean;
  readonly whileWatching?: readonly string[] | string;
  readonly action?: string;
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly bodyText?: string;
    readonly refs?: readonly RecordedReference[];
  };
  readonly response?: RecordedResponse;
  readonly webhookCalls?: readonly RecordedWebhookCall[];
}

export interface RecordedReference {
  readonly in: 'body' | 'query' | 'path';
  readonly at?: string;
  readonly param?: string;
  readonly fromIndex: number;
  readonly pointer: string;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodySummary?: Readonly<Record<string, unknown>>;
  readonly events?: readonly WatchLine[];
  readonly closedBy?: 'client' | 'server';
}

export interface WatchLine {
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
}

export interface RecordedWebhookCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly answered: { readonly status: number; readonly body: unknown };
}

export interface Transcript {
  readonly theme: string;
  readonly title: string;
  readonly exchanges: readonly RecordedExchange[];
}

/** What came back, in the same shape as a recording. */
export interface ActualResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
  readonly body: unknown;
  readonly events: readonly WatchLine[];
}

/** The value at a JSON pointer; undefined when there is none. */
export function atPointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

/** Sets the value at a JSON pointer that exists. */
export function setAtPointer(target: unknown, pointer: string, value: unknown): void {
  const parts = pointer.split('/').slice(1);
  const last = parts.pop();
  if (last === undefined) return;
  const parent = atPointer(target, parts.length === 0 ? '' : `/${parts.join('/')}`);
  if (typeof parent !== 'object' || parent === null) return;
  (parent as Record<string, unknown>)[last.replaceAll('~1', '/').replaceAll('~0', '~')] = value;
}
