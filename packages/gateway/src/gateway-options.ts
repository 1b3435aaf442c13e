import type { RouterFlavor } from '@waygate/kong';
import type { ResolveName } from './balancer/dns-cache.ts';
import type { ClientLimits } from './exchange/client-limits.ts';
import type { ListenAddress } from './listener/listening.ts';
import type { AnyPlugin } from './plugin/plugin.ts';
import type { GatewayLog } from './plugin/plugin-runtime.ts';

/** A port for requests. */
export interface ProxyListenOptions extends ListenAddress {
  readonly isTls?: boolean;
  readonly isProxyProtocol?: boolean;
  readonly isHttp2Only?: boolean;
  /** The port that clients know, if it is another one: that of a container or load balancer. */
  readonly publicPort?: number;
  /** With TLS: connections that a route for streams takes by their server name go its way. */
  readonly isShared?: boolean;
  /** PEM of the authorities that must have signed a client's certificate. */
  readonly clientCa?: readonly string[];
  /** With authorities: clients without a right certificate are let in, too. */
  readonly isClientOptional?: boolean;
}

/** A port for TCP, TLS or UDP streams. */
export interface StreamListenOptions extends ListenAddress {
  readonly kind: 'tcp' | 'tls' | 'udp';
  readonly isProxyProtocol?: boolean;
  /** The port that clients know, and routes name, if it is another one. */
  readonly publicPort?: number;
}

/** A port that is opened while the gateway runs. */
export interface FurtherListener extends ListenAddress {
  readonly kind: 'http' | 'https' | StreamListenOptions['kind'];
  /** For streams: the port that clients know, and routes name, if it is another one. */
  readonly publicPort?: number;
  /** For `https`: connections that a route for streams takes by their server name go its way. */
  readonly isShared?: boolean;
  /** For `https`: PEM of the authorities that must have signed a client's certificate. */
  readonly clientCa?: readonly string[];
  /** With authorities: clients without a right certificate are let in, too. */
  readonly isClientOptional?: boolean;
}

/** One that could not be opened, and the system's code for why. */
export interface RefusedListener extends FurtherListener {
  readonly code: string;
}

/** The port of the Admin API. Without a token or client certificates it should stay on loopback. */
export interface AdminListenOptions extends ListenAddress {
  /** Asked for in the `Kong-Admin-Token` header, or as `Authorization: Bearer`. */
  readonly token?: string;
  /** Larger bodies are refused. Default 512 MiB. */
  readonly maxBodyBytes?: number;
  /** PEM of certificate and key; with `clientCa` clients need a certificate of theirs. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
  /**
   * Which web pages may use the port: those of the origins that are listed, or `any`, as with Kong.
   * Default: none on loopback, and any elsewhere.
   */
  readonly pages?: 'any' | readonly string[];
}

export interface GatewayOptions {
  /**
   * `dbless` (the default): configured as a whole with `POST /config`, entities are read-only.
   * `database`: entities are written one by one, and kept in `directory` if it is given.
   */
  readonly mode?: 'dbless' | 'database';
  /** Where the database lives. Without it a database is forgotten when the gateway stops. */
  readonly directory?: string;
  /**
   * Where the certificate for names without one is kept, with its key, for whoever is started with the same
   * directory. Without it each process makes its own, which takes a while.
   */
  readonly certificateDirectory?: string;
  /** Ids of plugins that are taken out of the database at the start. */
  readonly removePlugins?: readonly string[];
  /** The configuration to start with in DB-less mode: a declarative document, as an object. */
  readonly config?: object;
  /** Default: HTTP and HTTPS on free loopback ports. */
  readonly proxy?: readonly ProxyListenOptions[];
  readonly streams?: readonly StreamListenOptions[];
  /** Default: a free loopback port. `false` opens none. */
  readonly admin?: AdminListenOptions | false;
  /** `/status` and `/metrics` on a port of their own. */
  readonly status?: Pick<AdminListenOptions, 'host' | 'port' | 'pages'>;
  readonly flavor?: RouterFlavor;
  /** Further plugins. One with a name that Kong has takes its place. */
  readonly plugins?: readonly AnyPlugin[];
  /**
   * Takes plugins of Kong's that it cannot run, for a route, service or consumer: their requests get a 501.
   * Otherwise they are refused when they are configured.
   */
  readonly takesUnrunnablePlugins?: boolean;
  /**
   * Processes that carry requests, beside this one, which keeps the entities and answers the Admin API.
   * Default 0: this process does everything.
   */
  readonly workers?: number;
  /** Where workers find `plugins`: modules whose exports they are, as URLs or absolute paths. */
  readonly pluginModules?: readonly string[];
  /** How long a target that comes to others takes to get its full share. Default 0, as in Kong. */
  readonly slowStartMs?: number;
  /** How long requests under way may take when the gateway stops. Default 5 seconds. */
  readonly drainMs?: number;
  /** What a client may cost: timeouts and counts. Defaults as Kong's nginx has them. */
  readonly limits?: Partial<ClientLimits>;
  /** Addresses of proxies whose `X-Forwarded-*` and `X-Real-IP` headers are believed. */
  readonly trustedIps?: readonly string[];
  /** Answers `Kong-Debug: 1` with the names of route and service. */
  readonly areDebugHeadersAllowed?: boolean;
  readonly log?: GatewayLog;
  /** One line for each request. */
  readonly accessLog?: (line: string) => void;
  /** Counts every request for `/metrics`, as if a `prometheus` plugin applied to it. */
  readonly countsRequests?: boolean;
  /** Files and programs that plugins may name (`file-log`) are written only if this allows it. */
  readonly isFileAccessAllowed?: boolean;
  /** Where the `syslog` plugin sends its lines, over UDP. Default: port 514 of this machine. */
  readonly syslog?: ListenAddress;
  readonly resolveName?: ResolveName;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly random?: () => number;
}
