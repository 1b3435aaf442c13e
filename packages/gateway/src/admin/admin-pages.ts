import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback, pageRefusal } from '@waygate/text';
import type { AdminListenOptions } from '../gateway-options.ts';
import { type AdminResponse, message } from './admin-message.ts';

/** What a page may send beside the headers that need no leave. */
const pageHeaders = 'Content-Type, Kong-Admin-Token, Authorization';
const pageMethods = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

/**
 * Which web pages may use the Admin API. Kong's answers invite every page (`Access-Control-Allow-Origin:
 * *`), and on loopback every page of the user's browser can knock; so there a page is refused unless its
 * origin was named.
 */
export class AdminPages {
  readonly #options: AdminListenOptions;

  constructor(options: AdminListenOptions) {
    this.#options = options;
  }

  /** The answer to a page that may not ask, or that asks whether it may; undefined to go on. */
  answer(method: string, headers: IncomingHttpHeaders): AdminResponse | undefined {
    const { host, pages } = this.#options;
    if (pages === 'any' || (pages === undefined && !isLoopback(host))) return undefined;
    const guard = { host, origins: pages, isNameChecked: isLoopback(host) };
    const problem = pageRefusal(headers, guard);
    if (problem !== undefined) return message(403, `Refused: ${problem}`);
    // A preflight brings no token: it asks whether it may.
    const isPreflight = headers['access-control-request-method'] !== undefined;
    return method === 'OPTIONS' && isPreflight && this.#isNamed(headers.origin)
      ? { status: 204 }
      : undefined;
  }

  /** The headers of an answer: with a list of origins, only these are invited. */
  headers(
    given: Readonly<Record<string, string>>,
    origin: string | undefined,
  ): Readonly<Record<string, string>> {
    const { pages } = this.#options;
    if (pages === undefined || pages === 'any') return given;
    const kept = Object.entries(given).filter(([name]) => !/^access-control-/i.test(name));
    if (!this.#isNamed(origin)) return Object.fromEntries(kept);
    return {
      ...Object.fromEntries(kept),
      'Access-Control-Allow-Origin': origin ?? '',
      'Access-Control-Allow-Methods': pageMethods,
      'Access-Control-Allow-Headers': pageHeaders,
      Vary: 'Origin',
    };
  }

  #isNamed(origin: string | undefined): boolean {
    const { pages } = this.#options;
    return origin !== undefined && Array.isArray(pages) && pages.includes(origin);
  }
}
