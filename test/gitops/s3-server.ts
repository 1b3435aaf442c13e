import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, vi } from 'vitest';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import { isListening, type Running, start } from '../real/processes.ts';
import { patience } from '../until.ts';

const program = join(
  dirname(createRequire(import.meta.url).resolve('s3rver/package.json')),
  'bin/s3rver.js',
);

/** A server that speaks S3, in a process of its own, with what a client does to fill it. */
export class S3Server implements AsyncDisposable {
  readonly port: number;
  private readonly directory: string;
  private readonly running: Running;

  private constructor(port: number, directory: string, running: Running) {
    this.port = port;
    this.directory = directory;
    this.running = running;
  }

  /** The keys that it knows. */
  static readonly keys = { accesskey: 'S3RVER', secretkey: 'S3RVER' };

  static async start(
    buckets: readonly string[],
    tls?: { cert: string; key: string },
  ): Promise<S3Server> {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-s3-'));
    const port = await ownPort();
    const running = start(process.execPath, [
      program,
      ...['--directory', directory, '--address', '127.0.0.1', '--port', String(port)],
      '--no-vhost-buckets',
      '--silent',
      ...buckets.flatMap((name) => ['--configure-bucket', name]),
      ...(tls === undefined ? [] : ['--cert', tls.cert, '--key', tls.key]),
    ]);
    await vi.waitFor(
      async () => expect(await isListening(port), running.output()).toBe(true),
      patience,
    );
    return new S3Server(port, directory, running);
  }

  get endpoint(): string {
    return `127.0.0.1:${this.port}`;
  }

  put(bucket: string, key: string, content: string): Promise<void> {
    return this.send('PUT', `/${bucket}/${key}`, content);
  }

  remove(bucket: string, key: string): Promise<void> {
    return this.send('DELETE', `/${bucket}/${key}`);
  }

  stop(): Promise<unknown> {
    return this.running.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.running.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async send(method: string, path: string, body = ''): Promise<void> {
    const time = `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
    const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`;
    const hash = createHash('sha256').update(body).digest('hex');
    const names = 'host;x-amz-content-sha256;x-amz-date';
    const url = new URL(`http://${this.endpoint}${encodeURI(path)}`);
    const head = `host:${this.endpoint}\nx-amz-content-sha256:${hash}\nx-amz-date:${time}\n`;
    const request = `${method}\n${url.pathname}\n\n${head}\n${names}\n${hash}`;
    const digest = createHash('sha256').update(request).digest('hex');
    const key = ['us-east-1', 's3', 'aws4_request'].reduce(
      (one, part) => createHmac('sha256', one).update(part).digest(),
      createHmac('sha256', `AWS4${S3Server.keys.secretkey}`).update(time.slice(0, 8)).digest(),
    );
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`;
    const signature = createHmac('sha256', key).update(text).digest('hex');
    const credential = `${S3Server.keys.accesskey}/${scope}`;
    const response = await fetch(url, {
      method,
      ...(method === 'PUT' ? { body } : {}),
      headers: {
        'x-amz-date': time,
        'x-amz-content-sha256': hash,
        authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
      },
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  }
}
