import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Answer } from './cutting-server.ts';

/** The real `git http-backend`. What it said once to a question it says again without being run. */
export class RecordedGit {
  /** How often the backend was asked. */
  runs = 0;
  private readonly root: string;
  private readonly known = new Map<string, Promise<Answer>>();

  constructor(root: string) {
    this.root = root;
  }

  readonly answer = (request: IncomingMessage, body: Buffer): Promise<Answer> => {
    const { method = '', url = '', headers } = request;
    const question = createHash('sha256')
      .update(JSON.stringify([method, url, headers['git-protocol'] ?? '']))
      .update(body)
      .digest('hex');
    const known = this.known.get(question) ?? this.ask(request, body);
    this.known.set(question, known);
    return known;
  };

  /** Forgets what was said: the repositories have changed. */
  forget(): void {
    this.known.clear();
  }

  private async ask({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    this.runs++;
    const { pathname, search } = new URL(url ?? '/', 'http://x');
    const child = spawn('git', ['http-backend'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_PROJECT_ROOT: this.root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: method,
        CONTENT_TYPE: headers['content-type'] ?? '',
        CONTENT_LENGTH: String(body.length),
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        HTTP_GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      },
    });
    // A program that ends without reading all of it is no failure of this one.
    child.stdin.on('error', () => {});
    child.stdin.end(body);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(child, 'close');
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const lines = all.toString('latin1', 0, Math.max(end, 0)).split('\r\n');
    const type = lines.find((line) => /^content-type:/i.test(line))?.slice(14) ?? 'text/plain';
    const status = Number(
      /^Status: (\d+)/.exec(lines.find((l) => l.startsWith('Status')) ?? '')?.[1],
    );
    return {
      status: status || 200,
      headers: { 'content-type': type },
      body: all.subarray(end + 4),
    };
  }
}
