import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '@waygate/text';

/** What was posted to a receiver. */
interface HookRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly token: string;
}

/** One type of receivers: who may post there, and what is looked at. */
interface ReceiverType {
  /** Why a request is not taken; undefined when it is. */
  readonly refusal: (request: HookRequest) => string | undefined;
  /** The header that names what happened, for types whose events can be chosen. */
  readonly eventHeader?: string;
  /** What filters see of a request's JSON, where that is not all of it. */
  readonly bodyOf?: (payload: unknown) => unknown;
}

const algorithms: ReadonlySet<string> = new Set(['sha1', 'sha256', 'sha512']);

/** The types of receivers that are served, by their names in a spec. */
export const receiverTypes: ReadonlyMap<string, ReceiverType> = new Map<string, ReceiverType>([
  // Who knows the path may post: it is made from the token.
  ['generic', { refusal: () => undefined }],
  // By the bearer token alone, which was checked by then.
  ['generic-oidc', { refusal: () => undefined }],
  [
    'gcr',
    {
      refusal: (request) =>
        pushedImage(payloadOf(request)) === undefined ? 'the payload tells of no image' : undefined,
      bodyOf: pushedImage,
    },
  ],
  ['acr', { refusal: noJson }],
  ['dockerhub', { refusal: noJson }],
  ['quay', { refusal: noJson }],
  ['cdevents', { refusal: noCdEvent, eventHeader: 'ce-type' }],
  ['generic-hmac', { refusal: (request) => signatureRefusal(request, 'x-signature') }],
  ['github', { refusal: gitHubRefusal, eventHeader: 'x-github-event' }],
  ['bitbucket', { refusal: gitHubRefusal, eventHeader: 'x-event-key' }],
  [
    'gitlab',
    {
      refusal: ({ headers, token }) => tokenRefusal(headers['x-gitlab-token'], token),
      eventHeader: 'x-gitlab-event',
    },
  ],
  ['harbor', { refusal: ({ headers, token }) => tokenRefusal(headers.authorization, token) }],
  [
    'nexus',
    {
      refusal: ({ headers, body, token }) =>
        digestRefusal('sha1', oneOf(headers['x-nexus-webhook-signature']), body, token),
    },
  ],
]);

/** Whether the event that a request names is one of those that are wanted; all are when none is named. */
export function isEventWanted(
  { eventHeader }: ReceiverType,
  headers: IncomingHttpHeaders,
  wanted: readonly string[] = [],
): boolean {
  if (eventHeader === undefined || wanted.length === 0) return true;
  const event = oneOf(headers[eventHeader]).toLowerCase();
  return wanted.some((one) => one.toLowerCase() === event);
}

/** The JSON that was posted, also where a form carries it; undefined when there is none. */
export function payloadOf({ headers, body }: Pick<HookRequest, 'headers' | 'body'>): unknown {
  const type = oneOf(headers['content-type']).split(';', 1)[0]?.trim().toLowerCase();
  const text = body.toString('utf8');
  const isForm = type === 'application/x-www-form-urlencoded';
  try {
    return JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
  } catch {
    return undefined;
  }
}

function gitHubRefusal(request: HookRequest): string | undefined {
  const newer = 'x-hub-signature-256';
  const header = request.headers[newer] === undefined ? 'x-hub-signature' : newer;
  return (
    signatureRefusal(request, header) ??
    (payloadOf(request) === undefined ? 'the payload is no JSON' : undefined)
  );
}

/** `sha256=<hex>` in a header. */
function signatureRefusal(
  { headers, body, token }: HookRequest,
  header: string,
): string | undefined {
  const signature = oneOf(headers[header]);
  if (signature === '') return `the header ${header} is missing`;
  const [algorithm = '', digest = ''] = signature.split('=');
  if (!algorithms.has(algorithm)) return `the header ${header} names no algorithm that is known`;
  return digestRefusal(algorithm, digest, body, token);
}

function digestRefusal(
  algorithm: string,
  digest: string,
  body: Buffer,
  token: string,
): string | undefined {
  const expected = createHmac(algorithm, token).update(body).digest('hex');
  return isSame(expected, digest.toLowerCase()) ? undefined : 'the signature is wrong';
}

function tokenRefusal(given: string | string[] | undefined, token: string): string | undefined {
  return isSame(token, oneOf(given)) ? undefined : 'the token is wrong';
}

/** Compared by digests, so that neither the place of a difference nor the length shows in the time. */
function isSame(expected: string, given: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(given));
}

function noJson(request: HookRequest): string | undefined {
  return isObject(payloadOf(request)) ? undefined : 'the payload is no JSON object';
}

/** What Pub/Sub pushes of an image: it is wrapped in a message, as base64. */
function pushedImage(payload: unknown): Readonly<Record<string, string>> | undefined {
  const message = isObject(payload) ? payload.message : undefined;
  const data = isObject(message) && typeof message.data === 'string' ? message.data : '';
  let image: unknown;
  try {
    image = JSON.parse(Buffer.from(data, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isObject(image)) return undefined;
  const { action = '', digest = '', tag = '' } = image;
  const isWhole = [action, digest, tag].every((one) => typeof one === 'string');
  return isWhole ? { action: `${action}`, digest: `${digest}`, tag: `${tag}` } : undefined;
}

/** What every CDEvent has, whatever it tells. */
function noCdEvent(request: HookRequest): string | undefined {
  const payload = payloadOf(request);
  const context = isObject(payload) ? payload.context : undefined;
  if (!isObject(payload) || !isObject(context) || !isObject(payload.subject))
    return 'the payload is no CDEvent';
  const isText = (name: string) => typeof context[name] === 'string' && context[name] !== '';
  const names = ['version', 'id', 'source', 'type', 'timestamp'];
  const missing = names.find((name) => !isText(name));
  if (missing !== undefined) return `the payload is no CDEvent: context.${missing} is missing`;
  const type = oneOf(request.headers['ce-type']);
  return type === '' || type === context.type ? undefined : 'Ce-Type is not that of the payload';
}

function oneOf(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? '';
}
