import type { Ingress } from '../../../objects/ingress.ts';
import type { PluginEntity } from '../../kong-state.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import type { NginxSettings } from '../settings.ts';
import { rangesOf } from './access.ts';

/** How much one client may ask for. All locations of an Ingress count together. */
export function parseLimits(
  { metadata }: Ingress,
  read: AnnotationReader,
  settings: NginxSettings,
): PluginEntity[] {
  const zone = `${metadata.namespace ?? ''}_${metadata.name ?? ''}_${metadata.uid ?? ''}`;
  const burst = read.int('limit-burst-multiplier') ?? 0;
  const multiplier = burst > 0 ? burst : 5;
  const allow = rangesOf(read, 'limit-allowlist') ?? [];
  // What has no value is not limited.
  const key = settings.text('limit-conn-zone-variable');
  const connections = atMost(read.int('limit-connections') ?? 0);
  const limits = (['second', 'minute'] as const).flatMap((per) => {
    const rate = atMost(read.int(per === 'second' ? 'limit-rps' : 'limit-rpm') ?? 0);
    return rate > 0 ? [{ rate, per, burst: atMost(rate * multiplier) }] : [];
  });
  const plugins: PluginEntity[] = [];
  if (limits.length > 0) {
    const status = settings.int('limit-req-status-code');
    plugins.push({ name: 'request-rate', config: { zone, key, limits, status, allow } });
  }
  if (connections > 0) {
    const status = settings.int('limit-conn-status-code');
    const config = { zone, key, limit: connections, status, allow };
    plugins.push({ name: 'connection-limit', config });
  }
  const [rate, after] = (['limit-rate', 'limit-rate-after'] as const).map(
    (one) => within(read.int(one) ?? settings.int(one)) * 1_024,
  ) as [number, number];
  if (rate > 0) {
    const config = { bytes_per_second: rate, free_bytes: after };
    plugins.push({ name: 'response-rate', config });
  }
  return plugins;
}

/** Kilobytes; a number below nothing is no limit. */
function within(value: number): number {
  return Math.max(0, atMost(value));
}

/** What a gateway counts up to; more is no limit. */
function atMost(value: number): number {
  return Math.min(value, 2 ** 31 - 1);
}
