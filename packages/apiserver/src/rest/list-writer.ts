import { answerBytes, writeHead } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { wireOf } from '../output/wire.ts';
import { apiVersionText, type Resource } from '../resources/resource.ts';
import type { ListPage } from './list-page.ts';

/** What is written before the event loop gets its turn, and waits for a slow reader. */
const sliceBytes = 2 * 1024 * 1024;
/** Shorter answers are one write with their head. */
const shortBytes = 64 * 1024;

/** Lists of custom resources carry a continue token even when it is empty. */
export function listMetadata(page: ListPage, resource: Resource): Record<string, unknown> {
  return {
    resourceVersion: String(page.resourceVersion),
    ...(page.continueToken === '' && !resource.isCustom ? {} : { continue: page.continueToken }),
    ...(page.remainingItemCount === undefined
      ? {}
      : { remainingItemCount: page.remainingItemCount }),
  };
}

/**
 * Writes a list as JSON. Segments that no write has touched since the last list are joined already,
 * so that this hands over a buffer for each and copies nothing.
 */
export async function writeList(
  exchange: Exchange,
  resource: Resource,
  page: ListPage,
): Promise<void> {
  const wire = wireOf(resource);
  let slice: Buffer[] = [Buffer.from(headText(resource, page))];
  let size = 0;
  let isFirst = true;
  let isStarted = false;
  for (const range of page.entries.ranges) {
    for (const bytes of wire.items(range)) {
      slice.push(isFirst ? bytes.subarray(1) : bytes);
      isFirst = false;
      size += bytes.length;
    }
    if (size < sliceBytes) continue;
    if (!isStarted) writeHead(exchange, 200, { 'Content-Type': 'application/json' });
    isStarted = true;
    if (!(await writeSlice(exchange, slice))) return;
    slice = [];
    size = 0;
  }
  slice.push(listEnd);
  if (!isStarted && size <= shortBytes) {
    answerBytes(exchange, 200, Buffer.concat(slice), { 'Content-Type': 'application/json' });
    return;
  }
  if (!isStarted) writeHead(exchange, 200, { 'Content-Type': 'application/json' });
  writeTogether(exchange, slice);
  exchange.response.end();
}

const listEnd = Buffer.from(']}\n');

function headText(resource: Resource, page: ListPage): string {
  const kind = JSON.stringify(resource.listKind);
  const version = JSON.stringify(apiVersionText(resource));
  const metadata = JSON.stringify(listMetadata(page, resource));
  return `{"kind":${kind},"apiVersion":${version},"metadata":${metadata},"items":[`;
}

/** One chunk on the wire and one system call, however many buffers. */
function writeTogether({ response }: Exchange, buffers: readonly Buffer[]): boolean {
  response.flushHeaders();
  response.cork();
  let isFlushed = true;
  for (const bytes of buffers) isFlushed = response.write(bytes);
  response.uncork();
  return isFlushed;
}

/** False when the client is gone. */
async function writeSlice(exchange: Exchange, buffers: readonly Buffer[]): Promise<boolean> {
  const { response } = exchange;
  const isFlushed = writeTogether(exchange, buffers);
  if (response.destroyed) return false;
  await new Promise<void>((resolve) => {
    if (isFlushed) setImmediate(resolve);
    else {
      const done = () => {
        response.off('drain', done);
        response.off('close', done);
        resolve();
      };
      response.on('drain', done);
      response.on('close', done);
    }
  });
  return !response.destroyed;
}
