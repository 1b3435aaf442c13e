/**
 * Names and values that an application is told of a request, with one character a byte, in order; of two
 * alike the later counts.
 */
export type FastCgiParams = readonly (readonly [name: string, value: string])[];

/** Of FastCGI 1.0. Each connection carries one request, so it has the id 1. */
const version = 1;
const requestId = 1;
const types = { begin: 1, params: 4, stdin: 5 } as const;
/** The role of a responder, and no wish to keep the connection. */
const beginBody = Buffer.from([0, 1, 0, 0, 0, 0, 0, 0]);
const maximumContent = 65_535;

/** All of a request but its body. */
export function fastCgiHead(params: FastCgiParams): Buffer {
  const pairs = Buffer.concat(params.map(([name, value]) => pairBytes(name, value)));
  return Buffer.concat([
    recordOf(types.begin, beginBody),
    ...records(types.params, pairs),
    recordOf(types.params, Buffer.alloc(0)),
  ]);
}

/** A piece of a body; nothing for an empty one, which would end it. */
export function fastCgiBody(chunk: Buffer): Buffer {
  return Buffer.concat(records(types.stdin, chunk));
}

/** What comes after the last piece of a body. */
export const fastCgiBodyEnd: Buffer = recordOf(types.stdin, Buffer.alloc(0));

function records(type: number, content: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let from = 0; from < content.length; from += maximumContent) {
    all.push(recordOf(type, content.subarray(from, from + maximumContent)));
  }
  return all;
}

function recordOf(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head[0] = version;
  head[1] = type;
  head.writeUInt16BE(requestId, 2);
  head.writeUInt16BE(content.length, 4);
  return Buffer.concat([head, content]);
}

function pairBytes(name: string, value: string): Buffer {
  const [first, second] = [Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1')];
  return Buffer.concat([sizeBytes(first.length), sizeBytes(second.length), first, second]);
}

/** One byte, or four of which the first bit says so. */
function sizeBytes(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((size | 0x80000000) >>> 0);
  return bytes;
}
