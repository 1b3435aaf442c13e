import { isExpired, type ListOptions, type ListPage } from '@waygate/kube';

/** The page size of client-go. Servers that answer from their cache ignore it. */
export const defaultPageSize = 500;

/** Gets one page. */
export type PageFunction<T> = (options: ListOptions, signal: AbortSignal) => Promise<ListPage<T>>;

/** How large pages are, and what is done when they expire. */
export interface PagerOptions {
  /** 0 asks for everything at once. */
  readonly pageSize?: number;
  /** When a page after the first has expired, list once more without pages. */
  readonly fullListIfExpired?: boolean;
}

/** All pages of a list in one. */
export interface PagedList<T> {
  readonly list: ListPage<T>;
  /** Whether it came in more than one page. */
  readonly isPaginated: boolean;
}

/** A list that failed, and whether some of it had come. */
export interface PagerFailure {
  readonly error: unknown;
  readonly isPaginated: boolean;
}

/**
 * Lists in pages and joins them.
 *
 * ```ts
 * const pods = client.resource(kinds.Pod);
 * const pager = new Pager((options, call) => pods.list(options, { signal: call }));
 * await pager.eachListItem({}, signal, (pod) => console.log(pod.metadata.name));
 * ```
 */
export class Pager<T> {
  readonly #pageFunction: PageFunction<T>;
  readonly #pageSize: number;
  readonly #fullListIfExpired: boolean;

  constructor(pageFunction: PageFunction<T>, options: PagerOptions = {}) {
    this.#pageFunction = pageFunction;
    this.#pageSize = options.pageSize ?? defaultPageSize;
    this.#fullListIfExpired = options.fullListIfExpired ?? true;
  }

  /** Everything there is, as of the version of the first page. */
  async list(options: ListOptions, signal: AbortSignal): Promise<PagedList<T>> {
    const result = await this.tryList(options, signal);
    if ('error' in result) throw result.error;
    return result;
  }

  /** As `list`, with what went wrong as a value. */
  async tryList(options: ListOptions, signal: AbortSignal): Promise<PagedList<T> | PagerFailure> {
    const first = this.#withLimit(options);
    let request = first;
    let list: ListPage<T> | undefined;
    for (;;) {
      let page: ListPage<T>;
      try {
        signal.throwIfAborted();
        page = await this.#pageFunction(request, signal);
      } catch (error) {
        const isPaginated = list !== undefined;
        if (!isPaginated || !this.#fullListIfExpired || !isExpired(error))
          return { error, isPaginated };
        return this.#fullList(options, signal);
      }
      if (list === undefined) list = page;
      else for (const item of page.items) list.items.push(item);
      if (page.continue === '')
        return { list: { ...list, continue: '' }, isPaginated: request !== first };
      // With a continue token the version is the token's own; naming one is an error.
      request = {
        ...first,
        continue: page.continue,
        resourceVersion: undefined,
        resourceVersionMatch: undefined,
      };
    }
  }

  /** Calls back for each item, page by page, without holding more than one page. */
  async eachListItem(
    options: ListOptions,
    signal: AbortSignal,
    visit: (item: T) => void | Promise<void>,
  ): Promise<void> {
    let request = this.#withLimit(options);
    for (;;) {
      signal.throwIfAborted();
      const page = await this.#pageFunction(request, signal);
      for (const item of page.items) await visit(item);
      if (page.continue === '') return;
      request = {
        ...request,
        continue: page.continue,
        resourceVersion: undefined,
        resourceVersionMatch: undefined,
      };
    }
  }

  async #fullList(options: ListOptions, signal: AbortSignal): Promise<PagedList<T> | PagerFailure> {
    try {
      const list = await this.#pageFunction({ ...options, limit: undefined }, signal);
      return { list, isPaginated: true };
    } catch (error) {
      return { error, isPaginated: true };
    }
  }

  #withLimit(options: ListOptions): ListOptions {
    if (options.limit !== undefined && options.limit > 0) return options;
    return this.#pageSize > 0 ? { ...options, limit: this.#pageSize } : options;
  }
}
