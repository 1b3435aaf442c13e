import type { RequestContext } from '../../plugin/request-context.ts';
import { viaHeader } from '../../version.ts';

/** What a function in a cloud answered. */
export interface CloudAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** What belongs to the connection that it came on. */
const ofConnection: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'transfer-encoding'],
  'content-length',
]);

/** Gives the client what a function answered. Nothing that it says ends a line of the head. */
export function exitWithAnswer(
  context: RequestContext,
  { status, headers, body }: CloudAnswer,
): void {
  const raw: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const isName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
    if (value === undefined || !isName || ofConnection.has(name.toLowerCase())) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      raw.push(name, String(each).replace(/[\r\n\0]/g, ' '));
    }
  }
  context.exitWith = {
    status,
    body,
    contentType: undefined,
    headers: {},
    rawHeaders: [...raw, 'Via', viaHeader],
  };
}
