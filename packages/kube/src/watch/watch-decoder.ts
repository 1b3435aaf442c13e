import { isObject, type KubeObject, type Status } from '@waygate/schema';
import { KubeError } from '../error.ts';
import { itemText } from '../list/item-metadata.ts';
import { textOf } from '../list/json-text.ts';
import type { WatchEvent } from '../watch-event.ts';
import { LineSplitter } from './line-splitter.ts';

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
 * for await (const event of decodeWatch(response.body)) console.log(event.type);
 * ```
 */
export async function* decodeWatch<T extends KubeObject = KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
  options: WatchDecoderOptions = {},
): AsyncGenerator<WatchEvent<T>, void, void> {
  const omit = options.omitManagedFields === true;
  for await (const line of linesOf(chunks, options)) {
    const event =
      typeof line === 'string'
        ? undecodable(line)
        : omit
          ? decodeWithout<T>(line)
          : decodeLine<T>(line);
    yield event;
    if (event.type === 'ERROR') return;
  }
}

/** As `decodeWatch`, with the object's bytes instead of the object. They are the receiver's own. */
export async function* decodeWatchBytes(
  chunks: AsyncIterable<Uint8Array>,
  options: WatchDecoderOptions = {},
): AsyncGenerator<RawWatchEvent, void, void> {
  for await (const line of linesOf(chunks, options)) {
    const event = typeof line === 'string' ? undecodable(line) : decodeLineBytes(line);
    yield event;
    if (event.type === 'ERROR') return;
  }
}

/** Lines that are not blank; a text says why there are no more. */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  options: WatchDecoderOptions,
): AsyncGenerator<Buffer | string, void, void> {
  const splitter = new LineSplitter(options.maxLineBytes ?? 64 * 1024 * 1024);
  try {
    for await (const chunk of chunks) {
      for (const line of splitter.push(asBuffer(chunk))) if (!isBlank(line)) yield line;
    }
  } catch (error) {
    if (!(error instanceof KubeError) || error.code !== 'WG_KUBE_DECODE') throw error;
    yield error.message;
    return;
  }
  const rest = splitter.rest();
  if (isBlank(rest)) return;
  if (isJson(rest)) {
    yield rest;
    return;
  }
  throw new KubeError('WG_KUBE_CONNECTION', 'the watch broke off in the middle of an event', {
    cause: Object.assign(new Error('unexpected end of the stream'), { code: 'ECONNRESET' }),
  });
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk)
    ? chunk
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length < 16 && line.toString('latin1').trim() === '');
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
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
