import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarArchive } from '@waygate/gitops';
import { expect, vi } from 'vitest';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import { isListening, type Running, start } from '../real/processes.ts';
import { patience } from '../until.ts';

/** `reader` with the password `correct-horse-battery`, as htpasswd writes it. */
const users = 'reader:$2b$05$tOGjD05LGQ73gwRt9bRc3OAgLXI8pu7ls0BlEbHz47ytlTaLRiIA.\n';
export const registryPassword = 'correct-horse-battery';

export const contentType = 'application/vnd.cncf.flux.content.v1.tar+gzip';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';

export interface RegistryOptions {
  readonly auth?: 'password' | { readonly realm: string; readonly certificate: string };
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Another registry whose artifacts it shows. */
  readonly dataOf?: OciRegistry;
}

export interface PushedLayer {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly annotations?: Record<string, string>;
}

/** The real docker-registry on loopback, and what a client does to put artifacts into it. */
export class OciRegistry implements AsyncDisposable {
  readonly port: number;
  private readonly origin: string;
  private readonly directory: string;
  private readonly config: string;
  private readonly options: RegistryOptions;
  private running: Running;

  private constructor(
    port: number,
    directory: string,
    config: string,
    options: RegistryOptions,
    running: Running,
  ) {
    this.port = port;
    this.origin = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
    this.directory = directory;
    this.config = config;
    this.options = options;
    this.running = running;
  }

  static async start(options: RegistryOptions = {}): Promise<OciRegistry> {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-registry-'));
    const port = await ownPort();
    const { auth, tls } = options;
    writeFileSync(join(directory, 'htpasswd'), users);
    const authority =
      auth === undefined
        ? {}
        : auth === 'password'
          ? { htpasswd: { realm: 'test', path: join(directory, 'htpasswd') } }
          : {
              token: {
                realm: auth.realm,
                service: 'test-registry',
                issuer: 'test-issuer',
                rootcertbundle: auth.certificate,
              },
            };
    const config = join(directory, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({
        version: 0.1,
        log: { level: 'error' },
        storage: {
          filesystem: { rootdirectory: join(options.dataOf?.directory ?? directory, 'data') },
        },
        http: {
          addr: `127.0.0.1:${port}`,
          ...(tls === undefined ? {} : { tls: { certificate: tls.cert, key: tls.key } }),
        },
        ...(auth === undefined ? {} : { auth: authority }),
      }),
    );
    const running = start('docker-registry', ['serve', config]);
    const registry = new OciRegistry(port, directory, config, options, running);
    await registry.untilListening();
    return registry;
  }

  urlOf(repository: string, host = '127.0.0.1'): string {
    return `oci://${host}:${this.port}/${repository}`;
  }

  async stop(): Promise<void> {
    await this.running.stop();
  }

  async restart(): Promise<void> {
    this.running = start('docker-registry', ['serve', this.config]);
    await this.untilListening();
  }

  /** Puts an artifact of files under a tag. Gives back its digest. */
  async push(
    repository: string,
    tag: string,
    files: Readonly<Record<string, string>>,
    annotations: Record<string, string> = {},
  ): Promise<string> {
    const layer = { mediaType: contentType, bytes: await archiveOf(files) };
    return this.pushLayers(repository, tag, [layer], annotations);
  }

  async pushLayers(
    repository: string,
    tag: string,
    layers: readonly PushedLayer[],
    annotations: Record<string, string> = {},
  ): Promise<string> {
    const config = await this.blob(repository, Buffer.from('{}'));
    const manifest = {
      schemaVersion: 2,
      mediaType: manifestType,
      config: { mediaType: 'application/vnd.cncf.flux.config.v1+json', ...config },
      layers: await Promise.all(
        layers.map(async (layer) => ({
          mediaType: layer.mediaType,
          ...(await this.blob(repository, layer.bytes)),
          ...(layer.annotations === undefined ? {} : { annotations: layer.annotations }),
        })),
      ),
      annotations,
    };
    return this.manifest(repository, tag, manifestType, manifest);
  }

  /** Puts an index of manifests that are there under a tag. */
  async pushIndex(
    repository: string,
    tag: string,
    children: readonly { digest: string; size: number; architecture?: string }[],
  ): Promise<string> {
    const manifests = children.map(({ digest, size, architecture }) => ({
      mediaType: manifestType,
      digest,
      size,
      ...(architecture === undefined ? {} : { platform: { os: 'linux', architecture } }),
    }));
    const index = { schemaVersion: 2, mediaType: indexType, manifests };
    return this.manifest(repository, tag, indexType, index);
  }

  async sizeOf(repository: string, digest: string): Promise<number> {
    const response = await this.send('GET', `/v2/${repository}/manifests/${digest}`, {
      headers: { accept: manifestType },
    });
    return (await response.arrayBuffer()).byteLength;
  }

  /** The file in which the registry keeps a blob, for those who want to spoil it. */
  blobFile(digest: string): string {
    const hex = digest.slice('sha256:'.length);
    const below = ['docker', 'registry', 'v2', 'blobs', 'sha256', hex.slice(0, 2), hex, 'data'];
    return join(this.directory, 'data', ...below);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.running.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async untilListening(): Promise<void> {
    const { running } = this;
    await vi.waitFor(
      async () => expect(await isListening(this.port), running.output()).toBe(true),
      patience,
    );
  }

  private async blob(repository: string, bytes: Buffer): Promise<{ digest: string; size: number }> {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const begun = await this.send('POST', `/v2/${repository}/blobs/uploads/`);
    const target = new URL(begun.headers.get('location') ?? '', this.origin);
    target.searchParams.set('digest', digest);
    await this.send('PUT', target.href, {
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array(bytes),
    });
    return { digest, size: bytes.length };
  }

  private async manifest(
    repository: string,
    tag: string,
    type: string,
    content: object,
  ): Promise<string> {
    const body = JSON.stringify(content);
    await this.send('PUT', `/v2/${repository}/manifests/${tag}`, {
      headers: { 'content-type': type },
      body,
    });
    return `sha256:${createHash('sha256').update(body).digest('hex')}`;
  }

  private async send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.options.auth === 'password') {
      const basic = Buffer.from(`reader:${registryPassword}`).toString('base64');
      headers.set('authorization', `Basic ${basic}`);
    }
    const response = await fetch(new URL(path, this.origin), { ...init, method, headers });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}

export async function archiveOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const entries = Object.keys(files)
    .sort()
    .map((path) => ({ path, isExecutable: false, content: Buffer.from(files[path] ?? '') }));
  for await (const chunk of tarArchive(entries)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}
