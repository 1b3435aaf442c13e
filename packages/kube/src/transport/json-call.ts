import { encodeJson, type HttpHeaders, readBody, TextError } from '@waygate/text';
import { KubeError } from '../error.ts';
import type { CallOptions } from '../list-options.ts';
import type { ApiRequest } from './api-request.ts';
import { textOf } from './json-text.ts';
import type { Transport } from './transport.ts';

/** A request with JSON in it, answered by JSON. */
export interface JsonRequest {
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly headers?: HttpHeaders | undefined;
  /** An object is sent as JSON; a text as it is. */
  readonly body?: unknown;
  readonly contentType?: string | undefined;
}

/** The largest answer that is taken whole. V8's strings end at 512 MiB; lists are streamed. */
const maxBytes = 256 * 1024 * 1024;

/** Sends a request and gives its answer, parsed. */
export async function callJson<T>(
  transport: Transport,
  request: JsonRequest,
  call: CallOptions = {},
): Promise<T> {
  const text = await callText(transport, request, call);
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    const path = request.path.split('?', 1)[0];
    throw new KubeError('WG_KUBE_DECODE', `${request.method} ${path}: the answer is not JSON`, {
      cause: error,
    });
  }
}

export async function callText(
  transport: Transport,
  request: JsonRequest,
  call: CallOptions = {},
): Promise<string> {
  const http = httpRequestOf(request, call);
  const response = await transport.send(http);
  try {
    return textOf(await readBody(response, maxBytes));
  } catch (error) {
    if (error instanceof TextError) {
      throw new KubeError('WG_KUBE_DECODE', error.message, { cause: error });
    }
    throw transport.wrap(error, http);
  }
}

function httpRequestOf(request: JsonRequest, call: CallOptions): ApiRequest {
  const { body } = request;
  const hasBody = body !== undefined;
  return {
    method: request.method,
    path: request.path,
    headers: {
      ...(hasBody ? { 'content-type': request.contentType ?? 'application/json' } : {}),
      ...request.headers,
    },
    body: !hasBody ? undefined : typeof body === 'string' ? body : encodeJson(body),
    signal: call.signal,
    timeoutMs: call.timeoutMs,
  };
}
