import { STATUS_CODES } from 'node:http';
import type { ErrorBody } from '../../http/error-body.ts';
import type { RequestContext } from '../../plugin/request-context.ts';

/** nginx's words where they are not those of the standard. */
const titles: Readonly<Record<number, string>> = {
  401: '401 Authorization Required',
  405: '405 Not Allowed',
  413: '413 Request Entity Too Large',
  414: '414 Request-URI Too Large',
  416: '416 Requested Range Not Satisfiable',
  494: '400 Request Header Or Cookie Too Large',
  495: '400 The SSL certificate error',
  496: '400 No required SSL certificate was sent',
  503: '503 Service Temporarily Unavailable',
  504: '504 Gateway Time-out',
};

/** The page that nginx answers a status with when it has nothing else to say. */
export function nginxPage(status: number): ErrorBody {
  const words = STATUS_CODES[status];
  const title = titles[status] ?? (words === undefined ? String(status) : `${status} ${words}`);
  return {
    contentType: 'text/html',
    text: `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
  };
}

/** Sends a client elsewhere, with nginx's page for those who do not follow. */
export function redirectTo(
  context: RequestContext,
  status: number,
  location: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { text, contentType } = nginxPage(status);
  context.exit(status, text, { 'Content-Type': contentType, Location: location, ...headers });
}
