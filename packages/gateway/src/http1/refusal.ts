import { errorBody, errorMessage } from '../http/error-body.ts';
import { newRequestId } from '../http/request-id.ts';
import { serverHeader } from '../version.ts';
import { statusLine } from './head-text.ts';

/** Answers what could not be read as a request. */
export function refusal(status: number): string {
  const requestId = newRequestId();
  const body = errorBody(errorMessage(status), requestId, undefined, 'text');
  return (
    `${statusLine(status)}Date: ${new Date().toUTCString()}\r\n` +
    `Content-Type: ${body.contentType}\r\nContent-Length: ${Buffer.byteLength(body.text)}\r\n` +
    `Connection: close\r\nX-Kong-Response-Latency: 0\r\nServer: ${serverHeader}\r\n` +
    `X-Kong-Request-Id: ${requestId}\r\n\r\n${body.text}`
  );
}
