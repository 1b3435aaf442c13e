import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpListener, type SharedInformer } from '@waygate/runtime';
import { LinkedSignal } from '@waygate/text';
import type { Receiver } from '../api/notification-objects.ts';
import { messageOf } from '../gitops-error.ts';
import { bodyOf, type HookAddress, say, serveUntil } from '../http/hook-server.ts';
import type { SourceSecrets } from '../source/source-secrets.ts';
import type { BearerTokens } from './bearer-tokens.ts';
import { IssuerUnavailable } from './issuer-keys.ts';
import type { ReceiverTargets } from './receiver-targets.ts';
import { isEventWanted, payloadOf, receiverTypes } from './receiver-types.ts';

interface ReceiverServerOptions {
  readonly receivers: SharedInformer<Receiver>;
  readonly secrets: SourceSecrets;
  readonly targets: ReceiverTargets;
  readonly tokens: BearerTokens;
  readonly address: HookAddress;
  /** Whether no other notification-controller acts: it has the same paths. */
  readonly isFree: () => boolean;
  readonly onAnswer: (type: string, code: number) => void;
  readonly onError?: ((error: unknown) => void) | undefined;
}

const pathIndex = 'webhook-path';
/** Requests that are being answered at a time; more are told to come back. */
const maxRequests = 64;
/** How long one request may take, whoever still waits for its answer. */
const requestMs = 30_000;

/**
 * Serves the paths of Receivers: who may post to one has what it names reconciled at once. Any replica
 * can, as all that it takes is in the cluster.
 */
export class ReceiverServer {
  readonly name = 'receivers';
  readonly needsLeaderElection = false;
  readonly #options: ReceiverServerOptions;
  readonly #listener: HttpListener;
  #stop: AbortSignal | undefined;
  #running = 0;

  constructor(options: ReceiverServerOptions) {
    this.#options = options;
    options.receivers.addIndexers({
      [pathIndex]: ({ status }) => (status?.webhookPath ? [status.webhookPath] : []),
    });
    this.#listener = new HttpListener({
      ...options.address,
      onRequest: (request, response) => void this.#serve(request, response),
    });
  }

  /** The port, once it listens. */
  get port(): number | undefined {
    return this.#listener.address?.port;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#stop = signal;
    try {
      await serveUntil(this.#listener, signal);
    } finally {
      this.#options.tokens.close();
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receiver = this.#receiverOf(request.url ?? '');
    // Nothing of what strangers send is read.
    if (receiver === undefined) {
      say(response, 404, 'there is no receiver at this path');
      return;
    }
    if (this.#running >= maxRequests) {
      say(response, 503, 'too many requests at a time');
      return;
    }
    this.#running++;
    // Who posts and hangs up has posted.
    const linked = new LinkedSignal(this.#stop, requestMs);
    try {
      const { code, text } = await this.#answer(receiver, request, response, linked.signal);
      this.#options.onAnswer(receiver.spec.type, code);
      if (response.headersSent || response.destroyed) return;
      if (text === undefined) response.writeHead(code).end();
      else say(response, code, text);
    } catch (error) {
      const { name, namespace } = receiver.metadata;
      const isLater = error instanceof IssuerUnavailable;
      this.#options.onAnswer(receiver.spec.type, isLater ? 503 : 500);
      this.#options.onError?.(
        new Error(`Receiver ${namespace}/${name}: ${messageOf(error)}`, { cause: error }),
      );
      if (response.headersSent) return;
      if (isLater) say(response, 503, 'the issuer of the token cannot be asked');
      else say(response, 500, 'the request could not be handled');
    } finally {
      linked.release();
      this.#running--;
    }
  }

  async #answer(
    receiver: Receiver,
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly text?: string }> {
    const { spec, metadata, status } = receiver;
    const type = receiverTypes.get(spec.type);
    const isReady = status?.conditions?.some(
      (one) => one.type === 'Ready' && one.status === 'True',
    );
    if (!this.#options.isFree()) return { code: 503, text: 'another notification-controller acts' };
    if (spec.suspend === true || isReady !== true || type === undefined)
      return { code: 503, text: 'the receiver is suspended or not ready' };
    const { headers } = request;
    const { secrets, tokens, targets } = this.#options;
    const secret = await secrets.read(metadata.namespace ?? '', spec.secretRef?.name, signal);
    // Before anything is read: the paths of those who ask for a token are no secret.
    const known = await tokens.authenticate(spec, headers.authorization, secret);
    if (known?.refusal !== undefined) return { code: 400, text: known.refusal };
    const body = await bodyOf(request, response);
    if (body === undefined) return { code: 413, text: '' };
    const refusal = type.refusal({ headers, body, token: secret?.token ?? '' });
    if (refusal !== undefined) return { code: 400, text: refusal };
    if (!isEventWanted(type, headers, spec.events))
      return { code: 400, text: 'the receiver is not for events of this kind' };
    const isJson = /^application\/json\b/.test(headers['content-type'] ?? '');
    const payload = isJson ? payloadOf({ headers, body }) : undefined;
    const seen = payload !== undefined && type.bodyOf ? type.bodyOf(payload) : payload;
    const variables = { req: { body: seen ?? {} }, ...(known && { claims: known.claims }) };
    const failures = await targets.wake(receiver, variables, signal);
    if (failures.length === 0) return { code: 200 };
    throw new Error(failures.join('; '));
  }

  #receiverOf(path: string): Receiver | undefined {
    const [receiver] = this.#options.receivers.indexer.byIndex(pathIndex, path);
    return receiver;
  }
}
