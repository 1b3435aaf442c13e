import type { ConnectionConfig, Impersonation, TlsSettings } from '../config/connection-config.ts';
import {
  anonymous,
  basicCredentials,
  type CredentialSource,
  staticToken,
} from '../config/credentials.ts';
import { tokenFile } from '../config/token-file.ts';
import { KubeError } from '../error.ts';
import { ExecCredentials, type ExecCredentialsOptions } from './exec-credentials.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';
import { OidcCredentials, type OidcTokens } from './oidc-credentials.ts';

/** Which context of a kubeconfig, and what is used instead of what it says. */
export interface ContextOptions {
  /** Instead of the current one. */
  readonly context?: string | undefined;
  /** Instead of those of the context. */
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  readonly impersonation?: Impersonation | undefined;
  readonly exec?: ExecCredentialsOptions | undefined;
  /** Given new tokens of a user. `loadConfig` writes them to the kubeconfig unless this is set. */
  readonly onOidcTokens?: ((user: string, tokens: OidcTokens) => void | Promise<void>) | undefined;
}

/**
 * The connection that a context of a kubeconfig describes.
 *
 * ```ts
 * const kubeconfig = await loadKubeconfig();
 * const client = new KubeClient(configOfContext(kubeconfig, { context: 'staging' }));
 * ```
 *
 * @throws KubeError `WG_KUBE_CONFIG`
 */
export function configOfContext(
  kubeconfig: Kubeconfig,
  options: ContextOptions = {},
): ConnectionConfig {
  const contextName = options.context ?? kubeconfig.currentContext;
  const context = kubeconfig.contexts.get(contextName);
  if (context === undefined && (contextName !== '' || options.cluster === undefined)) {
    const known = [...kubeconfig.contexts.keys()].slice(0, 20).join(', ') || 'none';
    throw wrong(
      contextName === ''
        ? `no current context is set; there are: ${known}`
        : `there is no context "${contextName}"; there are: ${known}`,
    );
  }
  const clusterName = options.cluster ?? context?.cluster ?? '';
  const cluster = kubeconfig.clusters.get(clusterName);
  if (cluster === undefined) throw wrong(`there is no cluster "${clusterName}"`);
  if (cluster.server === undefined || cluster.server === '') {
    throw wrong(`the cluster "${clusterName}" has no server`);
  }
  const userName = options.user ?? context?.user ?? '';
  const user = userName === '' ? {} : kubeconfig.users.get(userName);
  if (user === undefined) throw wrong(`there is no user "${userName}"`);
  return {
    server: cluster.server,
    namespace: options.namespace ?? (context?.namespace || 'default'),
    tls: tlsOf(clusterName, cluster, user),
    credentials: credentialsOf(userName, user, cluster, options),
    impersonation: options.impersonation ?? impersonationOf(user),
    proxyUrl: cluster['proxy-url'],
    disableCompression: cluster['disable-compression'],
  };
}

function wrong(problem: string): KubeError {
  return new KubeError('WG_KUBE_CONFIG', `kubeconfig: ${problem}`);
}

function tlsOf(name: string, cluster: KubeconfigCluster, user: KubeconfigUser): TlsSettings {
  const insecure = cluster['insecure-skip-tls-verify'] === true;
  const caData = fromBase64(cluster['certificate-authority-data']);
  const caFile = cluster['certificate-authority'];
  if (insecure && (caData !== undefined || (caFile ?? '') !== '')) {
    throw wrong(`the cluster "${name}" has a certificate authority and skips verification`);
  }
  return {
    caData,
    caFile,
    certificateData: fromBase64(user['client-certificate-data']),
    certificateFile: user['client-certificate'],
    keyData: fromBase64(user['client-key-data']),
    keyFile: user['client-key'],
    serverName: cluster['tls-server-name'],
    insecureSkipTlsVerify: insecure,
  };
}

function fromBase64(data: string | undefined): string | undefined {
  if (data === undefined || data === '') return undefined;
  return Buffer.from(data, 'base64').toString('utf8');
}

function credentialsOf(
  name: string,
  user: KubeconfigUser,
  cluster: KubeconfigCluster,
  options: ContextOptions,
): CredentialSource {
  if (user.exec !== undefined) {
    if (user['auth-provider'] !== undefined) {
      throw wrong(`the user "${name}" has both exec and auth-provider`);
    }
    if (typeof user.exec.command !== 'string' || user.exec.command === '') {
      throw wrong(`exec of the user "${name}" has no command`);
    }
    return new ExecCredentials(user.exec, cluster, options.exec);
  }
  if ((user.tokenFile ?? '') !== '') return tokenFile(user.tokenFile as string);
  if ((user.token ?? '') !== '') return staticToken(user.token as string);
  if (user['auth-provider'] !== undefined) return oidcOf(name, user, options);
  if ((user.username ?? '') !== '')
    return basicCredentials(user.username as string, user.password ?? '');
  return anonymous;
}

function oidcOf(name: string, user: KubeconfigUser, options: ContextOptions): CredentialSource {
  const provider = user['auth-provider'];
  if (provider?.name !== 'oidc') {
    throw wrong(
      `the auth provider "${provider?.name}" of the user "${name}" is not supported: use an exec plugin`,
    );
  }
  const config = provider.config ?? {};
  const issuerUrl = config['idp-issuer-url'];
  const clientId = config['client-id'];
  if (issuerUrl === undefined || clientId === undefined) {
    throw wrong(`OIDC of the user "${name}" needs idp-issuer-url and client-id`);
  }
  return new OidcCredentials(
    {
      issuerUrl,
      clientId,
      clientSecret: config['client-secret'],
      idToken: config['id-token'],
      refreshToken: config['refresh-token'],
      caData: fromBase64(config['idp-certificate-authority-data']),
      caFile: config['idp-certificate-authority'],
    },
    { onTokens: (tokens) => options.onOidcTokens?.(name, tokens) },
  );
}

function impersonationOf(user: KubeconfigUser): Impersonation | undefined {
  if ((user.as ?? '') === '') {
    if (user['as-uid'] !== undefined || user['as-groups'] !== undefined) {
      throw wrong('as-uid, as-groups and as-user-extra need "as"');
    }
    return undefined;
  }
  return {
    user: user.as as string,
    uid: user['as-uid'],
    groups: user['as-groups'],
    extra: user['as-user-extra'],
  };
}
