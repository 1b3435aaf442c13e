import { parseAddressRange } from '@waygate/text';
import type { PluginEntity } from '../../kong-state.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import type { NginxSettings } from '../settings.ts';

/** Who may ask, by address. */
export function parseAddressFilter(
  read: AnnotationReader,
  settings: NginxSettings,
  satisfy: string,
): PluginEntity | undefined {
  const allow = rangesOf(read, 'allowlist-source-range') ?? settings.list('whitelist-source-range');
  const deny = rangesOf(read, 'denylist-source-range') ?? settings.list('denylist-source-range');
  if (allow.length + deny.length === 0) return undefined;
  return { name: 'address-filter', config: { allow, deny, satisfy } };
}

/** Addresses and ranges. One that is none closes the paths: nobody is let in by mistake. */
export function rangesOf(read: AnnotationReader, name: string): string[] | undefined {
  const ranges = read
    .text(name)
    ?.split(/[\s,]+/)
    .filter((one) => one !== '');
  if (ranges === undefined) return undefined;
  const wrong = ranges.find((one) => parseAddressRange(one) === undefined);
  if (wrong === undefined) return ranges;
  const message = `${JSON.stringify(wrong)} is no address range`;
  if (name === 'limit-allowlist') read.drop(name, message);
  else read.deny(name, message);
  return [];
}
