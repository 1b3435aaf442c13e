import type { Readable } from 'node:stream';
import type { Status } from '@waygate/schema';
import { type HttpResponse, isObject, retryAfterSeconds } from '@waygate/text';
import { KubeError } from '../error.ts';
import type { ApiRequest } from './api-request.ts';

const maxErrorBytes = 1024 * 1024;
const maxText = 2048;

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The error that an answer with a status of 400 or more is. Reads its body. */
export async function errorOfResponse(
  request: ApiRequest,
  response: HttpResponse,
  now: () => number,
): Promise<KubeError> {
  const { statusCode } = response;
  const retryAfter = retryAfterSeconds(response, now);
  const text = await readBounded(response.body, maxErrorBytes);
  const status = statusOf(text) ?? genericStatus(request, statusCode, text);
  return new KubeError('WG_KUBE_API', status.message || `the API answered ${statusCode}`, {
    statusCode,
    status,
    retryAfterSeconds: retryAfter,
  });
}

/** The body as text, cut where it gets too long; what was read counts when the rest fails. */
async function readBounded(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch {
    // The status code says enough; a body that breaks off only loses the details.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

function statusOf(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && value.kind === 'Status' && value.status !== 'Success') {
      return value as Status;
    }
  } catch {
    // Proxies and old servers answer in text.
  }
  return undefined;
}

function genericStatus(request: ApiRequest, statusCode: number, text: string): Status {
  const path = request.path.split('?', 1)[0] as string;
  const said = text.trim().slice(0, maxText);
  const reason =
    statusCode === 409 && request.method === 'POST' ? 'AlreadyExists' : reasons[statusCode];
  return {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code: statusCode,
    message: `${request.method} ${path}: the server answered ${statusCode}${said === '' ? '' : `: ${said}`}`,
    ...(reason === undefined ? {} : { reason }),
  };
}
