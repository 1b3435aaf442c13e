import { rm } from 'node:fs/promises';
import { Kubectl, KubectlProgram, kubectlHome } from '../apiserver/kubectl.ts';
import { run } from '../real/processes.ts';
import { objectsOf, system } from './manifests.ts';

/** Names the kubeconfig of a cluster that `deploy/` is tried on, in place of the embedded API. */
const variable = 'WAYGATE_E2E_KUBECONFIG';

/** The kubeconfig of the cluster to spare, if one is named. */
export const spareKubeconfig = process.env[variable] === '' ? undefined : process.env[variable];

/** An API that `deploy/` can be applied to. */
export interface DeployCluster {
  readonly kubectl: KubectlProgram;
  readonly url: string;
  /** In PEM. */
  readonly caCertificate: string;
  /** Somebody else's: it has rules that the embedded one can be freed of. */
  readonly isReal: boolean;
  stop(): Promise<void>;
}

export async function startDeployCluster(): Promise<DeployCluster> {
  if (spareKubeconfig !== undefined) return realCluster(spareKubeconfig);
  console.info(`${variable} names no cluster: deploy/ is tried on the embedded API only`);
  const kubectl = await Kubectl.start({ allowsLoopbackEndpoints: true });
  const { url, caCertificate } = kubectl.server;
  return { kubectl, url, caCertificate, isReal: false, stop: () => kubectl.stop() };
}

interface MinifiedConfig {
  readonly clusters: readonly [
    { readonly cluster: { server: string; 'certificate-authority-data'?: string } },
  ];
}

/** The context that a kubeconfig names as its own, alone and with all files in it. */
export async function minifiedConfig(path: string): Promise<MinifiedConfig> {
  const view = ['--kubeconfig', path, 'config', 'view', '--raw', '--minify', '--flatten'];
  const { code, stdout, stderr } = await run('kubectl', [...view, '-o', 'json']);
  if (code !== 0) throw new Error(`${variable}: ${stderr}`);
  return JSON.parse(stdout) as MinifiedConfig;
}

/** A cluster that has nothing of ours yet, and has nothing of ours again afterwards. */
async function realCluster(path: string): Promise<DeployCluster> {
  const config = await minifiedConfig(path);
  const [{ cluster }] = config.clusters;
  const directory = await kubectlHome(JSON.stringify(config));
  const kubectl = new KubectlProgram(directory);
  const found = await kubectl.run(['get', 'deployments', '-n', system, '-o', 'name']);
  if (found !== '') {
    throw new Error(`${variable}: ${system} has ${found.trim()}; it must be a cluster to spare`);
  }
  return {
    kubectl,
    url: cluster.server,
    caCertificate: Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64').toString(),
    isReal: true,
    async stop() {
      // The namespace stays: where no controllers run, nobody would finish with it.
      const ours = (await objectsOf('.')).filter(({ kind }) => kind !== 'Namespace');
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: ours });
      await kubectl.run(['delete', '--ignore-not-found', '--wait=false', '-f', '-'], { input });
      await rm(directory, { recursive: true, force: true });
    },
  };
}
