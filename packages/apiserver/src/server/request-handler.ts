import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PageGuard, pageRefusal } from '@waygate/text';
import { demandAccess } from '../access/access-check.ts';
import type { Authorizer } from '../access/authorizer.ts';
import { anonymousUser, type UserInfo } from '../access/user.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { impersonate } from '../auth/impersonation.ts';
import type { Core } from '../core/core.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { type Health, handleHealth } from '../discovery/health.ts';
import { answerError, answerJson, answerNoPage } from '../http/answer.ts';
import { Exchange } from '../http/exchange.ts';
import { requestAttributes, requestInfo } from '../http/request-info.ts';
import { dispatchResource, type SpecialHandlers } from '../rest/resource-dispatcher.ts';
import { ApiError, methodNotAllowed } from '../status/api-error.ts';

/** Answers a path that is no resource; false when it is not its own. */
type PathHandler = (exchange: Exchange) => boolean | Promise<boolean>;

interface RequestHandlerOptions {
  readonly core: Core;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly discovery: Discovery;
  readonly special: SpecialHandlers;
  readonly paths: readonly PathHandler[];
  /** Told of each request whose sender is known. */
  observe?(exchange: Exchange): void;
  /** Where web pages are turned away. */
  readonly pages?: PageGuard;
  readonly health: Health;
}

const urlBase = 'http://waygate.invalid';

/** The way of every request: who is it, may they, and then the part of the server that answers. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** Never throws: whatever goes wrong becomes an answer. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const url = parseUrl(request.url ?? '/');
    const info = requestInfo(request.method ?? 'GET', url.pathname, url.searchParams);
    const asked = (user: UserInfo) => new Exchange(request, response, info, url.searchParams, user);
    let exchange = asked(anonymousUser);
    const run = async () => {
      early(() => refusePage(request, this.#options.pages));
      const user = this.#options.authenticator.authenticate(request);
      const acting = early(() => impersonate(user, request, info, this.#options.authorizer));
      exchange = asked(acting);
      this.#options.observe?.(exchange);
      early(() => this.#authorize(exchange));
      await this.#route(exchange);
    };
    run().catch((error: unknown) => {
      answerError(exchange, error, (line) => this.#options.core.log(line));
    });
  }

  #authorize(exchange: Exchange): void {
    demandAccess(this.#options.authorizer, requestAttributes(exchange.user, exchange.info));
  }

  async #route(exchange: Exchange): Promise<void> {
    const { core, discovery, special, paths } = this.#options;
    if (exchange.info.isResource) {
      await dispatchResource(core, exchange, special);
      return;
    }
    const isRead = exchange.request.method === 'GET' || exchange.request.method === 'HEAD';
    if (exchange.info.path === '/version' || exchange.info.path === '/version/') {
      if (!isRead) throw methodNotAllowed();
      answerJson(exchange, 200, version);
      return;
    }
    if (isRead && handleHealth(exchange, this.#options.health)) return;
    if (isRead && discovery.handle(exchange)) return;
    for (const handler of paths) if (await handler(exchange)) return;
    answerNoPage(exchange);
  }
}

/** Marks refusals that come before any handler. */
function early<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof ApiError) error.isEarly = true;
    throw error;
  }
}

/** A page in a browser is no client of this API, whatever certificate the browser has for it. */
function refusePage(request: IncomingMessage, pages: PageGuard | undefined): void {
  const refusal = pages === undefined ? undefined : pageRefusal(request.headers, pages);
  if (refusal !== undefined) throw new ApiError(403, 'Forbidden', `refused: ${refusal}`);
}

function parseUrl(text: string): URL {
  try {
    return new URL(text, urlBase);
  } catch {
    return new URL('/', urlBase);
  }
}

/** The version of Kubernetes whose behaviour this is. */
const version = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.4',
  gitCommit: 'bb826b1d48562f110659e64e8ec444327433db95',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.26.10',
  compiler: 'gc',
  platform: 'linux/amd64',
};
