import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNotFound, type KubeClient } from '@waygate/kube';
import { type DynamicObject, type Kind, kinds } from '@waygate/schema';
import { LocalPod, type LocalPort } from './local-pod.ts';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
  }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

type VolumeItems = readonly { readonly key: string; readonly path: string }[];

interface Deployment extends DynamicObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes?: readonly {
          readonly name: string;
          readonly secret?: { readonly secretName: string; readonly items?: VolumeItems };
          readonly configMap?: { readonly name: string; readonly items?: VolumeItems };
        }[];
      };
    };
  };
}

export interface LocalNodeOptions {
  readonly client: KubeClient;
  /** The suite's own echo server. */
  readonly echoProgram: string;
  /** Where volumes are written. */
  readonly directory: string;
  readonly log: (line: string) => void;
}

/** The ports of the suite's echo servers. */
const echoPorts: readonly LocalPort[] = [
  { port: 3000, variables: ['HTTP_PORT', 'TCP_PORT'] },
  { port: 3001, variables: ['H2C_PORT'] },
  { port: 8443, variables: ['HTTPS_PORT', 'TLS_PORT'] },
];

const udpEchoPort: LocalPort = { port: 8080, variables: ['UDP_PORT'] };

/**
 * A stand-in for the nodes of a cluster: Deployments become Pods, whose containers are local processes.
 * The embedded API makes the EndpointSlices of the Pods itself.
 */
export class LocalNode {
  readonly #options: LocalNodeOptions;
  readonly #pods = new Map<string, LocalPod>();
  #count = 0;

  constructor(options: LocalNodeOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        await this.#reconcile().catch((error: unknown) => {
          if (!signal.aborted) this.#options.log(String(error));
        });
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    } finally {
      await Promise.all([...this.#pods.values()].map((pod) => pod.stop()));
    }
  }

  /** What the pod said since a time; undefined when there is no such pod. */
  logOf(namespace: string, name: string, since: number): string | undefined {
    return this.#pods.get(`${namespace}/${name}`)?.logSince(since);
  }

  async #reconcile(): Promise<void> {
    const { client } = this.#options;
    const { items } = await client.resource(kinds.Deployment as Kind).list();
    const wanted = new Map<string, readonly [Deployment, string]>();
    for (const deployment of items as Deployment[])
      for (let index = 0; index < (deployment.spec.replicas ?? 1); index++) {
        // As a ReplicaSet names its Pods: the suite cuts off two parts to find the Deployment.
        const name = `${deployment.metadata.name}-local-${index}`;
        wanted.set(`${deployment.metadata.namespace}/${name}`, [deployment, name]);
      }
    for (const [key, pod] of this.#pods) {
      if (wanted.has(key)) continue;
      this.#pods.delete(key);
      await pod.stop();
      const [namespace = '', name = ''] = key.split('/');
      const options = { namespace, gracePeriodSeconds: 0 };
      await client
        .resource(kinds.Pod as Kind)
        .delete(name, options)
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    }
    for (const [key, [deployment, name]] of wanted)
      if (!this.#pods.has(key)) await this.#start(key, deployment, name);
  }

  async #start(key: string, deployment: Deployment, name: string): Promise<void> {
    const { client, echoProgram, directory, log } = this.#options;
    const { namespace = '' } = deployment.metadata;
    const { template } = deployment.spec;
    const volumes = join(directory, namespace, name);
    const mounts = await this.#writeVolumes(namespace, template.spec.volumes ?? [], volumes);
    // A Secret or ConfigMap that is not there yet is waited for, as a kubelet does.
    if (mounts === undefined) return;
    this.#count++;
    const pod = new LocalPod(`127.1.${this.#count >> 8}.${this.#count & 255}`);
    const { name: owner = '', uid = '' } = deployment.metadata;
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: owner, uid }];
    const metadata = { name, namespace, labels: template.metadata.labels, ownerReferences };
    const pods = client.resource(kinds.Pod as Kind);
    const created = await pods.create({ metadata, spec: { ...template.spec, nodeName: 'local' } });
    for (const container of template.spec.containers) {
      if (container.image.includes('/coredns')) await pod.startDns(53);
      if (!container.image.includes('echo-')) continue;
      const environment = environmentOf(container, metadata, volumes);
      if (environment.UDP_ECHO_SERVER === undefined)
        await pod.start(echoProgram, environment, echoPorts);
      else await pod.startUdp(echoProgram, environment, udpEchoPort);
    }
    this.#pods.set(key, pod);
    log(`pod ${key} at ${pod.address}`);
    await pods.updateStatus({
      ...created,
      status: {
        phase: 'Running',
        podIP: pod.address,
        podIPs: [{ ip: pod.address }],
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'ContainersReady', status: 'True' },
        ],
      },
    } as DynamicObject);
  }

  async #writeVolumes(
    namespace: string,
    volumes: NonNullable<Deployment['spec']['template']['spec']['volumes']>,
    directory: string,
  ): Promise<true | undefined> {
    for (const { name, secret, configMap } of volumes) {
      const from = secret?.secretName ?? configMap?.name;
      if (from === undefined) continue;
      const found = await this.#options.client
        .resource((secret === undefined ? kinds.ConfigMap : kinds.Secret) as Kind)
        .get(from, { namespace })
        .catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
      if (found === undefined) return undefined;
      const data = (found as { data?: Record<string, string> }).data ?? {};
      mkdirSync(join(directory, name), { recursive: true });
      const encoding = secret === undefined ? 'utf8' : 'base64';
      for (const { key, path } of (secret ?? configMap)?.items ?? [])
        writeFileSync(join(directory, name, path), Buffer.from(data[key] ?? '', encoding));
    }
    return true;
  }
}

/** The variables of a container, with the paths of volumes as they are on this machine. */
function environmentOf(
  { env = [], volumeMounts = [] }: Container,
  metadata: { readonly name: string; readonly namespace: string },
  directory: string,
): Record<string, string> {
  const values = env.map(({ name, value = '', valueFrom }) => {
    const path = valueFrom?.fieldRef?.fieldPath;
    if (path === 'metadata.name') return [name, metadata.name];
    if (path === 'metadata.namespace') return [name, metadata.namespace];
    const mount = volumeMounts.find(({ mountPath }) => value.startsWith(mountPath));
    if (mount === undefined) return [name, value];
    return [name, join(directory, mount.name, value.slice(mount.mountPath.length))];
  });
  return Object.fromEntries(values);
}
