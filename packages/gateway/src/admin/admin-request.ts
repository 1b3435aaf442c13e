import { readPercentEscapes } from '@waygate/text';
import type { AdminRequest } from './admin-message.ts';

/** What a call without a query asks for. Nobody changes the query of a call. */
const noQuery = new URLSearchParams();

/** Builds a call from the parts of an HTTP request. */
export function toAdminRequest(
  method: string,
  target: string,
  headers: AdminRequest['headers'],
  body: Buffer,
): AdminRequest {
  const question = target.indexOf('?');
  const path = question === -1 ? target : target.slice(0, question);
  const query = question === -1 ? noQuery : new URLSearchParams(target.slice(question + 1));
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const segments = trimmed === '/' ? [] : trimmed.slice(1).split('/').map(readPercentEscapes);
  return { method, segments, path: trimmed, query, headers, body };
}
