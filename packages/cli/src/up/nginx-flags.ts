import type { NginxOptions } from '@waygate/ingress';
import { type Command, InvalidArgumentError } from 'commander';

/** The flags of `waygate up` on ingress-nginx, by the names that the controller has for them. */
export interface NginxUpFlags {
  readonly ingressNginx?: boolean;
  readonly configmap?: string;
  readonly defaultBackendService?: string;
  readonly defaultSslCertificate?: string;
  readonly watchIngressWithoutClass?: boolean;
  readonly tcpServicesConfigmap?: string;
  readonly udpServicesConfigmap?: string;
}

/** Adds them to a command. */
export function addNginxFlags(command: Command): Command {
  return command
    .option('--ingress-nginx', 'serve Ingresses of ingress-nginx’ class as it does')
    .option('--configmap <key>', 'its settings: namespace/name of a ConfigMap', objectKey)
    .option('--default-backend-service <key>', 'its Service for what nobody asks for', objectKey)
    .option(
      '--default-ssl-certificate <key>',
      'its Secret for names without a certificate',
      objectKey,
    )
    .option('--watch-ingress-without-class', 'Ingresses without a class are its')
    .option('--tcp-services-configmap <key>', 'its TCP services, on ports of loopback', objectKey)
    .option('--udp-services-configmap <key>', 'its UDP services, on ports of loopback', objectKey);
}

/** How its Ingresses are served; undefined when they are not. */
export function nginxOfUpFlags(flags: NginxUpFlags): NginxOptions | undefined {
  if (!flags.ingressNginx) return undefined;
  return {
    ...(flags.configmap && { configMap: flags.configmap }),
    ...(flags.defaultBackendService && { defaultBackendService: flags.defaultBackendService }),
    ...(flags.defaultSslCertificate && { defaultCertificate: flags.defaultSslCertificate }),
    ...(flags.tcpServicesConfigmap && { tcpServices: flags.tcpServicesConfigmap }),
    ...(flags.udpServicesConfigmap && { udpServices: flags.udpServicesConfigmap }),
    watchesWithoutClass: flags.watchIngressWithoutClass ?? false,
  };
}

function objectKey(text: string): string {
  if (!/^[^/\s]+\/[^/\s]+$/.test(text)) throw new InvalidArgumentError('must be namespace/name.');
  return text;
}
