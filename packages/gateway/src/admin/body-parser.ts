import { findPluginSchema, findSchema, type JsonObject, type JsonValue } from '@waygate/kong';
import { isObject } from '@waygate/text';
import type { AdminRequest, AdminResponse } from './admin-message.ts';
import { message } from './admin-message.ts';

type ParsedBody =
  | { readonly kind: 'object'; readonly body: JsonObject }
  | { readonly kind: 'error'; readonly response: AdminResponse };

const unsupported: AdminResponse = {
  status: 415,
  headers: { 'Content-Type': 'text/html; charset=UTF-8' },
  body:
    '<html>\r\n<head><title>415 Unsupported Media Type</title></head>\r\n<body>\r\n' +
    '<center><h1>415 Unsupported Media Type</h1></center>\r\n</body>\r\n</html>\r\n',
};

/** Reads a body by its content type: JSON, a form, or several parts. */
export function parseBody(request: AdminRequest): ParsedBody {
  const contentType = request.headers['content-type'] ?? '';
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const isRead =
    request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE';
  if (request.body.length === 0 && (type !== 'application/json' || isRead)) return object({});
  switch (type) {
    case 'application/json':
      return parseJson(request.body);
    case 'application/x-www-form-urlencoded':
      return object(parseForm(new URLSearchParams(request.body.toString('utf8'))));
    case 'multipart/form-data':
      return parseParts(request.body, contentType);
    case '':
      return object({});
    default:
      return { kind: 'error', response: unsupported };
  }
}

function object(body: JsonObject): ParsedBody {
  return { kind: 'object', body };
}

function parseJson(bytes: Buffer): ParsedBody {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { kind: 'error', response: message(400, 'Cannot parse JSON body') };
  }
  if (!isObject(value)) {
    return { kind: 'error', response: message(400, 'expected a JSON object as the body') };
  }
  return object(value as JsonObject);
}

type Tree = { [key: string]: JsonValue };

/** Whether a call came as a form, whose values are all text. */
export function isForm(request: AdminRequest): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(
    request.headers['content-type'] ?? '',
  );
}

/** Fits what a form says to an entity's fields: one value is a list of one, numbers may be names. */
export function fitToSchema(collection: string, body: JsonObject): JsonObject {
  const fields = findSchema(collection)?.fields;
  // What a plugin is configured with is said by its own schema.
  const own =
    collection === 'plugins' && typeof body.name === 'string'
      ? findPluginSchema(body.name)?.fields
      : undefined;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      fitValue(own?.get(name) ?? fields?.get(name), value ?? null),
    ]),
  ) as JsonObject;
}

/** The schema of one field, as far as its shape goes. */
interface Shape {
  readonly type: string;
  readonly elements?: Shape;
  readonly values?: Shape;
  readonly fields?: ReadonlyMap<string, Shape>;
}

function fitValue(shape: Shape | undefined, value: JsonValue): JsonValue {
  if (shape === undefined || value === null) return value;
  const { type, elements, values, fields } = shape;
  if (type === 'set' || type === 'array') {
    const list = Array.isArray(value) ? value : isObject(value) ? undefined : [value];
    return list?.map((each) => fitValue(elements, each as JsonValue)) ?? value;
  }
  if (isObject(value) && (type === 'map' || type === 'record')) {
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([name, each]) => [
        name,
        fitValue(type === 'map' ? values : fields?.get(name), each ?? null),
      ]),
    );
  }
  return type === 'string' && typeof value === 'number' ? String(value) : value;
}

/**
 * Builds an entity from form fields: `a.b=1` nests, `a[]=1` and `a[1]=1` make lists, and what looks
 * like a number or a boolean is one. `tags=x` stays a text that the schema turns into a list of one.
 */
function parseForm(fields: Iterable<readonly [string, string]>): JsonObject {
  const root: Tree = Object.create(null) as Tree;
  for (const [name, text] of fields) insert(root, name.split('.'), toValue(text));
  return root;
}

function insert(tree: Tree, path: readonly string[], value: JsonValue): void {
  const [first = '', ...rest] = path;
  const list = /^(.*)\[(\d*)\]$/.exec(first);
  const name = list?.[1] ?? first;
  if (name === '__proto__') return;
  if (rest.length > 0) {
    const next = tree[name];
    const child: Tree = isObject(next) ? ({ ...next } as Tree) : {};
    insert(child, rest, value);
    tree[name] = child;
  } else if (list !== null) {
    const known = tree[name];
    tree[name] = [...(Array.isArray(known) ? known : []), value];
  } else {
    const known = tree[name];
    tree[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
  }
}

function toValue(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === '') return null;
  return /^-?\d+(\.\d+)?$/.test(text) && text.length < 16 ? Number(text) : text;
}

function parseParts(bytes: Buffer, contentType: string): ParsedBody {
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) return object({});
  const fields: [string, string][] = [];
  for (const part of bytes.toString('utf8').split(`--${mark}`).slice(1, -1)) {
    const split = part.indexOf('\r\n\r\n');
    const name = /name="([^"]*)"/i.exec(part.slice(0, Math.max(split, 0)))?.[1];
    if (split !== -1 && name !== undefined) {
      fields.push([name, part.slice(split + 4).replace(/\r\n$/, '')]);
    }
  }
  return object(parseForm(fields));
}
