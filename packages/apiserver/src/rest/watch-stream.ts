import type { DynamicObject } from '@waygate/schema';
import { encodeJson } from '@waygate/text';
import type { Core } from '../core/core.ts';
import type { Exchange } from '../http/exchange.ts';
import { protobufType, type Representation } from '../http/negotiation.ts';
import { partialOf, tableOf } from '../output/table.ts';
import { wireOf } from '../output/wire.ts';
import { protobufEvent } from '../protobuf/protobuf-writer.ts';
import { apiVersionText, type Resource } from '../resources/resource.ts';
import { fromEntry, prepareEntries } from '../resources/stored-object.ts';
import { ApiError, plainFailure } from '../status/api-error.ts';
import type { Entry } from '../storage/entry.ts';
import type { EntryList } from '../storage/entry-list.ts';
import type { StoreEvent } from '../storage/event-history.ts';
import { entryFilter, type ListOptions } from './list-options.ts';
import { tableOptions } from './read-handlers.ts';

/** A client that lets this much pile up is cut off; it resumes from what it has seen. */
const maxBufferedBytes = 16 * 1024 * 1024;
/** A bookmark is sent this long before the end, so that the next watch starts near it. */
const bookmarkLeadMs = 2000;
/** A client whose webhook falls this many events behind is cut off, and resumes. */
const maxWaiting = 10_000;

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/** One open watch. Owns its timers and its place among the store's listeners, and frees both. */
export class WatchStream {
  readonly #core: Core;
  readonly #exchange: Exchange;
  readonly #resource: Resource;
  readonly #options: ListOptions;
  readonly #representation: Representation;
  readonly #timeoutMs: number;
  readonly #matches: ((entry: Entry) => boolean) | undefined;
  readonly #cleanups: (() => void)[] = [];
  /** The newest version that the client has heard of. */
  #seen = 0;
  #isClosed = false;
  /** Conversions under way, one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #hasSentColumns = false;

  constructor(
    core: Core,
    exchange: Exchange,
    resource: Resource,
    options: ListOptions,
    representation: Representation,
    timeoutMs: number,
  ) {
    this.#core = core;
    this.#exchange = exchange;
    this.#resource = resource;
    this.#options = options;
    this.#representation = representation;
    this.#timeoutMs = timeoutMs;
    this.#matches = entryFilter(options, resource);
  }

  async run(): Promise<void> {
    const { store } = this.#core;
    const { collection } = this.#resource;
    this.#schedule();
    const version = Number(this.#options.resourceVersion || '0');
    const startsWithState =
      this.#options.sendsInitialEvents ?? (version === 0 ? true : undefined) ?? false;
    if (startsWithState) this.#begin();
    else {
      this.#seen = version === 0 ? store.resourceVersion : version;
      for (const event of store.history.since(collection, this.#seen)) this.#take(event);
    }
    this.#cleanups.push(store.subscribe(collection, (event) => this.#take(event)));
    const { response } = this.#exchange;
    await new Promise<void>((resolve) => {
      this.#cleanups.push(resolve);
      response.once('close', () => this.close());
      // The client may have gone while the first events were sent.
      if (response.destroyed) this.close();
      if (this.#isClosed) resolve();
    });
  }

  /** Ends the stream with an error event. */
  fail(error: ApiError): void {
    this.#write(this.#encode('ERROR', error.status));
    this.close();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const cleanup of this.#cleanups) cleanup();
    this.#exchange.response.end();
  }

  #schedule(): void {
    const timeout = setTimeout(() => this.close(), this.#timeoutMs);
    this.#cleanups.push(() => clearTimeout(timeout));
    if (!this.#options.allowsBookmarks) return;
    const period = this.#core.bookmarkPeriodMs;
    const beforeEnd = Math.max(0, this.#timeoutMs - bookmarkLeadMs);
    let timer = setTimeout(
      function tick(stream: WatchStream, isRegular: boolean) {
        stream.#sendBookmark(isRegular);
        timer = setTimeout(tick, period, stream, true);
      },
      Math.min(beforeEnd, period),
      this,
      period <= beforeEnd,
    );
    this.#cleanups.push(() => clearTimeout(timer));
  }

  /** Sends the state of now. Events that come while a webhook still converts it have to wait. */
  #begin(): void {
    const { store } = this.#core;
    const entries = store.collection(this.#resource.collection).list(this.#exchange.info.namespace);
    this.#seen = store.resourceVersion;
    this.#afterConversion(entries, () => this.#sendState(entries));
  }

  #take(event: StoreEvent): void {
    if (this.#isClosed) return;
    const { entry, previous } = event;
    const entries = previous === undefined ? [entry] : [entry, previous];
    this.#afterConversion(entries, () => this.#onEvent(event));
  }

  /** At once, unless a webhook has to convert the entries first; then in the order of the calls. */
  #afterConversion(entries: Iterable<Entry>, send: () => void): void {
    if (this.#resource.custom?.reading.prepare === undefined) {
      send();
      return;
    }
    if (++this.#waiting > maxWaiting) {
      this.close();
      return;
    }
    this.#turn = this.#turn
      .then(() => (this.#isClosed ? undefined : prepareEntries(this.#resource, entries)))
      .then(send)
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.fail(error instanceof ApiError ? error : plainFailure(message));
      })
      .finally(() => this.#waiting--);
  }

  #sendState(entries: EntryList): void {
    for (const entry of entries) {
      if (this.#isSelected(entry)) this.#send('ADDED', entry);
    }
    if (this.#options.sendsInitialEvents === true && this.#options.allowsBookmarks) {
      this.#write(this.#bookmark({ 'k8s.io/initial-events-end': 'true' }));
    }
  }

  #onEvent(event: StoreEvent): void {
    if (this.#isClosed || event.resourceVersion <= this.#seen) return;
    this.#seen = event.resourceVersion;
    const { namespace } = this.#exchange.info;
    if (namespace !== '' && event.entry.namespace !== namespace) return;
    if (this.#matches === undefined) {
      this.#send(event.type, event.entry, event);
      return;
    }
    const wasSelected = event.previous === undefined ? undefined : this.#isSelected(event.previous);
    const isSelected = event.type !== 'DELETED' && this.#isSelected(event.entry);
    if (isSelected) {
      const type = wasSelected === true || (wasSelected === undefined && event.type === 'MODIFIED');
      this.#send(type ? 'MODIFIED' : 'ADDED', event.entry, type ? undefined : event);
    } else if (wasSelected === true || (wasSelected === undefined && event.type !== 'ADDED')) {
      // Out of the selection is gone: the old object, under the new version.
      const last = event.previous ?? event.entry;
      const object = fromEntry(last, this.#resource);
      object.metadata.resourceVersion = String(event.resourceVersion);
      this.#write(this.#encode('DELETED', this.#view(object)));
    }
  }

  #isSelected(entry: Entry): boolean {
    return this.#matches === undefined || this.#matches(entry);
  }

  /** A watch that is long quiet hears where it stands, so that it can tell quiet from dead. */
  #sendBookmark(isRegular: boolean): void {
    const { store } = this.#core;
    if (isRegular) {
      // Events reach this stream as they become visible, but for those that still convert.
      if (this.#waiting === 0) this.#seen = Math.max(this.#seen, store.resourceVersion);
      this.#write(this.#bookmark());
      return;
    }
    const since = Number(this.#options.resourceVersion || '0');
    if (this.#seen <= since && store.resourceVersion > since) {
      // Only writes to this resource make a bookmark worth sending.
      if (store.history.since(this.#resource.collection, since).length === 0) return;
    } else if (this.#seen <= since) return;
    this.#write(this.#bookmark());
  }

  #bookmark(annotations?: Record<string, string>): Buffer {
    const metadata = {
      resourceVersion: String(this.#seen),
      ...(annotations === undefined ? {} : { annotations }),
    };
    const object = {
      kind: this.#resource.kind,
      apiVersion: apiVersionText(this.#resource),
      metadata,
    } as DynamicObject;
    return this.#encode('BOOKMARK', this.#view(object));
  }

  #send(type: EventType, entry: Entry, shared?: StoreEvent): void {
    if (this.#representation.as === 'object') {
      this.#write(this.#encodePlain(type, entry, shared));
      return;
    }
    const object = fromEntry(entry, this.#resource);
    this.#write(this.#encode(type, this.#view(object)));
  }

  #encode(type: string, object: unknown): Buffer {
    return this.#isProtobuf
      ? protobufEvent(type, object as Record<string, unknown>)
      : Buffer.from(`${encodeJson({ type, object })}\n`);
  }

  get #isProtobuf(): boolean {
    return this.#representation.mediaType === protobufType;
  }

  /** Encoded once for all watches that send the same event. */
  #encodePlain(type: EventType, entry: Entry, shared: StoreEvent | undefined): Buffer {
    const isProtobuf = this.#isProtobuf;
    if (shared === undefined || shared.type !== type)
      return encode(type, entry, this.#resource, isProtobuf);
    const cache = isProtobuf ? protobufEvents : encodedEvents;
    let byResource = cache.get(shared);
    if (byResource === undefined) {
      byResource = new Map();
      cache.set(shared, byResource);
    }
    let bytes = byResource.get(this.#resource);
    if (bytes === undefined) {
      bytes = encode(type, entry, this.#resource, isProtobuf);
      byResource.set(this.#resource, bytes);
    }
    return bytes;
  }

  #view(object: DynamicObject): unknown {
    const { as, version } = this.#representation;
    if (as === 'partial') return partialOf(object, version);
    if (as !== 'table') return object;
    const meta = { resourceVersion: object.metadata.resourceVersion };
    const options = tableOptions(this.#core, this.#exchange, this.#representation);
    const table = tableOf(this.#resource, [object], meta, options, !this.#hasSentColumns);
    this.#hasSentColumns = true;
    return table;
  }

  #write(bytes: Buffer): void {
    const { response } = this.#exchange;
    if (this.#isClosed || response.destroyed) return;
    response.write(bytes);
    if (response.writableLength > maxBufferedBytes) {
      response.destroy();
      this.close();
    }
  }
}

const encodedEvents = new WeakMap<StoreEvent, Map<Resource, Buffer>>();
const protobufEvents = new WeakMap<StoreEvent, Map<Resource, Buffer>>();

function encode(type: EventType, entry: Entry, resource: Resource, isProtobuf: boolean): Buffer {
  if (isProtobuf) return protobufEvent(type, fromEntry(entry, resource));
  return Buffer.concat([
    Buffer.from(`{"type":"${type}","object":`),
    wireOf(resource).object(entry),
    Buffer.from('}\n'),
  ]);
}
