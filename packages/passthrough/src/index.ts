export {
  type ClientHello,
  ClientHelloParser,
  defaultMaxHelloBytes,
  type HelloDecision,
  type NotTlsReason,
  type RejectReason,
} from '@waygate/text';
export { isAddressOrNetwork } from './address-list.ts';
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
export {
  type ConnectionEnds,
  encodeProxyV1,
  encodeProxyV2,
  type ProxyHeader,
  type ProxyHeaderDecision,
  parseProxyHeader,
} from './proxy-protocol.ts';
export { normalizeHost, type RouteDecision, RouteTable } from './route-table.ts';
