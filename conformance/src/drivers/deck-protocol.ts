import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { main } from 'waygate';
import { fail, type Outcome, pass, skip } from '../driver.ts';
import { AdminStub, type StubAnswer, type StubRequest } from './admin-stub.ts';

/** One exchange of a recording. */
interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly response?: unknown;
}

/** What the real decK sent and printed for one command line. */
export interface ProtocolCase {
  readonly id: string;
  readonly cmd: string;
  readonly rc: number;
  readonly stdout: string;
  readonly requests: readonly RecordedRequest[];
}

interface Written {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** The Kong of all recordings, which decK does not always ask for its version. */
const kong = { status: 200, body: { version: '2.3.3', configuration: { database: 'postgres' } } };
const unknown = { status: 404, body: { message: 'Not found' } };

/** What was answered then, to the same question; the server of a recording knows nothing else. */
function recordedAnswer(
  requests: readonly RecordedRequest[],
  { method, url }: StubRequest,
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
  // What decK did not ask for may be deleted, too: children before their parents.
  if (method === 'DELETE') return { status: 204 };
  return method === 'GET' && url.pathname === '/' ? kong : unknown;
}

interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly seen: readonly Written[];
}

async function run(test: ProtocolCase, words: readonly string[], stdin: string): Promise<Run> {
  const seen: Written[] = [];
  const server = new AdminStub((request) => {
    seen.push({ ...request, path: request.url.pathname });
    return recordedAnswer(test.requests, request);
  });
  const address = await server.listen();
  const cwd = await mkdtemp(join(tmpdir(), 'deck-protocol-'));
  let printed = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      printed += chunk.toString();
      done();
    },
  });
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
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
    return { exitCode, stdout: printed, seen };
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
function reasonAgainst({ cmd }: ProtocolCase): string | undefined {
  const file = / -s (\S+)/.exec(cmd)?.[1];
  if (file !== undefined && file !== '/nope.yaml') return `reads ${file}, which is not in the data`;
  if (/^deck version/.test(cmd)) return 'prints the version of decK';
  if (/^deck sync \w/.test(cmd)) return 'is refused for files as arguments, which newer decK takes';
  return undefined;
}

/** Plays one recording: the same command line to the same answers. */
export async function runProtocolCase(test: ProtocolCase): Promise<Outcome> {
  const reason = reasonAgainst(test);
  if (reason !== undefined) return skip(reason);
  const words = test.cmd.split(/ (?!c\b)/).slice(1);
  const got = await run(test, words, answerOf(test.id));
  if (got.exitCode !== test.rc) return fail(`ended with ${got.exitCode}, wanted ${test.rc}`);
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

/** Headers that a flag gave are on every request; what decK wrote is written. */
function compareRequests({ requests, cmd }: ProtocolCase, seen: readonly Written[]): Outcome {
  for (const [, name = '', value = ''] of cmd.matchAll(/--headers ([\w-]+): ?(\S+)/g)) {
    const without = seen.find(({ headers }) => headers[name.toLowerCase()] !== value);
    if (without !== undefined) return fail(`${without.path} was asked without ${name}`);
  }
  const label = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  const ours = new Set(seen.map(label));
  const missing = requests
    .filter(({ method }) => method !== 'GET')
    .find((one) => !ours.has(label(one)));
  if (missing !== undefined) return fail(`did not ${label(missing)}`);
  const known = JSON.stringify(requests.map(({ response }) => response));
  const stranger = seen.find(
    ({ method, path }) => method !== 'GET' && !known.includes(path.split('/').at(-1) ?? ''),
  );
  return stranger === undefined ? pass : fail(`${label(stranger)} of what the server did not list`);
}
