import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';
import { escapePath } from '../router/request-path.ts';
import { framed, MessageFrames } from './grpc-gateway/message-frames.ts';
import { jsonText } from './grpc-gateway/proto-decode.ts';
import { encodeMessage } from './grpc-gateway/proto-encode.ts';
import { serviceOf } from './grpc-gateway/proto-service.ts';
import type { ProtoTypes } from './grpc-gateway/proto-types.ts';

interface Config {
  readonly proto: string | null;
  readonly pass_stripped_path: boolean | null;
  readonly allow_origin_header: string;
}

/** How the client writes its messages. */
interface Encoding {
  readonly contentType: string;
  readonly isText: boolean;
  /** Of messages in JSON: how they are told apart, and what they are. */
  readonly json?: Transcoding;
}

interface Transcoding {
  /** Whether each message has a head of gRPC before it; without, the body is one message and no trailers follow. */
  readonly isFramed: boolean;
  readonly types: ProtoTypes;
  readonly input: string;
  readonly output: string;
}

const shared = 'grpc-web';
const maximumBodyBytes = 64 * 1_024 * 1_024;
const trailersFlag = 0x80;
const noProto = 'transcoding requests require a .proto file defining the service';
const noSuchType = 'the content type is neither of gRPC-Web nor JSON';
const noMessage = 'failed to encode payload';

/** Lets browsers talk to gRPC services, which need HTTP/2 and trailers that browsers do not have. */
export const grpcWeb = definePlugin<Config>({
  name: 'grpc-web',
  priority: 3,
  access(context, config) {
    if (context.method === 'OPTIONS') {
      context.exit(200, 'OK', {
        'Content-Type': 'application/grpc-web-text+proto',
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'content-type,x-grpc-web,x-user-agent',
      });
      return undefined;
    }
    const { upstream, match } = context;
    if (config.pass_stripped_path === true && upstream !== undefined && match !== undefined) {
      upstream.path = escapePath(match.upstreamPath, true);
    }
    const encoding = encodingOf(context, config);
    if (typeof encoding === 'string') {
      context.exit(400, encoding);
      return undefined;
    }
    context.shared.set(shared, encoding);
    upstream?.headers.set('Content-Type', 'application/grpc');
    upstream?.headers.set('TE', 'trailers');
    return encoding.isText || encoding.json !== undefined ? rewrite(context, encoding) : undefined;
  },
  headerFilter(context, config) {
    const { headers } = context.response ?? {};
    headers?.set('Access-Control-Allow-Origin', config.allow_origin_header);
    const encoding = encodingFor(context);
    if (encoding !== undefined) {
      headers?.set('Content-Type', encoding.contentType);
      headers?.remove('content-length');
    }
  },
  bodyStream(context) {
    const encoding = encodingFor(context);
    if (encoding === undefined) return undefined;
    const { json } = encoding;
    const encode = (bytes: Buffer) =>
      encoding.isText ? Buffer.from(bytes.toString('base64')) : bytes;
    const transcode = json === undefined ? (bytes: Buffer) => bytes : toJson(json);
    return {
      data: (bytes) => encode(transcode(bytes)),
      end: (trailers) =>
        json?.isFramed === false ? Buffer.alloc(0) : encode(trailersFrame(context, trailers)),
    };
  },
});

/** Undefined for answers that are not the service's own. */
function encodingFor(context: RequestContext): Encoding | undefined {
  return context.response?.source === 'upstream'
    ? (context.shared.get(shared) as Encoding | undefined)
    : undefined;
}

const contentTypes = /^application\/(?:(json)|grpc-web(-text)?(?:\+proto|(\+json))?)$/;

/** How the client writes, or why that cannot be read. */
function encodingOf(context: RequestContext, { proto }: Config): Encoding | string {
  const contentType = context.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const [match, plain, text, framedJson] = contentTypes.exec(contentType ?? '') ?? [];
  if (match === undefined) return proto === null ? noProto : noSuchType;
  const encoding = { contentType: match, isText: text !== undefined };
  if (plain === undefined && framedJson === undefined) return encoding;
  if (proto === null) return noProto;
  const { types } = serviceOf(proto);
  const path = context.upstream?.path ?? '';
  const method = types.methods.find((each) => each.path === path);
  if (method === undefined) return `Unkown path ${JSON.stringify(path)}`;
  const json = {
    isFramed: plain === undefined,
    types,
    input: types.messageName(method.input),
    output: types.messageName(method.output),
  };
  return { ...encoding, json };
}

/** Gives the service the messages as it writes them. */
async function rewrite(context: RequestContext, { isText, json }: Encoding): Promise<void> {
  const body = await readBody(context, maximumBodyBytes);
  const { upstream } = context;
  if (body === undefined) {
    context.fail(413, 'Request size limit exceeded');
    return;
  }
  if (upstream === undefined) return;
  const decoded = isText ? decodeText(body.toString('latin1')) : body;
  if (json === undefined) {
    upstream.body = decoded;
    return;
  }
  // Answers are read here, which compressed ones cannot be.
  for (const name of ['accept-encoding', 'grpc-accept-encoding']) upstream.headers.remove(name);
  try {
    upstream.body = fromJson(json, decoded);
  } catch {
    context.exit(400, noMessage);
  }
}

/** Throws at what is no JSON, or not of the message. */
function fromJson({ isFramed, types, input }: Transcoding, body: Buffer): Buffer {
  const frames = new MessageFrames(maximumBodyBytes);
  const messages = isFramed ? frames.push(body) : [body];
  if (frames.rest().length > 0) throw new Error('the last message is cut');
  return Buffer.concat(
    messages.map((text) =>
      framed(encodeMessage(types, input, JSON.parse(text.toString('utf8')) as unknown)),
    ),
  );
}

/** The service's messages as JSON, each as soon as it is whole. */
function toJson({ isFramed, types, output }: Transcoding): (bytes: Buffer) => Buffer {
  const frames = new MessageFrames(maximumBodyBytes);
  return (bytes) =>
    Buffer.concat(
      frames.push(bytes).map((message) => {
        const text = Buffer.from(jsonText(types, output, message));
        return isFramed ? framed(text) : text;
      }),
    );
}

/** A client may encode each message by itself: padding then stands inside the text. */
function decodeText(text: string): Buffer {
  const pieces = text.match(/[^=]+={0,2}/g) ?? [];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')));
}

/** Trailers as the last message of the body. An answer without a body has them among its headers. */
function trailersFrame(context: RequestContext, trailers: readonly string[]): Buffer {
  const fields = new Map<string, string>();
  for (let index = 0; index < trailers.length; index += 2) {
    fields.set((trailers[index] ?? '').toLowerCase(), trailers[index + 1] ?? '');
  }
  const field = (name: string) => fields.get(name) ?? context.response?.headers.get(name);
  const lines = [`grpc-status:${field('grpc-status') ?? '0'}`];
  lines.push(`grpc-message:${field('grpc-message') ?? ''}`);
  for (const [name, value] of fields) {
    if (name !== 'grpc-status' && name !== 'grpc-message') lines.push(`${name}:${value}`);
  }
  return framed(Buffer.from(`${lines.join('\r\n')}\r\n`), trailersFlag);
}
