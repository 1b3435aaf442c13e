import { isObject } from '@waygate/text';
import { QueryArguments } from '../http/query-arguments.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';
import type { HttpBinding } from './grpc-gateway/http-binding.ts';
import { framed, MessageFrames } from './grpc-gateway/message-frames.ts';
import { jsonText } from './grpc-gateway/proto-decode.ts';
import { encodeMessage } from './grpc-gateway/proto-encode.ts';
import { serviceOf } from './grpc-gateway/proto-service.ts';
import type { ProtoTypes } from './grpc-gateway/proto-types.ts';

interface Config {
  readonly proto: string | null;
}

const shared = 'grpc-gateway';
const mostBytes = 64 * 1024 * 1024;
const noProto = 'transcoding requests require a .proto file defining the service';
const options = {
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET,POST,PATCH,DELETE',
  'Access-Control-Allow-Headers': 'content-type',
};

/** The status of HTTP for each of gRPC's, by number. */
const statuses = [
  200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 500, 500, 503, 500, 401,
];

/** Lets clients that speak HTTP and JSON ask gRPC services, as the rules of their .proto file say. */
export const grpcGateway = definePlugin<Config>({
  name: 'grpc-gateway',
  priority: 998,
  async access(context, config) {
    if (context.method === 'OPTIONS') return context.exit(200, 'OK', options);
    if (config.proto === null) return context.exit(400, noProto);
    const { types, bindings } = serviceOf(config.proto);
    const found = findBinding(bindings, context);
    if (typeof found === 'string') {
      return context.exit(400, `failed to transcode .proto file ${found}`);
    }
    const body = await readBody(context, mostBytes);
    if (body === undefined) return context.fail(413, 'Request size limit exceeded');
    const { binding, variables } = found;
    const { upstream } = context;
    if (upstream === undefined) return;
    try {
      const payload = payloadOf(context, binding, variables, body);
      const input = types.messageName(binding.grpc.input);
      upstream.body = framed(encodeMessage(types, input, payload));
    } catch (error) {
      const why = error instanceof PayloadProblem ? error.message : 'failed to encode payload';
      return context.exit(400, why);
    }
    context.shared.set(shared, { types, output: types.messageName(binding.grpc.output) });
    upstream.method = 'POST';
    upstream.path = binding.grpc.path;
    upstream.query = undefined;
    upstream.headers.set('Content-Type', 'application/grpc');
    upstream.headers.set('TE', 'trailers');
    // Answers are read here, which compressed ones cannot be.
    for (const name of ['accept-encoding', 'grpc-accept-encoding']) upstream.headers.remove(name);
  },
  headerFilter(context) {
    const { response } = context;
    if (response === undefined) return;
    response.headers.set('Access-Control-Allow-Origin', '*');
    if (response.source !== 'upstream' || !context.shared.has(shared)) return;
    response.headers.set('Content-Type', 'application/json');
    response.headers.remove('content-length');
    const status = response.headers.get('grpc-status');
    if (status !== undefined) response.status = statuses[Number(status)] ?? 500;
  },
  bodyStream(context) {
    const kept = context.shared.get(shared) as { types: ProtoTypes; output: string } | undefined;
    if (kept === undefined || context.response?.source !== 'upstream') return undefined;
    const frames = new MessageFrames(mostBytes);
    return {
      data: (bytes) =>
        Buffer.concat(
          frames.push(bytes).map((frame) => Buffer.from(jsonText(kept.types, kept.output, frame))),
        ),
      end: () => frames.rest(),
    };
  },
});

class PayloadProblem extends Error {}

function findBinding(
  bindings: readonly HttpBinding[],
  context: RequestContext,
): { binding: HttpBinding; variables: Readonly<Record<string, string>> } | string {
  const verb = context.method.toLowerCase();
  const path = context.target.split('?')[0] ?? '';
  const ofVerb = bindings.filter((each) => each.verb === verb);
  if (ofVerb.length === 0) return `Unknown method ${JSON.stringify(verb)}`;
  for (const binding of ofVerb) {
    const variables = binding.match(path);
    if (variables !== undefined) return { binding, variables };
  }
  return `Unknown path ${JSON.stringify(path)}`;
}

/** Path, then body or query, as the rule says. */
function payloadOf(
  context: RequestContext,
  { body: target }: HttpBinding,
  variables: Readonly<Record<string, string>>,
  body: Buffer,
): Record<string, unknown> {
  const payload = blank();
  for (const [name, value] of Object.entries(variables)) setAt(payload, name, value);
  if (target === undefined) {
    const query = new QueryArguments(context.query ?? '');
    for (const name of query.names()) {
      const values = query.getAll(name);
      setAt(payload, name, values.length > 1 ? values : (values[0] ?? true));
    }
    return payload;
  }
  if (body.length === 0) return payload;
  const given = parsed(body);
  if (target !== '*') payload[target] = given;
  else if (isObject(given)) Object.assign(payload, given);
  else throw new PayloadProblem('body must be a table');
  return payload;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new PayloadProblem('decode json err: the body is not JSON');
  }
}

/** Without what every object has from the language. */
function blank(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

/** `a.b.c` is a field of a field of a field. */
function setAt(payload: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() as string;
  let inner = payload;
  for (const name of names) {
    if (!isObject(inner[name])) inner[name] = blank();
    inner = inner[name] as Record<string, unknown>;
  }
  inner[last] = value;
}
