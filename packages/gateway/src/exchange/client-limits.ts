/** What a client may cost, by the names and with the defaults of Kong’s nginx. */
export interface ClientLimits {
  /** `client_header_timeout`: for the first byte of a connection, and for the whole head of a request. */
  readonly headTimeoutMs: number;
  /** `client_body_timeout`: between two pieces of a body. */
  readonly bodyTimeoutMs: number;
  /** `send_timeout`: between two pieces of an answer that the client takes. */
  readonly sendTimeoutMs: number;
  /** `keepalive_timeout`: between two requests. */
  readonly keepAliveMs: number;
  /** `keepalive_requests`. */
  readonly keepAliveRequests: number;
  /** `lingering_time`: how long what a refused client still sends is read, so that it sees the answer. */
  readonly lingerMs: number;
  /** `lingering_timeout`: the same, while nothing comes. */
  readonly lingerQuietMs: number;
  /** `worker_connections`, of each process and port: beyond it idle connections make room for new ones. */
  readonly maxConnections: number;
  /** `http2_max_concurrent_streams`. */
  readonly maxStreams: number;
}

export const defaultClientLimits: ClientLimits = {
  headTimeoutMs: 60_000,
  bodyTimeoutMs: 60_000,
  sendTimeoutMs: 60_000,
  keepAliveMs: 75_000,
  keepAliveRequests: 10_000,
  lingerMs: 30_000,
  lingerQuietMs: 5_000,
  maxConnections: 16_384,
  maxStreams: 128,
};
