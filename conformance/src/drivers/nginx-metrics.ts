import type { CertificateRow } from '@waygate/ingress';
import type { Exchange } from './nginx-compare.ts';

/** What the controller says on its certificates, as lines of `/metrics`. */
export function certificateLines(rows: readonly CertificateRow[]): string[] {
  return rows.flatMap(({ labels, issuer, expiresAt }) => [
    `nginx_ingress_controller_ssl_expire_time_seconds{${text(labels)}} ${expiresAt}`,
    `nginx_ingress_controller_ssl_certificate_info{${text({ ...labels, ...issuer })}} 1`,
  ]);
}

/** What differs between the lines of a recording and those of a gateway that are looked at. */
export function metricDifferences(
  want: Exchange,
  lines: readonly string[],
  match: string,
): string[] {
  const wanted = new Set((want.data as readonly string[]).map(normal));
  const pattern = new RegExp(match);
  const got = new Set(lines.filter((line) => isJudged(line) && pattern.test(line)).map(normal));
  return [
    ...[...wanted].filter((line) => !got.has(line)).map((line) => `no metric ${line}`),
    ...[...got].filter((line) => !wanted.has(line)).map((line) => `metric ${line}`),
  ];
}

/** Sums and buckets of histograms are measurements: only their counts were recorded. */
function isJudged(line: string): boolean {
  return line.startsWith('nginx_ingress_controller_') && !/^\w+_(sum|bucket)\b/.test(line);
}

/** Labels in their order, and the number by its value. */
function normal(line: string): string {
  const [, name = '', labels = '', value = ''] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
  const sorted = (labels.match(/\w+="(?:[^"\\]|\\.)*"/g) ?? []).sort().join();
  return `${name}{${sorted}} ${Number(value)}`;
}

function text(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join();
}
