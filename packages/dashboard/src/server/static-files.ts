import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { acceptsGzip, securityHeaders } from '../http/http-answer.ts';

interface StaticFile {
  readonly type: string;
  readonly etag: string;
  readonly isImmutable: boolean;
  readonly plain: Buffer;
  /** Absent where it would not be smaller. */
  readonly zipped: Buffer | undefined;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

/** What is served where the page was not built: the API works without it. */
const notBuilt =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Waygate</title>' +
  '<p>The page was not built. The build of the package makes it; the API is at /api.</p></html>';

/** Where the build puts the page, seen from the sources and from what they are compiled to. */
export function builtPageDirectory(): string {
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(isSource ? '../../dist/web' : '../web', import.meta.url));
}

/**
 * The files of the page, each read once, when it is first asked for. A name with a hash in it never changes what it means; every path that
 * is no file is a page of the same application.
 */
export class StaticFiles {
  readonly #files = new Map<string, () => StaticFile>();

  constructor(directory: string) {
    if (existsSync(directory)) this.#read(directory, '');
    if (!this.#files.has('/index.html')) this.#add('/index.html', () => Buffer.from(notBuilt));
  }

  answer(request: IncomingMessage, response: ServerResponse, path: string): void {
    const file = this.#files.get(path);
    // A missing script is not answered with a page: the browser would call it a syntax error.
    if (file === undefined && (path.startsWith('/assets/') || extname(path) in types)) {
      response.writeHead(404, { ...securityHeaders, 'Content-Type': 'text/plain' });
      response.end('there is no such file\n');
      return;
    }
    this.#send(request, response, (file ?? this.#files.get('/index.html')!)());
  }

  #send(request: IncomingMessage, response: ServerResponse, file: StaticFile): void {
    const isZipped = file.zipped !== undefined && acceptsGzip(request);
    const headers = {
      ...securityHeaders,
      'Content-Type': file.type,
      'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: file.etag,
      Vary: 'Accept-Encoding',
    };
    if (request.headers['if-none-match'] === file.etag) {
      response.writeHead(304, headers).end();
      return;
    }
    const body = isZipped ? file.zipped! : file.plain;
    response.writeHead(200, {
      ...headers,
      'Content-Length': body.length,
      ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #read(directory: string, prefix: string): void {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = `${prefix}/${entry.name}`;
      if (entry.isDirectory()) this.#read(join(directory, entry.name), path);
      else if (entry.isFile() && extname(entry.name) in types)
        this.#add(path, () => readFileSync(join(directory, entry.name)));
    }
  }

  #add(path: string, read: () => Buffer): void {
    let file: StaticFile | undefined;
    this.#files.set(path, () => {
      file ??= staticFile(path, read());
      return file;
    });
  }
}

function staticFile(path: string, plain: Buffer): StaticFile {
  const zipped = /\.(?:png|woff2|ico)$/.test(path) ? undefined : gzipSync(plain, { level: 9 });
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    etag: `"${digest}"`,
    isImmutable: path.startsWith('/assets/'),
    plain,
    zipped: zipped !== undefined && zipped.length < plain.length ? zipped : undefined,
  };
}
