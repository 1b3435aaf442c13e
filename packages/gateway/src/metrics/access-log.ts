import type { RequestContext } from '../plugin/request-context.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A line in the combined log format, with the request id as Kong adds it. */
export function formatAccessLine(context: RequestContext, now: number): string {
  const { client, method, target, request, response } = context;
  const status = response?.status ?? 499;
  const referer = safe(context.headers.get('referer'));
  const agent = safe(context.headers.get('user-agent'));
  const line = `${client.ip} - - [${time(now)}] "${method} ${safe(target)} HTTP/${request.httpVersion}"`;
  const rest = `${status} ${context.responseBytes} "${referer}" "${agent}"`;
  return `${line} ${rest} kong_request_id: "${context.requestId}"`;
}

/** What clients send may not break out of its field. */
function safe(text: string | undefined): string {
  return text === undefined
    ? '-'
    : text.replace(/["\\]|[^\x20-\x7e]/g, (character) => {
        const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
        return `\\x${code}`;
      });
}

function time(now: number): string {
  const date = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${two(date.getUTCDate())}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}`;
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${day}:${clock} +0000`;
}
