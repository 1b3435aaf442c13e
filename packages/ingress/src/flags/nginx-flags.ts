import type { FlagReader } from '@waygate/runtime';
import type { NginxOptions } from '../translate/nginx/options.ts';
import type { FlagRow } from './flag-row.ts';

/** The flags of ingress-nginx, which count with `--ingress-nginx`. */
export const nginxFlags: readonly FlagRow[] = [
  ['ingress-nginx', 'boolean', false, 'serve Ingresses of ingress-nginx’ class as it does'],
  [
    'ingress-nginx-class',
    'string',
    'nginx',
    'the value of kubernetes.io/ingress.class that is its',
  ],
  [
    'controller-class',
    'string',
    'k8s.io/ingress-nginx',
    'IngressClasses with this controller are ingress-nginx’',
  ],
  ['ingress-class-by-name', 'boolean', false, 'an IngressClass counts by its name too'],
  ['watch-ingress-without-class', 'boolean', false, 'Ingresses without a class are ingress-nginx’'],
  [
    'annotations-prefix',
    'string',
    'nginx.ingress.kubernetes.io',
    'what annotations of ingress-nginx begin with',
  ],
  ['configmap', 'string', '', 'the settings of ingress-nginx: namespace/name of a ConfigMap'],
  [
    'default-backend-service',
    'string',
    '',
    'namespace/name of the Service for what no Ingress of ingress-nginx asks for',
  ],
  [
    'default-ssl-certificate',
    'string',
    '',
    'namespace/name of the Secret whose certificate is shown for names without one',
  ],
  ['disable-catch-all', 'boolean', false, 'leave out Ingresses with a default backend'],
  ['deep-inspect', 'boolean', true, 'leave out Ingresses with suspicious hosts, paths and names'],
  [
    'unknown-snippets',
    'string',
    'refuse',
    'Ingresses with snippets that are not understood: refuse them, or ignore the snippets',
  ],
  [
    'enable-metrics',
    'boolean',
    false,
    'count requests and certificates under the names of ingress-nginx, beside those of Kong',
  ],
  ['metrics-per-host', 'boolean', true, 'with the host as a label of those'],
  [
    'metrics-per-undefined-host',
    'boolean',
    false,
    'count requests for hosts that no Ingress names as well',
  ],
  ['report-status-classes', 'boolean', false, 'count by 2xx and so on, not by each status'],
  [
    'tcp-services-configmap',
    'string',
    '',
    'TCP services of ingress-nginx: namespace/name of a ConfigMap',
  ],
  [
    'udp-services-configmap',
    'string',
    '',
    'UDP services of ingress-nginx: namespace/name of a ConfigMap',
  ],
];

/** What the flags say on ingress-nginx; undefined when its Ingresses are none of ours. */
export function nginxFromFlags(
  flags: FlagReader,
  pod: { readonly namespace: string; readonly name: string } | undefined,
): NginxOptions | undefined {
  if (!flags.isOn('ingress-nginx', false)) return undefined;
  const optional = (option: keyof NginxOptions, flag: string) => {
    const value = flags.text(flag);
    return value === undefined || value === '' ? {} : { [option]: value };
  };
  const snippets = flags.choice('unknown-snippets', ['refuse', 'ignore']);
  return {
    ...optional('ingressClass', 'ingress-nginx-class'),
    ...optional('controllerClass', 'controller-class'),
    ...optional('annotationsPrefix', 'annotations-prefix'),
    ...optional('configMap', 'configmap'),
    ...optional('defaultBackendService', 'default-backend-service'),
    ...optional('defaultCertificate', 'default-ssl-certificate'),
    ...optional('tcpServices', 'tcp-services-configmap'),
    ...optional('udpServices', 'udp-services-configmap'),
    isClassByName: flags.isOn('ingress-class-by-name', false),
    watchesWithoutClass: flags.isOn('watch-ingress-without-class', false),
    isCatchAllDisabled: flags.isOn('disable-catch-all', false),
    isDeepInspecting: flags.isOn('deep-inspect', true),
    ...(flags.isOn('enable-metrics', false) && {
      metrics: {
        namespace: pod?.namespace ?? '',
        pod: pod?.name ?? '',
        isPerHost: flags.isOn('metrics-per-host', true),
        countsUndefinedHosts: flags.isOn('metrics-per-undefined-host', false),
        hasStatusClasses: flags.isOn('report-status-classes', false),
      },
    }),
    unknownSnippets: snippets === 'ignore' ? 'ignore' : 'refuse',
  };
}
