/** How bad the end of a request is, by who is to blame, in the names of Kong's schema. */
export interface SeverityConfig {
  readonly log_level: Severity;
  readonly successful_severity: Severity;
  readonly client_errors_severity: Severity;
  readonly server_errors_severity: Severity;
}

/** From the worst to the least, as syslog numbers them. */
const severities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'] as const;

type Severity = (typeof severities)[number];

/** The number of the severity of a status; undefined if that is below what is to be logged. */
export function severityOf(config: SeverityConfig, status: number): number | undefined {
  const severity =
    status >= 500
      ? config.server_errors_severity
      : status >= 400
        ? config.client_errors_severity
        : config.successful_severity;
  const number = severities.indexOf(severity);
  return number <= severities.indexOf(config.log_level) ? number : undefined;
}

/** From 0, as syslog numbers them. */
const facilities = [
  ...['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron'],
  ...['authpriv', 'ftp', '', '', '', ''],
  ...['local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'],
];

/** The number that a line of syslog begins with. */
export function syslogPriority(facility: string, severity: number): number {
  return Math.max(facilities.indexOf(facility), 0) * 8 + severity;
}
