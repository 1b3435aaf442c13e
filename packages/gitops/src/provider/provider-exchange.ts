import { explainNetworkError, type HttpRequest, retryAfterSeconds, targetOf } from '@waygate/text';
import { type OutgoingClient, readBody, UnreachableError } from '../http/outgoing-client.ts';

/** A provider did not take a message. Its text holds no secret: addresses often are some. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** Whether another try may go well. */
  readonly isTransient: boolean;
  /** What the server asked to be waited. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { isTransient?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.isTransient = options.isTransient ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What is asked of a provider's server. */
interface ProviderRequest {
  readonly method?: HttpRequest['method'];
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** JSON that is sent byte for byte, such as one that was signed. */
  readonly body?: string;
  /** Answers that are as good as a success. */
  readonly accepts?: (statusCode: number) => boolean;
}

/** What it answered. */
interface ProviderAnswer {
  readonly statusCode: number;
  /** The body, if it is JSON. */
  readonly json: unknown;
}

export type Exchange = (request: ProviderRequest) => Promise<ProviderAnswer>;

const maxAnswerBytes = 4 * 1024 * 1024;
const maxRetryAfterMs = 600_000;

/** Asks servers of providers: what they do not take is a DeliveryError, with the server's name only. */
export function providerExchange(
  client: OutgoingClient,
  signal: AbortSignal,
  now: () => number,
): Exchange {
  return async ({ method = 'POST', url, headers = {}, accepts = isSuccess, ...rest }) => {
    const body = rest.body ?? (rest.json === undefined ? undefined : JSON.stringify(rest.json));
    try {
      const response = await client.send({
        method,
        ...targetOf(url),
        headers: {
          'user-agent': 'waygate',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body,
        signal,
      });
      const { statusCode } = response;
      const answer = await readBody(response, maxAnswerBytes, 'the answer');
      if (accepts(statusCode)) return { statusCode, json: parsed(answer) };
      const waitSeconds = retryAfterSeconds(response, now);
      throw new DeliveryError(`${url.host} answered with HTTP ${statusCode}`, {
        isTransient: statusCode === 429 || (statusCode >= 500 && statusCode !== 501),
        retryAfterMs:
          waitSeconds === undefined ? undefined : Math.min(waitSeconds * 1000, maxRetryAfterMs),
      });
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      const cause = error instanceof UnreachableError ? error.cause : error;
      throw new DeliveryError(`${url.host} could not be asked: ${explainNetworkError(cause)}`, {
        isTransient: true,
        cause: error,
      });
    }
  };
}

export function isSuccess(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
