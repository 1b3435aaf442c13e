import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserInfo } from '../auth/user.ts';
import { decodeProtobuf, ProtobufProblem } from '../decode/protobuf.ts';
import { ApiError } from '../status/api-error.ts';
import { bodyText, readBody } from './body-reader.ts';
import type { RequestInfo } from './request-info.ts';

/** One request and the answer to it. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  /** Sent as `Warning` headers with the answer. */
  readonly warnings: string[] = [];
  #body: Buffer | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    info: RequestInfo,
    query: URLSearchParams,
    user: UserInfo,
  ) {
    this.request = request;
    this.response = response;
    this.info = info;
    this.query = query;
    this.user = user;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  async body(): Promise<Buffer> {
    this.#body ??= await readBody(this.request);
    return this.#body;
  }

  /** The body as text; protobuf is turned into the JSON that it stands for. */
  async bodyText(): Promise<string> {
    const body = await this.body();
    if (!this.#isProtobuf || body.length === 0) return bodyText(body);
    try {
      return JSON.stringify(decodeProtobuf(body));
    } catch (error) {
      if (!(error instanceof ProtobufProblem)) throw error;
      throw new ApiError(
        415,
        'UnsupportedMediaType',
        `the body of the request was in an unknown format: ${error.message}; send application/json instead`,
      );
    }
  }

  get #isProtobuf(): boolean {
    return this.#rawContentType === 'application/vnd.kubernetes.protobuf';
  }

  warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  /** The media type of what {@link bodyText} gives, without parameters. */
  get contentType(): string {
    return this.#isProtobuf ? 'application/json' : this.#rawContentType;
  }

  get #rawContentType(): string {
    return (this.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  }

  /** The name under which the client's writes are recorded. */
  fieldManager(): string {
    const asked = this.query.get('fieldManager') ?? '';
    if (asked !== '') return asked;
    const agent = this.header('user-agent') ?? '';
    const name = agent.split('/')[0]?.trim() ?? '';
    return name === '' ? 'unknown' : name.slice(0, 128);
  }
}
