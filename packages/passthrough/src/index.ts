export {
  type ClientHello,
  ClientHelloParser,
  type ConnectionEnds,
  defaultMaxHelloBytes,
  encodeProxyV1,
  encodeProxyV2,
  type HelloDecision,
  isAddressOrNetwork,
  type NotTlsReason,
  type ProxyHeader,
  type ProxyHeaderDecision,
  parseProxyHeader,
  type RejectReason,
} from '@waygate/text';
export { PassthroughCluster, type PassthroughClusterOptions } from './cluster.ts';
export {
  type Backend,
  defaultLimits,
  type Endpoint,
  type HostRule,
  type PassthroughLimits,
  type PassthroughTable,
} from './config.ts';
export type { ConnectionSummary } from './connection-host.ts';
export {
  newCounters,
  type PassthroughCounters,
  type Refusal,
  renderMetrics,
  sumCounters,
} from './metrics.ts';
export { type ConfigProblem, type PassthroughConfig, parseConfig } from './parse-config.ts';
export { type ListenAddress, type PassthroughOptions, PassthroughProxy } from './proxy.ts';
export { normalizeHost, type RouteDecision, RouteTable } from './route-table.ts';
