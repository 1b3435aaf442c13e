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
    isCatchAllDisabled: isSet('disable-catch-all'),
    watchesWithoutClass: isSet('watch-ingress-without-class'),
  };
}

/** Flags whose work is the controller's, not the translator's. */
const ofController =
  /^--(tcp-services-configmap|udp-services-configmap|enable-ssl-passthrough|publish-)/;

/** Whether a recording is about what the controller itself does. */
export function needsController(
  flags: readonly string[],
  requests: readonly { readonly kind?: string }[],
): boolean {
  return (
    flags.some((flag) => ofController.test(flag)) || requests.some(({ kind }) => kind === 'status')
  );
}
