import { printYaml } from '@waygate/text';

interface KubeconfigOptions {
  readonly url: string;
  readonly caCertificate: string;
  readonly token: string;
}

/** A kubeconfig for the administrator of one server. */
export function kubeconfigText(options: KubeconfigOptions): string {
  const ca = Buffer.from(options.caCertificate).toString('base64');
  const cluster =
    options.caCertificate === ''
      ? { server: options.url }
      : { 'certificate-authority-data': ca, server: options.url };
  return printYaml({
    apiVersion: 'v1',
    clusters: [{ cluster, name: 'waygate' }],
    contexts: [{ context: { cluster: 'waygate', user: 'admin' }, name: 'waygate' }],
    'current-context': 'waygate',
    kind: 'Config',
    preferences: {},
    users: [{ name: 'admin', user: { token: options.token } }],
  });
}
