import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { DashboardError, DashboardErrorCode } from '../dashboard-error.ts';

const statuses: Readonly<Record<DashboardErrorCode, number>> = {
  WG_DASHBOARD_UNAUTHENTICATED: 401,
  WG_DASHBOARD_FORBIDDEN: 403,
  WG_DASHBOARD_NOT_FOUND: 404,
  WG_DASHBOARD_BAD_REQUEST: 400,
  WG_DASHBOARD_UPSTREAM: 502,
  WG_DASHBOARD_INTERNAL: 500,
};

/** What every answer says: nothing from elsewhere, nothing inline, no frame around it, no guessing of types. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const compress = promisify(gzip);
const smallestCompressed = 1_400;

/** Answers with JSON that is for this person now and for nobody later. */
export async function answerJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): Promise<void> {
  const text = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const isCompressed =
    text.length >= smallestCompressed && acceptsGzip(request) && !response.destroyed;
  const sent = isCompressed ? await compress(text, { level: 1 }) : text;
  if (response.destroyed) return;
  response
    .writeHead(status, {
      ...securityHeaders,
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      Vary: 'Accept-Encoding, Cookie, Authorization',
      'Content-Length': sent.length,
      ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
      ...headers,
    })
    .end(sent);
}

/** Answers with what went wrong, in words for the person. */
export async function answerError(
  request: IncomingMessage,
  response: ServerResponse,
  error: DashboardError,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { code, message } = error;
  await answerJson(request, response, statuses[code], { error: { code, message }, ...more });
}

export function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
}
