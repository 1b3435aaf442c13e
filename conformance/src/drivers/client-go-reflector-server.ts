import type { ListOptions, ListPage, WatchOptions } from '@waygate/kube';
import type { FakeClock, ListerWatcher, WatchedEvent } from '@waygate/runtime';
import {
  type ErrorData,
  errorFrom,
  type ObjectData,
  objectFrom,
  type ScenarioObject,
  statusFrom,
} from './client-go-object.ts';

interface ListData {
  readonly list?: {
    readonly rv: string;
    readonly items: readonly ObjectData[];
    readonly continue?: string;
    readonly apiVersion?: string;
    readonly kind?: string;
  };
  readonly error?: ErrorData | string;
  /** Empty lists, one after the other, at these versions. */
  readonly listSequence?: readonly string[];
}

interface WatchData {
  readonly events?: readonly (readonly [string, ObjectData & ErrorData])[];
  readonly then?: 'close';
  readonly afterMs?: number;
  readonly openError?: ErrorData | string;
  readonly stopAfterMs?: number;
}

export interface ServerData {
  readonly lists?: readonly ListData[];
  readonly byRV?: Record<string, ListData>;
  readonly byContinue?: Record<string, ListData>;
  readonly byRequest?: readonly (readonly [Record<string, unknown>, ListData])[];
  readonly watches?: readonly WatchData[];
  readonly watchesRepeat?: WatchData;
  readonly stopAfterMs?: number;
  readonly eachWatchAdvancesMs?: number;
  readonly extraAdvance?: { readonly beforeWatch: number; readonly ms: number };
}

export type RequestData = Record<string, unknown> & { readonly verb: 'list' | 'watch' };

/** Answers lists and watches by the script of a scenario, and remembers what was asked. */
export class ScriptedServer implements ListerWatcher<ScenarioObject> {
  readonly requests: RequestData[] = [];
  watchStops = 0;
  /** Called when the script says that the client is to be stopped. */
  onStop: () => void = () => {};
  /** Called when an event that was sent has been taken. */
  onEventTaken: () => void = () => {};
  /** Which watches that the script leaves open stop the client; without one, something else ends it. */
  stopsAfter: 'last' | 'each' | 'none' = 'last';
  readonly supportsWatchList: boolean;
  private readonly data: ServerData;
  private readonly clock: FakeClock;
  private nextList = 0;
  private nextWatch = 0;
  private readonly sequences = new Map<ListData, number>();

  constructor(data: ServerData, clock: FakeClock, supportsWatchList: boolean) {
    this.data = data;
    this.clock = clock;
    this.supportsWatchList = supportsWatchList;
  }

  async list(options: ListOptions): Promise<ListPage<ScenarioObject>> {
    this.requests.push({ verb: 'list', ...options });
    const answer = this.listAnswer(options);
    if (answer === undefined)
      throw new Error(`the script has no answer to ${JSON.stringify(options)}`);
    if (answer.error !== undefined) throw errorFrom(answer.error);
    const list = answer.list ?? this.nextOfSequence(answer);
    const { rv, items, continue: token, apiVersion, kind } = list;
    return {
      resourceVersion: rv,
      continue: token ?? '',
      items: items.map(objectFrom),
      apiVersion,
      kind,
    };
  }

  async watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchedEvent<ScenarioObject>>> {
    this.requests.push({ verb: 'watch', ...options });
    const { watches, watchesRepeat, eachWatchAdvancesMs, extraAdvance } = this.data;
    const number = ++this.nextWatch;
    if (eachWatchAdvancesMs !== undefined) this.clock.jump(eachWatchAdvancesMs);
    if (extraAdvance?.beforeWatch === number) this.clock.jump(extraAdvance.ms);
    const script = watches?.[number - 1] ?? watchesRepeat;
    if (script?.openError !== undefined) {
      if (script.stopAfterMs !== undefined)
        this.clock.after(script.stopAfterMs, () => this.onStop());
      throw errorFrom(script.openError);
    }
    const isLast = watchesRepeat === undefined && number >= (watches?.length ?? 0);
    const isStop = this.stopsAfter === 'each' || (this.stopsAfter === 'last' && isLast);
    return this.stream(script ?? { events: [] }, isStop, signal);
  }

  private async *stream(
    script: WatchData,
    isStop: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<WatchedEvent<ScenarioObject>> {
    try {
      for (const [type, data] of script.events ?? []) {
        if (type === 'ERROR') {
          yield { type, object: statusFrom(data) };
          return;
        }
        yield { type, object: objectFrom(data) } as WatchedEvent<ScenarioObject>;
        this.onEventTaken();
      }
      if (script.then === 'close') {
        await this.clock.sleep(script.afterMs ?? 0, signal);
        return;
      }
      if (script.stopAfterMs !== undefined) await this.clock.sleep(script.stopAfterMs, signal);
      if (script.stopAfterMs !== undefined || isStop) this.onStop();
      if (!signal.aborted)
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
    } finally {
      this.watchStops++;
    }
  }

  private nextOfSequence(answer: ListData): NonNullable<ListData['list']> {
    const position = this.sequences.get(answer) ?? 0;
    this.sequences.set(answer, position + 1);
    const rv = answer.listSequence?.[position];
    if (rv === undefined) throw new Error('the script has no further list');
    return { rv, items: [] };
  }

  private listAnswer(options: ListOptions): ListData | undefined {
    const { lists, byRV, byContinue, byRequest } = this.data;
    if (byRV !== undefined) return byRV[options.resourceVersion ?? ''];
    if (byContinue !== undefined) return byContinue[options.continue ?? ''];
    if (byRequest !== undefined)
      return byRequest.find(([request]) => isRequest(request, { verb: 'list', ...options }))?.[1];
    return lists?.[this.nextList++];
  }
}

/** Whether a request is the one described: what is not mentioned must be absent, or empty. */
export function isRequest(expected: Record<string, unknown>, actual: RequestData): boolean {
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...names].every((name) => isValue(expected[name], actual[name]));
}

function isValue(expected: unknown, actual: unknown): boolean {
  const range = typeof expected === 'string' && /^random\[(\d+),(\d+)\]$/.exec(expected);
  if (range) return Number(actual) >= Number(range[1]) && Number(actual) <= Number(range[2]);
  return (expected ?? '') === (actual ?? '');
}
