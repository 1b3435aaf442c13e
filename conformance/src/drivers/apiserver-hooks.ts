import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CertificateAuthority } from '@waygate/apiserver';
import type { RecordedWebhookCall } from './apiserver-transcript.ts';

/** The address under which the recorder's hooks stood. */
export const recordedHookAddress = '127.0.0.1:26500';

/** Stands in for the webhooks of a recording: it answers each call as the recorded ones did. */
export class HookServer {
  readonly #server: Server;
  readonly caBundle: string;
  readonly port: number;
  /** What is still to be answered in the current exchange. */
  #expected: RecordedWebhookCall[] = [];
  /** The bodies of the calls that came in. */
  readonly calls: { path: string; body: unknown }[] = [];

  private constructor(server: Server, caBundle: string) {
    this.#server = server;
    this.caBundle = caBundle;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(): Promise<HookServer> {
    const authority = await CertificateAuthority.create(Date.now);
    const pair = await authority.issueServer(['127.0.0.1']);
    let hooks: HookServer | undefined;
    const server = createServer(
      { cert: pair.certificate, key: pair.privateKey },
      (request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Review;
          const answer = hooks?.answer(request.url ?? '', body);
          const send = () => {
            response.writeHead(answer?.status ?? 500, { 'Content-Type': 'application/json' });
            response.end(JSON.stringify(answer?.body ?? {}));
          };
          if ((request.url ?? '').startsWith('/slow')) setTimeout(send, 3000).unref();
          else send();
        });
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    hooks = new HookServer(server, Buffer.from(authority.pem).toString('base64'));
    return hooks;
  }

  expect(calls: readonly RecordedWebhookCall[]): void {
    this.#expected = [...calls];
    this.calls.length = 0;
  }

  answer(path: string, review: Review): { status: number; body: unknown } {
    this.calls.push({ path, body: review });
    const index = this.#expected.findIndex((call) => call.path === path);
    const call = index < 0 ? undefined : this.#expected.splice(index, 1)[0];
    if (call === undefined)
      return { status: 500, body: { message: `no call to ${path} was recorded` } };
    const body = structuredClone(call.answered.body) as { response?: { uid?: string } } | string;
    const recordedUid = (call.body as Review).request?.uid;
    if (
      typeof body === 'object' &&
      body?.response?.uid !== undefined &&
      body.response.uid === recordedUid
    ) {
      body.response.uid = review.request?.uid ?? '';
    }
    return { status: call.answered.status, body };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

interface Review {
  readonly request?: { readonly uid?: string };
}
