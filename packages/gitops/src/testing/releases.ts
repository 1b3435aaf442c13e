import { packFiles, ReleaseStorage, type StoredRelease } from '@waygate/helm';
import { kinds } from '@waygate/schema';
import {
  type HelmChart,
  type HelmRelease,
  helmChartKind,
  helmReleaseKind,
  helmRepositoryKind,
} from '../api/helm-objects.ts';
import type { GitOpsControllersOptions } from '../gitops-controllers.ts';
import { KubeReleaseCluster } from '../release/kube-release-cluster.ts';
import { ChartRegistry } from './chart-registry.ts';
import type { TestApi } from './cluster.ts';
import { TestControllers } from './controllers.ts';

/** A ConfigMap `NAME-cm` with the values `color` and `version`. */
export const colorTemplate =
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-cm\ndata:\n  color: {{ .Values.color }}\n  version: {{ .Chart.Version | quote }}\n';

/** A packed chart of these files; what is not given is the least that a chart has. */
export function packedChart(
  name: string,
  version: string,
  files: Readonly<Record<string, string>> = {},
): Uint8Array {
  const all = {
    'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
    'values.yaml': 'color: red\n',
    'templates/cm.yaml': colorTemplate,
    ...files,
  };
  return packFiles(
    Object.entries(all).map(([path, text]) => ({
      name: `${name}/${path}`,
      data: Buffer.from(text),
    })),
  );
}

/** Controllers on an embedded API beside a registry of charts, and HelmReleases that they keep. */
export class TestReleases implements AsyncDisposable {
  readonly controllers: TestControllers;
  readonly registry: ChartRegistry;
  #namespaces = 0;

  static async start(
    api: TestApi,
    options: Partial<GitOpsControllersOptions> = {},
    login?: string,
  ): Promise<TestReleases> {
    const settings = { minRetryMs: 20, maxRetryMs: 200, requeueDependencyMs: 50, ...options };
    const controllers = await TestControllers.start(api, settings);
    return new TestReleases(controllers, await ChartRegistry.start(login));
  }

  private constructor(controllers: TestControllers, registry: ChartRegistry) {
    this.controllers = controllers;
    this.registry = registry;
  }

  get client() {
    return this.controllers.cluster.client;
  }

  until<T>(read: () => Promise<T> | T, isWanted: (value: T) => boolean): Promise<T> {
    return this.controllers.cluster.until(read, isWanted);
  }

  /** A namespace with a HelmRepository `repo` that is the registry's `charts`. */
  async namespace(secretRef?: { name: string }): Promise<string> {
    const namespace = `releases-${++this.#namespaces}`;
    await this.client.resource(kinds.Namespace).create({ metadata: { name: namespace } });
    await this.client.resource(helmRepositoryKind).create({
      metadata: { name: 'repo', namespace },
      spec: {
        url: this.registry.urlOf('charts'),
        type: 'oci',
        interval: '10m',
        insecure: true,
        ...(secretRef && { secretRef }),
      },
    });
    return namespace;
  }

  /** A release of the chart `web`, version 1.0.0, unless it is said otherwise. */
  async create(namespace: string, spec: Partial<HelmRelease['spec']> = {}, name = 'web') {
    const sourceRef = { kind: 'HelmRepository', name: 'repo' };
    return this.client.resource(helmReleaseKind).create({
      metadata: { name, namespace },
      spec: {
        interval: '10m',
        ...(spec.chartRef === undefined && {
          chart: { spec: { chart: 'web', version: '1.0.0', sourceRef } },
        }),
        ...spec,
      },
    });
  }

  get(namespace: string, name = 'web'): Promise<HelmRelease> {
    return this.client.resource(helmReleaseKind).get(name, { namespace });
  }

  async change(namespace: string, spec: object, name = 'web'): Promise<void> {
    await this.client.resource(helmReleaseKind).patch(name, { spec }, { namespace });
  }

  async annotate(namespace: string, annotations: object, name = 'web'): Promise<void> {
    const patch = { metadata: { annotations } };
    await this.client.resource(helmReleaseKind).patch(name, patch, { namespace });
  }

  /** The release, when its controller has said that it is ready as it is now. */
  ready(namespace: string, name = 'web'): Promise<HelmRelease> {
    return this.until(
      () => this.get(namespace, name),
      (object) =>
        conditionOf(object, 'Ready')?.status === 'True' &&
        object.status?.observedGeneration === object.metadata.generation,
    );
  }

  /** The release, when a condition has a reason. */
  untilReason(namespace: string, type: string, reason: string, name = 'web'): Promise<HelmRelease> {
    return this.until(
      () => this.get(namespace, name),
      (object) => conditionOf(object, type)?.reason === reason,
    );
  }

  chart(namespace: string, name: string): Promise<HelmChart> {
    return this.client.resource(helmChartKind).get(name, { namespace });
  }

  /** What the release's ConfigMap says; undefined when it is not there. */
  async data(namespace: string, name = 'web-cm'): Promise<Record<string, string> | undefined> {
    const { items } = await this.client.resource(kinds.ConfigMap).list({ namespace });
    return items.find(({ metadata }) => metadata.name === name)?.data;
  }

  async stored(namespace: string, name = 'web'): Promise<StoredRelease[]> {
    return (await this.storage(namespace).history(name)).map(({ release }) => release);
  }

  storage(namespace: string): ReleaseStorage {
    const cluster = new KubeReleaseCluster(this.client, { fieldManager: 'test' });
    return new ReleaseStorage(cluster, { namespace, now: () => new Date() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.controllers[Symbol.asyncDispose]();
    await this.registry[Symbol.asyncDispose]();
  }
}

export function conditionOf({ status }: HelmRelease, type: string) {
  return status?.conditions?.find((each) => each.type === type);
}
