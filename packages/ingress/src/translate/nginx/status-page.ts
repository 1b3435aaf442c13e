import { isAddressOrNetwork } from '@waygate/text';
import type { PluginEntity } from '../kong-state.ts';
import type { NginxSettings } from './settings.ts';

/** What nginx says of its connections, to those whom the settings name. */
export function statusPlugin(settings: NginxSettings): PluginEntity {
  const allow = ['nginx-status-ipv4-whitelist', 'nginx-status-ipv6-whitelist']
    .flatMap((key) => settings.list(key))
    .filter(isAddressOrNetwork);
  return { name: 'nginx-status', config: { allow } };
}
