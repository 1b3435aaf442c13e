import type { NginxOptions } from '@waygate/ingress';

/** The options that flags of the recorded controller stand for. */
export function nginxOptions(flags: readonly string[]): NginxOptions {
  const values = new Map(
    flags.map((flag): [string, string] => {
      const [name = '', value = 'true'] = flag.replace(/^--/, '').split('=');
      return [name, value];
    }),
  );
  const text = (name: string, option: string) =>
    values.has(name) ? { [option]: values.get(name) } : {};
  const isSet = (name: string) => values.get(name) === 'true';
  return {
    ...text('default-backend-service', 'defaultBackendService'),
    ...text('default-ssl-certificate', 'defaultCertificate'),
    ...text('tcp-services-configmap', 'tcpServices'),
    ...text('udp-services-configmap', 'udpServices'),
    isCatchAllDisabled: isSet('disable-catch-all'),
    watchesWithoutClass: isSet('watch-ingress-without-class'),
    isPassthroughEnabled: isSet('enable-ssl-passthrough'),
  };
}
