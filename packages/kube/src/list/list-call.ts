import { setImmediate as nextTurn } from 'node:timers/promises';
import { isObject } from '@waygate/text';
import { KubeError } from '../error.ts';
import type { CallOptions, ListOptions, ListResult } from '../list-options.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import { queryString } from '../transport/resource-path.ts';
import type { Transport } from '../transport/transport.ts';

/**
 * The event loop gets a turn at least this often, while chunks keep coming. A collection of what was
 * parsed may come on top, and takes about twice as long.
 */
const turnMs = 3;

export function listQuery(options: ListOptions): string {
  return queryString({
    labelSelector: options.labelSelector || undefined,
    fieldSelector: options.fieldSelector || undefined,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    limit: options.limit,
    continue: options.continue || undefined,
    timeoutSeconds: options.timeoutSeconds,
  });
}

/** What takes the bytes of a list as they come in: a `ListScanner` or a `ListParser`. */
export interface ListSink {
  push(chunk: Buffer): void;
  /** The list without its items, as JSON text. */
  finish(): string;
}

/** Lists, and hands the bytes over as they come in. */
export async function listCall(
  transport: Transport,
  path: string,
  accept: string,
  options: ListOptions,
  sink: ListSink,
  call: CallOptions,
): Promise<ListResult> {
  const request: ApiRequest = {
    method: 'GET',
    path: `${path}${listQuery(options)}`,
    headers: { accept },
    signal: call.signal,
    timeoutMs: call.timeoutMs,
  };
  const response = await transport.send(request);
  try {
    let turnStart = performance.now();
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      sink.push(chunk);
      if (performance.now() - turnStart < turnMs) continue;
      await nextTurn();
      turnStart = performance.now();
    }
  } catch (error) {
    throw transport.wrap(error, request);
  }
  return resultOf(sink.finish());
}

function resultOf(envelope: string): ListResult {
  let list: unknown;
  try {
    list = JSON.parse(envelope);
  } catch (error) {
    throw new KubeError('WG_KUBE_DECODE', 'the answer is no list', { cause: error });
  }
  if (!isObject(list)) throw new KubeError('WG_KUBE_DECODE', 'the answer is no list');
  const metadata = isObject(list.metadata) ? list.metadata : {};
  return {
    apiVersion: textField(list.apiVersion),
    kind: textField(list.kind),
    resourceVersion: textField(metadata.resourceVersion) ?? '',
    continue: textField(metadata.continue) ?? '',
    ...(typeof metadata.remainingItemCount === 'number'
      ? { remainingItemCount: metadata.remainingItemCount }
      : {}),
  };
}

function textField(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
