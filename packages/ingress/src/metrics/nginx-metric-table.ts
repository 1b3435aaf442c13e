/** One metric of ingress-nginx, without `nginx_ingress_controller_`. */
export interface NginxMetricRow {
  readonly name: string;
  /** Whose `/metrics` has it; undefined: nobody's. */
  readonly where: 'gateway' | 'controller' | undefined;
  /** What is otherwise than in the original, or why it is not there. */
  readonly note: string;
}

const rows = (
  where: NginxMetricRow['where'],
  note: string,
  ...names: readonly string[]
): readonly NginxMetricRow[] => names.map((name) => ({ name, where, note }));

/** Every metric of ingress-nginx 1.15; the table of the docs is made from it. */
export const nginxMetricTable: readonly NginxMetricRow[] = [
  ...rows(
    'gateway',
    '',
    'requests',
    'request_duration_seconds',
    'response_duration_seconds',
    'header_duration_seconds',
    'connect_duration_seconds',
    'request_size',
    'response_size',
    'bytes_sent',
  ),
  ...rows('gateway', 'of the gateway', 'nginx_process_connections'),
  ...rows('gateway', 'of the gateway', 'nginx_process_connections_total'),
  ...rows('gateway', 'of the gateway', 'nginx_process_requests_total'),
  ...rows(
    'gateway',
    'of the gateway’s processes',
    'nginx_process_num_procs',
    'nginx_process_cpu_seconds_total',
    'nginx_process_read_bytes_total',
    'nginx_process_write_bytes_total',
    'nginx_process_resident_memory_bytes',
    'nginx_process_virtual_memory_bytes',
    'nginx_process_oldest_start_time_seconds',
  ),
  ...rows('controller', 'a configuration came into force', 'config_last_reload_successful'),
  ...rows('controller', '', 'config_last_reload_successful_timestamp_seconds'),
  ...rows('controller', 'configurations, not reloads', 'success', 'errors'),
  ...rows('controller', '', 'ssl_expire_time_seconds', 'ssl_certificate_info'),
  ...rows('controller', '', 'orphan_ingress', 'check_success', 'check_errors'),
  ...rows('controller', 'with an election only', 'leader_election_status'),
  ...rows('controller', 'only the one under review is looked at', 'admission_tested_ingresses'),
  ...rows('controller', '', 'admission_tested_duration', 'admission_roundtrip_duration'),
  ...rows(
    undefined,
    'nothing is rendered',
    'admission_render_ingresses',
    'admission_render_duration',
    'admission_config_size',
  ),
  ...rows(undefined, 'only what changed is sent: there is no hash of the whole', 'config_hash'),
  ...rows(undefined, 'it would name a release of ingress-nginx', 'build_info'),
];
