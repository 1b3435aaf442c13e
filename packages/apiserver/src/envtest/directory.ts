import { fileURLToPath } from 'node:url';

/**
 * Where the programs are that envtest looks for: `kube-apiserver`, `etcd` and `kubectl`. It is what
 * `KUBEBUILDER_ASSETS` is set to.
 *
 * ```ts
 * import { envtestDirectory } from '@waygate/apiserver';
 *
 * process.env.KUBEBUILDER_ASSETS = envtestDirectory();
 * ```
 */
export function envtestDirectory(): string {
  return fileURLToPath(new URL('../../envtest', import.meta.url));
}
