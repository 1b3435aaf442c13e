import { type ErrorBody, errorBody, errorMessage } from '../http/error-body.ts';
import { newRequestId } from '../http/request-id.ts';
import { serverHeader } from '../version.ts';
import { statusLine } from './head-text.ts';

/** What is said with a status, where it is not Kong's to say. */
export type RefusalPage = (status: number) => ErrorBody;

/** Answers what could not be read as a request. */
export function refusal(status: number, page?: RefusalPage): string {
  return page === undefined ? kongRefusal(status) : plainRefusal(status, page);
}

/** nginx has names of its own for some, which clients do not get to see. */
function plainRefusal(status: number, page: RefusalPage): string {
  const { contentType, text } = page(status);
  return (
    `${statusLine(status === 494 ? 400 : status)}Date: ${new Date().toUTCString()}\r\n` +
    `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
    `Connection: close\r\n\r\n${text}`
  );
}

function kongRefusal(status: number): string {
  const requestId = newRequestId();
  const body = errorBody(errorMessage(status), requestId, undefined, 'text');
  return (
    `${statusLine(status)}Date: ${new Date().toUTCString()}\r\n` +
    `Content-Type: ${body.contentType}\r\nContent-Length: ${Buffer.byteLength(body.text)}\r\n` +
    `Connection: close\r\nX-Kong-Response-Latency: 0\r\nServer: ${serverHeader}\r\n` +
    `X-Kong-Request-Id: ${requestId}\r\n\r\n${body.text}`
  );
}
