import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { ConnectionConfig } from '../config/connection-config.ts';
import { tokenFile } from '../config/token-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const accountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The configuration of a Pod: where the API is comes from the environment, who we are from the
 * service account's files, which are read again as they rotate. Undefined outside a Pod.
 *
 * ```ts
 * const config = await inClusterConfig();
 * if (config === undefined) throw new Error('this is no Pod');
 * const client = new KubeClient(config);
 * ```
 */
export async function inClusterConfig(
  environment: Environment = process.env,
  serviceAccount: string = accountDirectory,
): Promise<ConnectionConfig | undefined> {
  const host = environment.KUBERNETES_SERVICE_HOST ?? '';
  const port = environment.KUBERNETES_SERVICE_PORT ?? '';
  if (host === '' || port === '') return undefined;
  const token = join(serviceAccount, 'token');
  const readable = await readFile(token, 'utf8').then(
    () => true,
    () => false,
  );
  if (!readable) return undefined;
  const namespace = await readFile(join(serviceAccount, 'namespace'), 'utf8').catch(() => '');
  return {
    server: `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim() || 'default',
    tls: { caFile: join(serviceAccount, 'ca.crt') },
    credentials: tokenFile(token),
  };
}
