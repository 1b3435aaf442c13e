import type { IncomingMessage } from 'node:http';
import { isObject } from '@waygate/text';
import { DashboardError } from '../dashboard-error.ts';

/** A question is short; whatever is longer is no question. */
const mostBytes = 64 * 1024;

/** The JSON object that a request carries. */
export async function readJsonBody(
  request: IncomingMessage,
): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw bad('the body must be application/json');
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > mostBytes) throw bad(`the body is longer than ${mostBytes} bytes`);
    parts.push(part as Buffer);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    if (isObject(body)) return body;
  } catch {
    // The same words for what is no JSON and for what is no object.
  }
  throw bad('the body is no JSON object');
}

/** A field of it that must be there and be text. */
export function textField(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '') return value;
  throw bad(`${name} is missing`);
}

function bad(message: string): DashboardError {
  return new DashboardError('WG_DASHBOARD_BAD_REQUEST', message);
}
