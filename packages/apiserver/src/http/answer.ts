import type { Status } from '@waygate/schema';
import { encodeJson, printYaml, StorageError } from '@waygate/text';
import { protobufOf } from '../protobuf/protobuf-writer.ts';
import { ApiError, notAcceptable } from '../status/api-error.ts';
import { notStored } from '../status/storage-status.ts';
import type { Exchange } from './exchange.ts';
import { type MediaType, mediaTypeOf, parseAccept, protobufType } from './negotiation.ts';

/** Bodies up to this size carry a length; longer ones are chunked, as from the real server. */
const chunkThreshold = 2048;

/** Writes the head of an answer with the headers that all of them have. */
export function writeHead(
  exchange: Exchange,
  code: number,
  headers: Record<string, string | string[]>,
): void {
  const { response, warnings } = exchange;
  const all: Record<string, string | string[]> = {
    'Cache-Control': 'no-cache, private',
    ...headers,
  };
  if (warnings.length > 0) all.Warning = warnings.map((text) => `299 - ${quoteHeader(text)}`);
  response.writeHead(code, all);
}

function quoteHeader(text: string): string {
  const clean = text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[\\"]/g, '\\$&');
  return `"${Buffer.from(clean, 'utf8').toString('latin1')}"`;
}

export function answerBytes(
  exchange: Exchange,
  code: number,
  bytes: Buffer,
  headers: Record<string, string | string[]>,
): void {
  const length: Record<string, string> =
    bytes.length > chunkThreshold ? {} : { 'Content-Length': String(bytes.length) };
  writeHead(exchange, code, { ...headers, ...length });
  exchange.response.end(exchange.request.method === 'HEAD' ? undefined : bytes);
}

/** Writes a value in the media type that was agreed on. */
export function answerJson(
  exchange: Exchange,
  code: number,
  value: unknown,
  mediaType: MediaType = 'application/json',
  headers: Record<string, string> = {},
): void {
  if (mediaType === protobufType) {
    const bytes = protobufOf(value as Record<string, unknown>);
    if (bytes === undefined) throw notAcceptable(['application/json', 'application/yaml']);
    answerBytes(exchange, code, bytes, { 'Content-Type': mediaType, ...headers });
    return;
  }
  const text =
    mediaType === 'application/yaml'
      ? printYaml(value)
      : `${encodeJson(value, isPretty(exchange) ? 2 : 0)}\n`;
  answerBytes(exchange, code, Buffer.from(text), { 'Content-Type': mediaType, ...headers });
}

export function isPretty(exchange: Exchange): boolean {
  const asked = exchange.query.get('pretty');
  return asked !== null && asked !== 'false' && asked !== '0';
}

export function answerText(exchange: Exchange, code: number, text: string): void {
  answerBytes(exchange, code, Buffer.from(text), {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  });
}

/** The answer for paths that no part of the server knows. */
export function answerNoPage(exchange: Exchange): void {
  answerText(exchange, 404, '404 page not found\n');
}

export function answerError(exchange: Exchange, error: unknown, log: (line: string) => void): void {
  const { response } = exchange;
  const status = statusOf(error, log);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retryAfter = status.details?.retryAfterSeconds;
  // Refusals before any handler ran are written by a plainer part of the real server.
  const isEarly = error instanceof ApiError && error.isEarly;
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  if (isEarly) headers['X-Content-Type-Options'] = 'nosniff';
  // An unread body would otherwise be taken for the next request of the connection.
  if (!exchange.request.complete && !exchange.isMultiplexed) headers.Connection = 'close';
  answerJson(exchange, status.code ?? 500, status, errorType(exchange, isEarly), headers);
}

/** Errors are told in the encoding that was asked for first; YAML is left to objects. */
function errorType(exchange: Exchange, isEarly: boolean): MediaType {
  if (isEarly) return 'application/json';
  const known = parseAccept(exchange.header('accept'))
    .map((clause) => mediaTypeOf(clause.type))
    .find((type) => type !== undefined);
  return known === protobufType ? protobufType : 'application/json';
}

function statusOf(error: unknown, log: (line: string) => void): Status {
  if (error instanceof ApiError) return error.status;
  if (error instanceof StorageError) return notStored(error).status;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log(`apiserver: a request failed unexpectedly: ${text}`);
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`).status;
}
