import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';

interface Config {
  readonly proto: string | null;
  readonly pass_stripped_path: boolean | null;
  readonly allow_origin_header: string;
}

/** How the client writes its messages. */
interface Encoding {
  readonly contentType: string;
  readonly isText: boolean;
}

const shared = 'grpc-web';
const maximumBodyBytes = 64 * 1_024 * 1_024;
const trailersFlag = 0x80;
const noProto = 'transcoding requests require a .proto file defining the service';
const noTranscoding = 'this gateway does not transcode messages with a .proto file';

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
    const encoding = encodingOf(context.headers.get('content-type'));
    if (encoding === undefined) {
      context.exit(400, config.proto === null ? noProto : noTranscoding);
      return undefined;
    }
    context.shared.set(shared, encoding);
    const headers = context.upstream?.headers;
    headers?.set('Content-Type', 'application/grpc');
    headers?.set('TE', 'trailers');
    return encoding.isText ? decodeBody(context) : undefined;
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
    if (encoding === undefined) {
      return undefined;
    }
    const encode = (bytes: Buffer) =>
      encoding.isText ? Buffer.from(bytes.toString('base64')) : bytes;
    return {
      data: encode,
      end: (trailers) => encode(trailersFrame(context, trailers)),
    };
  },
});

/** Undefined for answers that are not the service's own. */
function encodingFor(context: RequestContext): Encoding | undefined {
  return context.response?.source === 'upstream'
    ? (context.shared.get(shared) as Encoding | undefined)
    : undefined;
}

function encodingOf(contentType: string | undefined): Encoding | undefined {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const match = /^application\/grpc-web(-text)?(\+proto)?$/.exec(type);
  return match === null ? undefined : { contentType: type, isText: match[1] !== undefined };
}

async function decodeBody(context: RequestContext): Promise<void> {
  const body = await readBody(context, maximumBodyBytes);
  if (body === undefined) {
    context.fail(413, 'Request size limit exceeded');
  } else if (context.upstream !== undefined) {
    context.upstream.body = decodeText(body.toString('latin1'));
  }
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
    if (name !== 'grpc-status' && name !== 'grpc-message') {
      lines.push(`${name}:${value}`);
    }
  }
  const text = Buffer.from(`${lines.join('\r\n')}\r\n`);
  const head = Buffer.alloc(5);
  head.writeUInt8(trailersFlag, 0);
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, text]);
}
