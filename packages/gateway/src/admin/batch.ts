import { isObject } from '@waygate/text';
import type { AdminRequest, AdminResponse } from './admin-message.ts';
import { message, ok } from './admin-message.ts';
import { toAdminRequest } from './admin-request.ts';

/** Where many calls are taken in one. Kong has nothing there, so that nobody takes us for it by mistake. */
const batchSegments: readonly string[] = ['waygate', 'batches'];
const mostRequests = 1_000;
/**
 * Calls between two turns of the event loop: requests of clients are carried meanwhile. What the calls
 * of one turn wrote comes into force together, with one new snapshot.
 */
const callsPerTurn = 100;
const methods: ReadonlySet<unknown> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const nothing = Buffer.alloc(0);

/** One call of a batch, with its body as it was read with the batch. */
interface BatchedCall {
  readonly request: AdminRequest;
  readonly body: Record<string, unknown> | undefined;
}

/** Whether a request is about batches: a `GET` asks how long they may be, a `POST` is one. */
export function isBatch({ method, segments }: AdminRequest): boolean {
  const isThere =
    segments.length === 2 && segments.every((segment, index) => segment === batchSegments[index]);
  return isThere && (method === 'GET' || method === 'POST');
}

/** How many requests one batch may have. */
export function batchLimits(): AdminResponse {
  return ok({ most: mostRequests });
}

/**
 * Does the calls of a batch one after another; each has an answer of its own, in their order, and one
 * that fails keeps no other from being done. `brief` ones tell of success by their status alone.
 */
export async function answerBatch(
  body: unknown,
  headers: AdminRequest['headers'],
  call: (one: BatchedCall) => AdminResponse | Promise<AdminResponse>,
): Promise<AdminResponse> {
  const requests = isObject(body) ? body.requests : undefined;
  if (!Array.isArray(requests)) return message(400, 'requests: required field missing');
  if (requests.length > mostRequests)
    return message(413, `a batch has ${mostRequests} requests at most`);
  const answers: { status: number; body?: unknown }[] = [];
  for (const one of requests) {
    const batched = callOf(one, headers);
    const answer = batched === undefined ? malformed : call(batched);
    // Most are done at once: to wait for each would publish each alone.
    const { status, body: told } = answer instanceof Promise ? await answer : answer;
    const isBrief = isObject(one) && one.brief === true && status < 400;
    answers.push(isBrief || told === undefined ? { status } : { status, body: told });
    if (answers.length % callsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return ok({ answers });
}

const malformed = message(
  400,
  'a request of a batch has a method and a path, and a body that is an object',
);

/** A batch has no batches in it, and no whole configuration: that is read by its own type. */
function callOf(one: unknown, headers: AdminRequest['headers']): BatchedCall | undefined {
  if (!isObject(one)) return undefined;
  const { method, path, body } = one;
  if (!methods.has(method) || typeof path !== 'string' || !path.startsWith('/')) return undefined;
  if (body !== undefined && !isObject(body)) return undefined;
  const request = toAdminRequest(String(method), path, headers, nothing);
  const [room] = request.segments;
  return room === batchSegments[0] || room === 'config' ? undefined : { request, body };
}
