import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { JsonObject } from '@waygate/kong';
import { main } from 'waygate';
import { fail, type Outcome, pass, skip } from '../driver.ts';
import { AdminStub, type StubAnswer, type StubRequest } from './admin-stub.ts';
import { fileOf } from './deck-recorded-file.ts';

/** One exchange of a recording. */
interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly response?: unknown;
  readonly body?: JsonObject;
}

/** What the real decK sent and printed for one command line. */
export interface ProtocolCase {
  readonly id: string;
  readonly cmd: string;
  readonly rc: number;
  readonly stdout: string;
  /** What the server of the recording did on purpose. */
  readonly injected?: { readonly version?: string };
  readonly requests: readonly RecordedRequest[];
}

interface Written {
  readonly method: string;
  readonly path: string;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** The Kong of all recordings, which decK does not always ask for its version. */
const kong = { status: 200, body: { version: '2.3.3', configuration: { database: 'postgres' } } };
const unknown = { status: 404, body: { message: 'Not found' } };

/** What was answered then, to the same question; the server of a recording knows nothing else. */
function recordedAnswer(
  requests: readonly RecordedRequest[],
  { method, url, text }: StubRequest,
  counts: Map<string, number>,
): StubAnswer {
  const found = requests.find(
    (one) =>
      one.method === method &&
      one.path === url.pathname &&
      // The size of pages is a matter of the client; what is selected is not.
      (['offset', 'tags'] as const).every(
        (name) => (one.query[name] ?? null) === url.searchParams.get(name),
      ),
  );
  if (found !== undefined) return { status: found.status, body: found.response };
  if (method === 'PUT' || method === 'POST')
    return writtenAnswer(requests, { method, url, text }, counts);
  // What decK did not ask for may be deleted, too: children before their parents.
  if (method === 'DELETE') return { status: 204 };
  return method === 'GET' && url.pathname === '/' ? kong : unknown;
}

/** To the entity of the same name the answer that it got then, at the first time and at those after it. */
function writtenAnswer(
  requests: readonly RecordedRequest[],
  { method, url, text }: Pick<StubRequest, 'method' | 'url' | 'text'>,
  counts: Map<string, number>,
): StubAnswer {
  const body = text === '' ? {} : (JSON.parse(text) as JsonObject);
  const label = writeLabel({ method, path: url.pathname, body });
  const count = counts.get(label) ?? 0;
  counts.set(label, count + 1);
  const alike = requests.filter((one) => writeLabel(one) === label);
  const found = alike[Math.min(count, alike.length - 1)];
  if (found !== undefined && found.status >= 400)
    return { status: found.status, body: found.response };
  return { status: method === 'POST' ? 201 : 200, body };
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What is written where, whatever ids were made up for it. */
function writeLabel({
  method,
  path,
  body = {},
}: Pick<RecordedRequest, 'method' | 'path' | 'body'>) {
  const { name, username, key, group, target, subject_name: subject, cert } = body;
  const identity = name ?? username ?? key ?? group ?? target ?? subject ?? cert ?? '';
  return `${method} ${path.replace(uuids, 'ID')} ${identity}`;
}

interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly seen: readonly Written[];
}

async function run(
  test: ProtocolCase,
  words: readonly string[],
  stdin: string,
  file: JsonObject | undefined,
): Promise<Run> {
  const seen: Written[] = [];
  const counts = new Map<string, number>();
  const server = new AdminStub((request) => {
    seen.push({ ...request, path: request.url.pathname });
    return recordedAnswer(test.requests, request, counts);
  });
  const address = await server.listen();
  const cwd = await mkdtemp(join(tmpdir(), 'deck-protocol-'));
  const name = fileOf(test);
  if (file !== undefined && name !== undefined && name !== '-')
    await writeFile(join(cwd, name), JSON.stringify(file));
  let printed = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      printed += chunk.toString();
      done();
    },
  });
  let complaint = '';
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      complaint += chunk.toString();
      done();
    },
  });
  try {
    const exitCode = await main(['gateway', ...words, '--kong-addr', address], {
      stdin: Readable.from(stdin === '' ? [] : [stdin]),
      stdout,
      stderr,
      env: {},
      cwd,
      signal: new AbortController().signal,
      exitCode: 0,
    });
    return { exitCode, stdout: printed, stderr: complaint, seen };
  } finally {
    await server.close();
    await rm(cwd, { recursive: true });
  }
}

/** What was typed at the question is in the name of the recording alone. */
function answerOf(id: string): string {
  const said = /-reset-(yes|no)$/.exec(id)?.[1];
  return said === undefined ? '' : `${said}\n`;
}

/** Why a recording cannot be played: undefined when it can. */
function reasonAgainst(test: ProtocolCase, file: JsonObject | undefined): string | undefined {
  const { cmd } = test;
  const name = fileOf(test);
  if (name !== undefined && name !== '/nope.yaml' && file === undefined)
    return `reads ${name}, which is not in the data, and no recording tells what it says`;
  if (file !== undefined && Object.keys(file).length === 1)
    return 'reads a file that declares nothing, which is refused here: reset deletes everything';
  if (name !== undefined && /^[3-9]/.test(test.injected?.version ?? ''))
    return 'reads a file of format 1.1 for a Kong 3, which newer decK refuses';
  if (/^deck version/.test(cmd)) return 'prints the version of decK';
  if (/^deck sync \w/.test(cmd)) return 'is refused for files as arguments, which newer decK takes';
  return undefined;
}

/** Plays one recording: the same command line to the same answers. */
export async function runProtocolCase(
  test: ProtocolCase,
  files: ReadonlyMap<string, JsonObject>,
): Promise<Outcome> {
  const file = files.get(fileOf(test) ?? '');
  const reason = reasonAgainst(test, file);
  if (reason !== undefined) return skip(reason);
  const words = test.cmd.split(/ (?!c\b)/).slice(1);
  const stdin = fileOf(test) === '-' ? JSON.stringify(file) : answerOf(test.id);
  const got = await run(test, words, stdin, file);
  // Wrong usage has an exit code of its own here.
  if (got.exitCode !== test.rc && !(test.rc === 1 && got.exitCode === 64))
    return fail(`ended with ${got.exitCode}, wanted ${test.rc}: ${got.stderr.trim()}`);
  const isPrinted = ['dump', 'ping'].includes(words[0] ?? '');
  // Whether a last line is ended is left to each program.
  const [wanted, printed] = [test.stdout, got.stdout].map((text) => text.replace(/\n$/, ''));
  if (isPrinted && wanted !== printed) return fail(difference(wanted ?? '', printed ?? ''));
  return compareRequests(test, got.seen);
}

function difference(wanted: string, got: string): string {
  const [theirs, ours] = [wanted.split('\n'), got.split('\n')];
  const line = theirs.findIndex((text, index) => text !== ours[index]);
  return `line ${line + 1}: wanted ${JSON.stringify(theirs[line])}, got ${JSON.stringify(ours[line])}`;
}

/** Whether a write changes nothing: decK 1.4 does not know all defaults, and writes what is there. */
function isIdle({ body }: RecordedRequest, requests: readonly RecordedRequest[]): boolean {
  const listed = requests
    .flatMap(({ response }) => (response as { data?: JsonObject[] } | undefined)?.data ?? [])
    .find(({ id }) => id !== undefined && id === body?.id);
  const isEqual = (key: string) => JSON.stringify(listed?.[key]) === JSON.stringify(body?.[key]);
  return listed !== undefined && body !== undefined && Object.keys(body).every(isEqual);
}

/** Headers that a flag gave are on every request; what decK wrote is written. */
function compareRequests({ requests, cmd, rc }: ProtocolCase, seen: readonly Written[]): Outcome {
  for (const [, name = '', value = ''] of cmd.matchAll(/--headers ([\w-]+): ?(\S+)/g)) {
    const without = seen.find(({ headers }) => headers[name.toLowerCase()] !== value);
    if (without !== undefined) return fail(`${without.path} was asked without ${name}`);
  }
  const isWrite = ({ method }: { method: string }) => method !== 'GET';
  const labelOf = (one: { method: string; path: string; body?: JsonObject }): string =>
    one.method === 'DELETE' ? `DELETE ${one.path}` : writeLabel(one);
  const ours = seen
    .filter(isWrite)
    .map(({ method, path, text }) =>
      labelOf({ method, path, body: text === '' ? {} : (JSON.parse(text) as JsonObject) }),
    );
  const theirs = requests.filter((one) => isWrite(one) && !isIdle(one, requests)).map(labelOf);
  const missing = theirs.find((label) => !ours.includes(label));
  if (missing !== undefined) return fail(`did not ${missing}`);
  const known = JSON.stringify(requests.map(({ response }) => response));
  const stranger = seen.find(
    ({ method, path }) => method === 'DELETE' && !known.includes(path.split('/').at(-1) ?? ''),
  );
  if (stranger !== undefined)
    return fail(`DELETE ${stranger.path} of what the server did not list`);
  const more = ours.find((label) => !label.startsWith('DELETE') && !theirs.includes(label));
  // After a refusal decK leaves the rest undone; here what does not hang on it is done.
  return more === undefined || theirs.length === 0 || rc !== 0
    ? pass
    : fail(`did ${more}, which decK did not`);
}
