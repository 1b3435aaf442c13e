import { spawn } from 'node:child_process';
import { isObject } from '@waygate/text';
import { KubeError } from '../error.ts';
import type { ExecConfig, KubeconfigCluster } from './kubeconfig.ts';

/** What a credential plugin answered. */
interface ExecCredentialStatus {
  readonly token?: string | undefined;
  readonly clientCertificateData?: string | undefined;
  readonly clientKeyData?: string | undefined;
  /** Milliseconds since the epoch; undefined: good until the API says otherwise. */
  readonly expiresAtMs?: number | undefined;
}

export interface ExecPluginOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a person is there to answer; decides on stdin. */
  readonly isInteractive: boolean;
  readonly timeoutMs: number;
}

const versions = new Set([
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
]);
const maxOutput = 1024 * 1024;
const maxStderr = 2048;

/** Runs a credential plugin once. */
export async function runExecPlugin(
  config: ExecConfig,
  cluster: KubeconfigCluster,
  options: ExecPluginOptions,
): Promise<ExecCredentialStatus> {
  if (!versions.has(config.apiVersion)) {
    throw wrong(config, `speaks ${config.apiVersion || 'no version'}; known are v1 and v1beta1`);
  }
  const mode = config.interactiveMode ?? 'IfAvailable';
  if (mode === 'Always' && !options.isInteractive) {
    throw wrong(config, 'wants to ask a person, and there is no terminal');
  }
  const isInteractive = mode !== 'Never' && options.isInteractive;
  const output = await run(
    config,
    isInteractive,
    options,
    execInfo(config, cluster, isInteractive),
  );
  return parseOutput(config, output);
}

function wrong(config: ExecConfig, problem: string, cause?: unknown): KubeError {
  return new KubeError('WG_KUBE_CONFIG', `credential plugin ${config.command}: ${problem}`, {
    cause,
  });
}

/** What the plugin is told in `KUBERNETES_EXEC_INFO`. */
function execInfo(config: ExecConfig, cluster: KubeconfigCluster, interactive: boolean): string {
  const extension = cluster.extensions?.find(
    ({ name }) => name === 'client.authentication.k8s.io/exec',
  );
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: config.apiVersion,
    spec: {
      interactive,
      ...(config.provideClusterInfo === true
        ? {
            cluster: {
              server: cluster.server,
              'tls-server-name': cluster['tls-server-name'],
              'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
              'certificate-authority-data': cluster['certificate-authority-data'],
              'proxy-url': cluster['proxy-url'],
              'disable-compression': cluster['disable-compression'],
              config: extension?.extension,
            },
          }
        : {}),
    },
  });
}

function run(
  config: ExecConfig,
  isInteractive: boolean,
  options: ExecPluginOptions,
  info: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(config.command, config.args ?? [], {
      stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', isInteractive ? 'inherit' : 'pipe'],
      env: {
        ...options.environment,
        ...Object.fromEntries((config.env ?? []).map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: info,
      },
      windowsHide: true,
    });
    let output = '';
    let complaint = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(wrong(config, `gave no answer within ${options.timeoutMs} ms`));
    }, options.timeoutMs);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length <= maxOutput) return;
      child.kill('SIGKILL');
      reject(wrong(config, `wrote over ${maxOutput} bytes`));
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-maxStderr);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const hint = config.installHint === undefined ? '' : `\n${config.installHint}`;
      const problem = error.code === 'ENOENT' ? 'is not installed' : 'cannot be run';
      reject(wrong(config, `${problem}${hint}`, error));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(output);
      else {
        const said = complaint.trim() === '' ? '' : `: ${complaint.trim()}`;
        reject(wrong(config, `ended with ${code ?? signal}${said}`));
      }
    });
  });
}

/** The output may hold a token, so messages never quote it. */
function parseOutput(config: ExecConfig, output: string): ExecCredentialStatus {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    throw wrong(config, 'did not write JSON');
  }
  if (!isObject(value) || value.kind !== 'ExecCredential') {
    throw wrong(config, 'did not write an ExecCredential');
  }
  if (value.apiVersion !== config.apiVersion) {
    throw wrong(config, `answered in another version than ${config.apiVersion}`);
  }
  if (!isObject(value.status)) throw wrong(config, 'answered without a status');
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = value.status;
  const hasCertificate = typeof clientCertificateData === 'string' && clientCertificateData !== '';
  const hasKey = typeof clientKeyData === 'string' && clientKeyData !== '';
  if (hasCertificate !== hasKey) throw wrong(config, 'gave only one of certificate and key');
  if ((typeof token !== 'string' || token === '') && !hasCertificate) {
    throw wrong(config, 'gave neither a token nor a certificate');
  }
  const expiresAtMs =
    typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  return {
    ...(typeof token === 'string' && token !== '' ? { token } : {}),
    ...(hasCertificate ? { clientCertificateData, clientKeyData: clientKeyData as string } : {}),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAtMs }),
  };
}
