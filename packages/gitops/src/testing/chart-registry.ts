import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry of charts on loopback, as much of one as is read from. */
export class ChartRegistry implements AsyncDisposable {
  readonly #server: Server;
  readonly #blobs = new Map<string, Buffer>();
  /** By `repository:tag`, and by `repository@digest`. */
  readonly #manifests = new Map<string, { bytes: Buffer; digest: string }>();
  /** `user:password`; without it everybody may read. */
  readonly #login: string | undefined;
  /** Paths that were asked for, without those that were refused. */
  readonly asked: string[] = [];

  static async start(login?: string): Promise<ChartRegistry> {
    const registry = new ChartRegistry(login);
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  private constructor(login: string | undefined) {
    this.#login = login && `Basic ${Buffer.from(login).toString('base64')}`;
    this.#server = createServer((request, response) => {
      const { url = '', headers } = request;
      if (this.#login !== undefined && headers.authorization !== this.#login) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="charts"' }).end();
        return;
      }
      this.asked.push(url);
      if (url === '/v2/') {
        response.end('{}');
        return;
      }
      const [, repository = '', kind = '', name = ''] =
        /^\/v2\/(.+)\/(tags|manifests|blobs)\/(.+)$/.exec(url.split('?')[0] ?? '') ?? [];
      if (kind === 'tags') {
        const tags = [...this.#manifests.keys()].flatMap((key) =>
          key.startsWith(`${repository}:`) ? [key.slice(repository.length + 1)] : [],
        );
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ name: repository, tags }));
        return;
      }
      const manifest = this.#manifests.get(`${repository}${name.includes(':') ? '@' : ':'}${name}`);
      const bytes = kind === 'blobs' ? this.#blobs.get(name) : manifest?.bytes;
      if (bytes === undefined) {
        response.writeHead(404).end();
        return;
      }
      if (kind === 'manifests') {
        response.setHeader('content-type', 'application/vnd.oci.image.manifest.v1+json');
        response.setHeader('docker-content-digest', manifest?.digest ?? '');
      }
      response.setHeader('content-length', bytes.length);
      response.end(request.method === 'HEAD' ? undefined : bytes);
    });
  }

  /** `oci://127.0.0.1:5000/charts`. */
  urlOf(path: string): string {
    return `oci://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${path}`;
  }

  /** Puts a packed chart under a tag. */
  push(repository: string, tag: string, chart: Uint8Array): void {
    const manifest = {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: this.#blob('application/vnd.cncf.helm.config.v1+json', Buffer.from('{}')),
      layers: [
        this.#blob('application/vnd.cncf.helm.chart.content.v1.tar+gzip', Buffer.from(chart)),
      ],
    };
    const bytes = Buffer.from(JSON.stringify(manifest));
    const digest = digestOf(bytes);
    this.#manifests.set(`${repository}:${tag}`, { bytes, digest });
    this.#manifests.set(`${repository}@${digest}`, { bytes, digest });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #blob(mediaType: string, bytes: Buffer) {
    const digest = digestOf(bytes);
    this.#blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  }
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
