import type { NginxOptions } from '@waygate/ingress';

/** The options that the flags of a running ingress-nginx stand for. */
export function optionsOfNginxFlags(flags: Readonly<Record<string, string>>): NginxOptions {
  const text = (option: keyof NginxOptions, name: string) =>
    flags[name] ? { [option]: flags[name].replaceAll('$(POD_NAMESPACE)', namespaceOf(flags)) } : {};
  const isOn = (name: string) => flags[name] === 'true';
  return {
    ...text('controllerClass', 'controller-class'),
    ...text('ingressClass', 'ingress-class'),
    ...text('annotationsPrefix', 'annotations-prefix'),
    ...text('configMap', 'configmap'),
    ...text('defaultBackendService', 'default-backend-service'),
    ...text('defaultCertificate', 'default-ssl-certificate'),
    isClassByName: isOn('ingress-class-by-name'),
    watchesWithoutClass: isOn('watch-ingress-without-class'),
    isCatchAllDisabled: isOn('disable-catch-all'),
  };
}

function namespaceOf(flags: Readonly<Record<string, string>>): string {
  return flags.namespace ?? 'ingress-nginx';
}
