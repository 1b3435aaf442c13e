import type { ServerRequest } from '../exchange/server-request.ts';
import type { Http1Body } from './http1-body.ts';
import type { RequestHead } from './request-head.ts';

/** A request on an HTTP/1 connection. */
export class Http1Request implements ServerRequest {
  readonly method: string;
  readonly target: string;
  readonly authority: string | undefined;
  readonly httpVersion: string;
  readonly httpVersionMajor = 1;
  readonly rawHeaders: string[];
  readonly body: Http1Body | undefined;
  readonly contentLength: number | undefined;
  readonly expectsContinue: boolean;
  readonly upgrade: string | undefined;

  constructor(head: RequestHead, body: Http1Body | undefined) {
    this.method = head.method;
    this.target = head.target;
    this.authority = head.authority;
    this.httpVersion = head.version;
    this.rawHeaders = head.rawHeaders;
    this.body = body;
    this.contentLength = head.framing.kind === 'length' ? head.framing.length : undefined;
    this.expectsContinue = head.expectsContinue;
    this.upgrade = body === undefined ? head.upgrade : undefined;
  }

  get isBodyWhole(): boolean {
    return this.body?.decoder.isDone ?? true;
  }

  get trailers(): readonly string[] {
    return this.body?.trailers ?? [];
  }
}
