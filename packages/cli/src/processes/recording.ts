import { readFile } from 'node:fs/promises';
import { isObject } from '@waygate/text';

/** One answer that was recorded. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Headers that belong to the connection on which the answer was recorded. */
const ofConnection = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
]);

/**
 * Reads a HAR file, as browsers and proxies save it: answers by method and path with its query. Of two for
 * the same the last counts.
 *
 * @throws Error that names the file when it is none
 */
export async function readRecording(file: string): Promise<ReadonlyMap<string, RecordedAnswer>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`cannot read the recording ${file}: ${error.code ?? error.message}`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`the recording ${file} is no JSON: ${(error as Error).message}`);
  }
  const entries = isObject(value) && isObject(value.log) ? value.log.entries : undefined;
  if (!Array.isArray(entries)) throw new Error(`the recording ${file} is no HAR file: log.entries`);
  const answers = new Map<string, RecordedAnswer>();
  entries.forEach((entry: unknown, index) => {
    const read = readEntry(entry);
    if (read === undefined)
      throw new Error(`the recording ${file} is no HAR file: log.entries[${index}]`);
    answers.set(...read);
  });
  return answers;
}

function readEntry(entry: unknown): [string, RecordedAnswer] | undefined {
  if (!isObject(entry) || !isObject(entry.request) || !isObject(entry.response)) return undefined;
  const { request, response } = entry;
  const { method, url } = request as { method?: unknown; url?: unknown };
  const { status } = response as { status?: unknown };
  if (typeof method !== 'string' || typeof url !== 'string' || typeof status !== 'number')
    return undefined;
  if (!URL.canParse(url, 'http://localhost')) return undefined;
  const { pathname, search } = new URL(url, 'http://localhost');
  const content = isObject(response.content) ? response.content : {};
  const text = typeof content.text === 'string' ? content.text : '';
  const body = content.encoding === 'base64' ? Buffer.from(text, 'base64') : text;
  return [`${method} ${pathname}${search}`, { status, headers: headersOf(response.headers), body }];
}

function headersOf(list: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const each of Array.isArray(list) ? list : []) {
    if (!isObject(each) || typeof each.name !== 'string') continue;
    const name = each.name.toLowerCase();
    if (!name.startsWith(':') && !ofConnection.has(name)) headers[name] = String(each.value ?? '');
  }
  return headers;
}
