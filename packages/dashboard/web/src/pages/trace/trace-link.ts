import type { TraceQuestion } from '../../../../src/protocol/pages.ts';

/** Headers that say who somebody is: they are asked with, but never written into a link. */
const secretHeaders =
  /^(authorization|proxy-authorization|cookie|.*(token|secret|api-?key|password).*)$/i;

export function isSecretHeader(name: string): boolean {
  return secretHeaders.test(name);
}

/** The address that asks the same again, for whoever it is given to. */
export function traceAddress(question: TraceQuestion): string {
  const query = new URLSearchParams({ url: question.url });
  if (question.method && question.method !== 'GET') query.set('method', question.method);
  for (const [name, value] of Object.entries(question.headers ?? {}))
    if (!isSecretHeader(name)) query.append('header', `${name}: ${value}`);
  return `/trace?${query}`;
}

/** Back from the address. */
export function traceOfQuery(query: URLSearchParams): TraceQuestion | undefined {
  const url = query.get('url');
  if (!url) return undefined;
  const headers: Record<string, string> = {};
  for (const header of query.getAll('header')) {
    const colon = header.indexOf(':');
    if (colon > 0)
      headers[header.slice(0, colon).trim().toLowerCase()] = header.slice(colon + 1).trim();
  }
  const method = query.get('method');
  return {
    url,
    ...(method && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}
