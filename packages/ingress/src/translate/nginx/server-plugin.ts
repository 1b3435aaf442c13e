import type { ObjectReader } from '../../store/object-reader.ts';
import type { PluginEntity } from '../kong-state.ts';
import type { ResolvedNginxOptions } from './options.ts';
import { readSettings } from './settings.ts';

const protocols = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];

/** How all clients are met, by the settings of the ConfigMap; none where the gateway cannot be told. */
export function serverPlugins(
  reader: ObjectReader,
  { configMap, availablePlugins }: ResolvedNginxOptions,
): PluginEntity[] {
  if (availablePlugins?.has('nginx-server') === false) return [];
  const settings = readSettings(reader, configMap);
  const wanted = settings.text('ssl-protocols').split(/\s+/);
  const known = protocols.filter((one) => wanted.includes(one));
  const config = {
    ...(known.length > 0 && { protocols: known }),
    ciphers: settings.text('ssl-ciphers'),
    http2: settings.bool('use-http2'),
    reject_unknown: settings.bool('ssl-reject-handshake'),
  };
  return [{ name: 'nginx-server', config }];
}
