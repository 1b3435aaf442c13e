import { configSchema, problemsOf } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import { cipherProblem, versionRange } from '../../tls/handshake-settings.ts';
import { nginxPage } from './error-page.ts';

interface Config {
  readonly protocols: readonly string[];
  readonly ciphers: string;
  readonly http2: boolean;
  readonly reject_unknown: boolean;
}

const flag = (isOn: boolean) => ({ type: 'boolean', required: true, default: isOn });

/**
 * How clients are met before anything is known of their request, by the settings of ingress-nginx'
 * ConfigMap: it counts for all names, and only where it applies to everything. What cannot be read as a
 * request is refused with nginx's pages; clients that name no server get the certificate for any name.
 */
export const nginxServer = definePlugin<Config>({
  name: 'nginx-server',
  isUnlisted: true,
  priority: 2_990,
  schema: configSchema({
    protocols: {
      type: 'array',
      required: true,
      default: ['TLSv1.2', 'TLSv1.3'],
      elements: { type: 'string', one_of: ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] },
      len_min: 1,
    },
    ciphers: { type: 'string', required: true, default: '', len_min: 0 },
    http2: flag(true),
    reject_unknown: flag(false),
  }),
  check: ({ ciphers }) => problemsOf({ ciphers: cipherProblem(ciphers ?? '') }),
  welcome({ protocols, ciphers, http2, reject_unknown: isUnknownRefused }) {
    const range = versionRange(protocols);
    return {
      refusalPage: nginxPage,
      handshake: range && {
        ...range,
        ciphers,
        isHttp2Offered: http2,
        isUnknownRefused,
        hasAnyName: true,
      },
    };
  },
});
