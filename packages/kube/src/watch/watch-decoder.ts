import type { KubeObject, Status } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { itemText } from '../list/item-metadata.ts';
import { textOf } from '../transport/json-text.ts';
import type { WatchEvent } from '../watch-event.ts';
import { EventStream, type WatchStream } from './event-stream.ts';

/** How the bytes of a watch are read. */
export interface WatchDecoderOptions {
  /** The longest line that is taken. Default 64 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** Cuts `metadata.managedFields` out before parsing. */
  readonly omitManagedFields?: boolean | undefined;
}

/** One line of a watch, its object still bytes. */
export type RawWatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly bytes: Buffer }
  | { readonly type: 'ERROR'; readonly object: Status };

const types = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

/**
 * The events in a stream of bytes. A line that cannot be understood is never skipped: it becomes an
 * `ERROR` event with status 500, and the stream ends there. A stream that breaks off in the middle
 * of a line throws, one that ends after a line ends.
 *
 * ```ts
 * import { Readable } from 'node:stream';
 *
 * const body = Readable.from([Buffer.from('{"type":"BOOKMARK","object":{"kind":"Pod"}}\n')]);
 * for await (const event of decodeWatch(body)) console.log(event.type); // 'BOOKMARK'
 * ```
 */
export function decodeWatch<T extends KubeObject = KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
  options: WatchDecoderOptions = {},
): WatchStream<WatchEvent<T>> {
  const decode = options.omitManagedFields === true ? decodeWithout<T> : decodeLine<T>;
  return new EventStream(chunks, { decode, undecodable, isLast }, options.maxLineBytes);
}

/** As `decodeWatch`, with the object's bytes instead of the object. They are the receiver's own. */
export function decodeWatchBytes(
  chunks: AsyncIterable<Uint8Array>,
  options: WatchDecoderOptions = {},
): WatchStream<RawWatchEvent> {
  const decode = decodeLineBytes;
  return new EventStream(chunks, { decode, undecodable, isLast }, options.maxLineBytes);
}

function isLast({ type }: { readonly type: string }): boolean {
  return type === 'ERROR';
}

function decodeLine<T extends KubeObject>(line: Buffer): WatchEvent<T> {
  let value: unknown;
  try {
    value = JSON.parse(textOf(line));
  } catch (error) {
    return undecodable(`a line that is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) return undecodable('a line that is no object');
  const { type, object } = value;
  if (type === 'ERROR') return { type, object: (isObject(object) ? object : {}) as Status };
  if (typeof type !== 'string' || !types.has(type)) {
    return undecodable(`an event of the unknown type ${JSON.stringify(type)?.slice(0, 80)}`);
  }
  if (!isObject(object)) return undecodable(`an event ${type} without an object`);
  return { type: type as 'ADDED', object: object as unknown as T };
}

/** Go's encoder always writes `{"type":"…","object":…}`; what is written otherwise is parsed. */
function splitLine(line: Buffer): { type: 'ADDED'; object: Buffer } | undefined {
  const head = /^\{"type":"(ADDED|MODIFIED|DELETED|BOOKMARK)","object":(?=\{)/.exec(
    line.toString('latin1', 0, 40),
  );
  let end = line.length;
  while (end > 0 && (line[end - 1] as number) <= 0x20) end--;
  if (head === null || line[end - 1] !== 0x7d || line[end - 2] !== 0x7d) return undefined;
  return { type: head[1] as 'ADDED', object: line.subarray(head[0].length, end - 1) };
}

function decodeWithout<T extends KubeObject>(line: Buffer): WatchEvent<T> {
  const parts = splitLine(line);
  try {
    if (parts !== undefined) {
      return { type: parts.type, object: JSON.parse(itemText(parts.object, true)) as T };
    }
  } catch {
    // The whole line is parsed instead, and tells what is wrong with it.
  }
  const event = decodeLine<T>(line);
  if (event.type !== 'ERROR') delete event.object.metadata?.managedFields;
  return event;
}

function decodeLineBytes(line: Buffer): RawWatchEvent {
  const parts = splitLine(line);
  if (parts !== undefined) return { type: parts.type, bytes: Buffer.from(parts.object) };
  const event = decodeLine(line);
  if (event.type === 'ERROR') return event;
  return { type: event.type, bytes: Buffer.from(JSON.stringify(event.object)) };
}

function undecodable(problem: string): { type: 'ERROR'; object: Status } {
  return {
    type: 'ERROR',
    object: {
      apiVersion: 'v1',
      kind: 'Status',
      status: 'Failure',
      code: 500,
      reason: 'InternalError',
      message: `unable to decode an event from the watch stream: ${problem}`,
      details: { causes: [{ reason: 'ClientWatchDecoding', message: problem }] },
    },
  };
}
