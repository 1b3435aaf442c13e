import type { Chooser } from '../balancer/algorithm.ts';
import type { FastCgiParams } from '../fastcgi/fastcgi-request.ts';
import type { ErrorBody } from '../http/error-body.ts';
import type { HeaderList } from '../http/header-list.ts';
import type { Exit } from './request-context.ts';

/** When a request goes on to another target, if not as Kong decides. */
export interface RetryPolicy {
  /** Attempts in all; 0 for as many as it takes. */
  readonly tries: number;
  /** No further attempt starts after this many milliseconds; 0 for no such limit. */
  readonly timeoutMs: number;
  /** Whether the try that is under way then ends, too. */
  readonly isTimeoutTotal?: boolean;
  /** How long to wait before another attempt. */
  readonly backoffMs?: number;
  readonly onError: boolean;
  readonly onTimeout: boolean;
  readonly onInvalidHead: boolean;
  readonly statuses: ReadonlySet<number>;
  /** Whether `POST`, `PATCH` and `LOCK` are sent again, although they may have arrived. */
  readonly hasUnsafeMethods: boolean;
}

/** How fast the body of an answer goes to its client. */
export interface Pace {
  readonly bytesPerSecond: number;
  /** So many go before that, as fast as they can. */
  readonly freeBytes: number;
}

/** What answers in place of an upstream that points elsewhere. */
export type Followed =
  | {
      readonly kind: 'path';
      /** A path of the same host, with its query. */
      readonly target: string;
      /** Headers of the first answer that the last one gets: name, value… */
      readonly carried: readonly string[];
    }
  | { readonly kind: 'refused'; readonly status: number };

/**
 * How a request is carried where that differs from Kong's manner. A plugin sets it in its access phase;
 * a request that no such plugin looks at has none, and nothing here costs it anything.
 */
export interface ProxyManner {
  /** The page for an error that the gateway answers with itself. */
  errorPage?: (status: number) => ErrorBody;
  /** Answers carry no `Server`, `Via` and `X-Kong-…` of ours. */
  isBare?: boolean;
  retry?: RetryPolicy;
  /** Goes here instead of to the host and port of the service. */
  destination?: { readonly host: string; readonly port: number };
  chooser?: Chooser;
  /** The `Connection` header for the upstream; with one there is no change of protocol. */
  connection?: string;
  /** What an upstream with TLS is called, if not by the `Host` it gets. */
  serverName?: {
    /** Empty for no SNI at all. */
    readonly sni: string;
    /** What its certificate must be for, where it is verified. */
    readonly identity: string;
    /** Instead of it, any of these: `DNS:` and a name, or `URI:` and a URI. */
    readonly alternatives?: readonly string[];
    /**
     * Whose certificates a gRPC backend is believed by, in PEM; none for those that the system trusts. Kong's
     * service can say it for HTTPS and streams alone, where this is not looked at.
     */
    readonly authorities?: readonly string[];
  };
  /** A body that turns out to be longer is refused with 413. */
  maximumBodyBytes?: number;
  /** A body of unknown length up to this is read first, so that the upstream is told its length. */
  maximumHeldBytes?: number;
  /** Fetches another answer in place of one with this status; undefined lets it pass. */
  intercept?: (status: number, source: 'upstream' | 'exit' | 'error') => Promise<Exit> | undefined;
  /** Whether an upstream's answer points to another path of the host, whose answer is given. */
  follow?: (headers: HeaderList) => Followed | undefined;
  pace?: Pace;
  /** The upstream speaks FastCGI, and is told this of a request whose body has that length. */
  fastCgi?: (contentLength: number | undefined) => FastCgiParams;
  /** The answer, unless a guard that has not looked yet lets the request in. */
  refusal?: Exit;
}
