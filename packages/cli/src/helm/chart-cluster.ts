import { KubeReleaseCluster } from '@waygate/gitops';
import type { ClusterAccess, ReleaseCluster } from '@waygate/helm';
import { type ConnectionConfig, KubeClient, KubeError, loadConfig } from '@waygate/kube';
import { accessOf } from '../cluster-access.ts';
import { type CliContext, CliError } from '../context.ts';

/** The cluster that templates ask: of the kubeconfig, with what the command line says instead. */
export async function chartCluster(
  access: ClusterAccess,
  context: CliContext,
): Promise<{ cluster: ReleaseCluster; close(): Promise<void> }> {
  const config = accessOf(await configOf(access, context), {
    ...(access.server !== undefined && { server: access.server }),
    ...(access.token !== undefined && { token: access.token }),
    ...(access.caFile !== undefined && { certificateAuthority: access.caFile }),
    ...(access.user !== undefined && { as: access.user, asGroup: access.groups ?? [] }),
    ...(access.tlsServerName !== undefined && { apiServerName: access.tlsServerName }),
    ...(access.insecureSkipTlsVerify === true && { insecureSkipTlsVerify: true }),
  });
  const client = new KubeClient(config);
  return {
    cluster: new KubeReleaseCluster(client, { fieldManager: 'helm', signal: context.signal }),
    close: async () => {
      await client.close();
    },
  };
}

async function configOf(
  { kubeconfig, context: name }: ClusterAccess,
  context: CliContext,
): Promise<ConnectionConfig> {
  try {
    return await loadConfig({
      environment: context.env,
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(name !== undefined && { context: name }),
    });
  } catch (cause) {
    if (!(cause instanceof KubeError)) throw cause;
    // As Helm has it where no cluster is configured: templates that look nothing up never ask.
    if (cause.message.startsWith('no cluster is configured')) {
      return { server: 'http://localhost:8080', namespace: 'default' };
    }
    throw new CliError(cause.message, { cause });
  }
}
