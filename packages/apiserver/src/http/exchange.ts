import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserInfo } from '../access/user.ts';
import { bodyText } from '../decode/body-text.ts';
import { protobufToJson } from '../protobuf/protobuf-body.ts';
import { readBody } from './body-reader.ts';
import { protobufType } from './negotiation.ts';
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
  /** The JSON of a body in protobuf, once it was asked for: what is read then is of that type. */
  #translated: string | undefined;

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

  /** Whether other requests share the connection (HTTP/2), which has no headers of its own then. */
  get isMultiplexed(): boolean {
    return this.request.httpVersionMajor > 1;
  }

  async body(): Promise<Buffer> {
    this.#body ??= await readBody(this.request);
    return this.#body;
  }

  /** The body's text; a body in protobuf is turned into JSON, and so is the content type. */
  async bodyText(): Promise<string> {
    const body = await this.body();
    if (this.contentType === protobufType && body.length > 0) {
      this.#translated = protobufToJson(body);
    }
    // What is no text at all is refused for its type, by whoever knows which ones there may be.
    if (!isTextType(this.contentType)) return body.toString('latin1');
    return this.#translated ?? bodyText(body);
  }

  warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  /** The media type of the body, without parameters. */
  get contentType(): string {
    if (this.#translated !== undefined) return 'application/json';
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

/** JSON and YAML, also as patches; without a type a body is JSON. */
function isTextType(type: string): boolean {
  return type === '' || type === '*/*' || /json|yaml/.test(type);
}
