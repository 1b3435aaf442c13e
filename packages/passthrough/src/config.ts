/** Where the bytes of a connection go. */
export interface Backend {
  /** Names the backend in metrics and logs. */
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  readonly balance?: 'round-robin' | 'least-connections' | undefined;
  /** Tell the backend who the client is. Only for backends that expect the header. */
  readonly proxyProtocol?: 'v1' | 'v2' | undefined;
}

/** Where a backend listens. */
export interface Endpoint {
  /** An IP address, or a name that is resolved when connecting. */
  readonly address: string;
  readonly port: number;
  /** 1 when absent; 0 takes no new connections. */
  readonly weight?: number | undefined;
}

/** Which names go to which backend. */
export interface HostRule {
  /** `a.example.com`, or `*.example.com` for exactly one label. */
  readonly host: string;
  /** Only clients that offer one of these; rules with ALPN are looked at before those without. */
  readonly alpn?: readonly string[] | undefined;
  readonly backend: Backend;
  /** Addresses and networks that may connect; everyone when absent. */
  readonly allowSources?: readonly string[] | undefined;
}

/** The routing of one proxy: swapped as a whole while connections live. */
export interface PassthroughTable {
  readonly hosts: readonly HostRule[];
  /** Takes what no host rule matches: unknown names, no name, and what is not TLS. */
  readonly defaultBackend?: Backend | undefined;
}

/** How the proxy treats connections: fixed while it runs. */
export interface PassthroughLimits {
  /** From accept to a whole ClientHello. */
  readonly helloTimeoutMs: number;
  readonly maxHelloBytes: number;
  readonly connectTimeoutMs: number;
  /** Endpoints tried for one connection. */
  readonly maxConnectAttempts: number;
  /** No byte in either direction for this long ends the connection. */
  readonly idleTimeoutMs: number;
  /** The same, once one side has ended: a peer that never answers the end must not hold the other. */
  readonly halfClosedTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly keepAliveMs: number;
  /** Failures in a row that take an endpoint out, and for how long. */
  readonly maxFailures: number;
  readonly ejectionMs: number;
}

/** The limits unless others are given. */
export const defaultLimits: PassthroughLimits = {
  helloTimeoutMs: 10_000,
  maxHelloBytes: 64 * 1024,
  connectTimeoutMs: 5_000,
  maxConnectAttempts: 3,
  idleTimeoutMs: 3_600_000,
  halfClosedTimeoutMs: 300_000,
  maxConnections: 50_000,
  maxConnectionsPerAddress: 10_000,
  keepAliveMs: 60_000,
  maxFailures: 3,
  ejectionMs: 10_000,
};
