/** Flags of kube-apiserver that take a value and mean nothing here: there is no such part to set up. */
export const idleValueFlags: ReadonlySet<string> = words(`
  admission-control admission-control-config-file allow-metric-labels
  allow-metric-labels-manifest audit-log-batch-buffer-size audit-log-batch-max-size
  audit-log-batch-max-wait audit-log-batch-throttle-burst audit-log-batch-throttle-qps
  audit-log-format audit-log-maxage audit-log-maxbackup audit-log-maxsize audit-log-mode
  audit-log-path audit-log-truncate-max-batch-size audit-log-truncate-max-event-size
  audit-log-version audit-policy-file audit-webhook-batch-buffer-size
  audit-webhook-batch-max-size audit-webhook-batch-max-wait audit-webhook-batch-throttle-burst
  audit-webhook-batch-throttle-qps audit-webhook-config-file audit-webhook-initial-backoff
  audit-webhook-mode audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size
  audit-webhook-version authentication-config authentication-token-webhook-cache-ttl
  authentication-token-webhook-config-file authentication-token-webhook-version
  authorization-config authorization-policy-file authorization-webhook-cache-authorized-ttl
  authorization-webhook-cache-unauthorized-ttl authorization-webhook-config-file
  authorization-webhook-version coordinated-leadership-lease-duration
  coordinated-leadership-renew-deadline coordinated-leadership-retry-period cors-allowed-origins
  debug-socket-path default-not-ready-toleration-seconds default-unreachable-toleration-seconds
  delete-collection-workers disabled-metrics egress-selector-config-file emulated-version
  encryption-provider-config endpoint-reconciler-type etcd-cafile etcd-certfile
  etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval
  etcd-healthcheck-timeout etcd-keyfile etcd-prefix etcd-readycheck-timeout etcd-servers
  etcd-servers-overrides event-ttl external-hostname feature-gates goaway-chance
  http2-max-streams-per-connection kubelet-certificate-authority kubelet-client-certificate
  kubelet-client-key kubelet-preferred-address-types kubelet-timeout
  kubernetes-service-node-port lease-reuse-duration-seconds livez-grace-period
  log-flush-frequency log-text-info-buffer-size logging-format max-connection-bytes-per-sec
  max-mutating-requests-inflight max-requests-inflight min-compatibility-version
  min-request-timeout oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix
  oidc-issuer-url oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix
  peer-advertise-ip peer-advertise-port peer-ca-file proxy-client-cert-file
  proxy-client-key-file request-timeout requestheader-allowed-names requestheader-client-ca-file
  requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers
  requestheader-username-headers runtime-config service-account-jwks-uri
  service-account-max-token-expiration service-account-signing-endpoint
  show-hidden-metrics-for-version shutdown-delay-duration
  shutdown-watch-termination-grace-period storage-backend storage-initialization-timeout
  storage-media-type strict-transport-security-directives tls-cipher-suites
  tls-curve-preferences tls-min-version tls-sni-cert-key tracing-config-file v vmodule
  watch-cache-sizes
`);

/** The same for those that are on or off. */
export const idleSwitches: ReadonlySet<string> = words(`
  aggregator-reject-forwarding-redirect allow-privileged audit-log-batch-throttle-enable
  audit-log-compress audit-log-truncate-enabled audit-webhook-batch-throttle-enable
  audit-webhook-truncate-enabled contention-profiling disable-http2-serving
  emulation-forward-compatible enable-aggregator-routing enable-bootstrap-token-auth
  enable-garbage-collector enable-logs-handler enable-priority-and-fairness
  encryption-provider-config-automatic-reload log-text-split-stream permit-address-sharing
  permit-port-sharing profiling runtime-config-emulation-forward-compatible
  service-account-extend-token-expiration service-account-lookup shutdown-send-retry-after
  watch-cache
`);

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}
