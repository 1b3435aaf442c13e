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
  const allow =
    rangesOf(read, 'allowlist-source-range') ?? checked(settings, 'whitelist-source-range', read);
  const deny =
    rangesOf(read, 'denylist-source-range') ?? checked(settings, 'denylist-source-range', read);
  if (allow.length + deny.length === 0) return undefined;
  return { name: 'address-filter', config: { allow, deny, satisfy } };
}

/** The operator's ranges; one that is none closes all paths that have no list of their own. */
function checked(
  settings: NginxSettings,
  key: 'whitelist-source-range' | 'denylist-source-range',
  read: AnnotationReader,
): string[] {
  const ranges = settings.entries(key);
  if (ranges.every((one) => parseAddressRange(one) !== undefined)) return ranges;
  const name = key === 'denylist-source-range' ? key : 'allowlist-source-range';
  read.deny(name, `the ConfigMap’s ${key} has an entry that is no address range`);
  return [];
}

/** Addresses and ranges. One that is none closes the paths: nobody is let in by mistake. */
export function rangesOf(read: AnnotationReader, name: string): string[] | undefined {
  const ranges = read.list(name);
  if (ranges === undefined) return undefined;
  const wrong = ranges.find((one) => parseAddressRange(one) === undefined);
  if (wrong === undefined) return ranges;
  const message = `${JSON.stringify(wrong)} is no address range`;
  if (name === 'limit-allowlist') read.drop(name, message);
  else read.deny(name, message);
  return [];
}
