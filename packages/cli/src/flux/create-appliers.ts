import { readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { isObject, parseYaml } from '@waygate/text';
import { CliError } from '../context.ts';
import {
  type CreateInput,
  dependenciesOf,
  type FluxCreate,
  kindNameNamespace,
  nameReference,
  objectFrom,
  refused,
  required,
  sourceReference,
} from './created-object.ts';
import type { FluxValues } from './flux-flags.ts';

const sources = ['OCIRepository', 'GitRepository', 'Bucket'];
const helmApiVersion = 'helm.toolkit.fluxcd.io/v2';

const kustomization: FluxCreate = {
  path: ['kustomization'],
  summary: 'Create or update a Kustomization',
  noun: 'Kustomization',
  hasStatus: true,
  example: 'apps --source=GitRepository/shop --path=./apps --prune --interval=10m',
  flags: [
    { name: 'source', summary: `[kind/]name[.namespace], of ${sources.join(', ')}` },
    { name: 'path', summary: 'the directory in the source', default: './' },
    { name: 'prune', kind: 'bool', summary: 'delete what is no longer in the source' },
    { name: 'wait', kind: 'bool', summary: 'check the health of everything that was applied' },
    {
      name: 'health-check',
      kind: 'list',
      summary: 'check the health of kind/name.namespace; may be repeated',
    },
    {
      name: 'health-check-timeout',
      kind: 'duration',
      summary: 'how long it may take to get healthy',
      default: '2m',
    },
    { name: 'validation', summary: 'taken and not used: the cluster validates' },
    {
      name: 'depends-on',
      kind: 'list',
      summary: 'Kustomizations that must be ready before: [namespace/]name',
    },
    { name: 'service-account', summary: 'the ServiceAccount that applies' },
    { name: 'decryption-provider', summary: 'what decrypts Secrets', choices: ['sops'] },
    { name: 'decryption-secret', summary: 'a Secret with the keys to decrypt with' },
    { name: 'target-namespace', summary: 'the namespace of everything that is applied' },
    { name: 'kubeconfig-secret-ref', summary: 'a Secret with the kubeconfig of another cluster' },
    { name: 'retry-interval', kind: 'duration', summary: 'when to try again after a failure' },
  ],
  make(input) {
    const { values } = input;
    const path = relativePath(required(values.text('path'), 'path'));
    const source = sourceReference(values.text('source'), sources, 'GitRepository');
    if (source === undefined) throw refused('source is required');
    const waits = values.isSet('wait');
    const checks = waits ? [] : values.list('health-check');
    const provider = values.text('decryption-provider');
    const spec = {
      decryption:
        provider === undefined
          ? undefined
          : { provider, secretRef: nameReference(values.text('decryption-secret')) },
      dependsOn: dependenciesOf(values.list('depends-on')),
      healthChecks: checks.length === 0 ? undefined : checks.map(healthCheck),
      interval: input.interval,
      kubeConfig: kubeConfig(values),
      path,
      prune: values.isSet('prune'),
      retryInterval: values.duration('retry-interval'),
      serviceAccountName: values.text('service-account'),
      sourceRef: source,
      targetNamespace: values.text('target-namespace'),
      timeout:
        waits || checks.length > 0 ? (values.duration('health-check-timeout') ?? '0s') : undefined,
      wait: waits || undefined,
    };
    return {
      objects: [objectFrom('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', input, spec)],
    };
  },
};

const chartKinds = ['HelmRepository', 'GitRepository', 'Bucket'];
const referenceKinds = ['OCIRepository', 'HelmChart'];
const valuesKinds = ['Secret', 'ConfigMap'];

const helmrelease: FluxCreate = {
  path: ['helmrelease'],
  summary: 'Create or update a HelmRelease',
  noun: 'HelmRelease',
  hasStatus: true,
  example: 'shop --source=HelmRepository/shop --chart=shop --chart-version=1.4.2',
  flags: [
    { name: 'release-name', summary: 'the name of the release' },
    { name: 'source', summary: `kind/name[.namespace], of ${chartKinds.join(', ')}` },
    { name: 'chart', summary: 'the name or path of the chart' },
    { name: 'chart-version', summary: 'the version, or a range of them' },
    {
      name: 'depends-on',
      kind: 'list',
      summary: 'HelmReleases that must be ready before: [namespace/]name',
    },
    { name: 'target-namespace', summary: 'the namespace of the release' },
    { name: 'storage-namespace', summary: 'the namespace that the release is recorded in' },
    { name: 'create-target-namespace', kind: 'bool', summary: 'make the namespace, too' },
    { name: 'service-account', summary: 'the ServiceAccount that installs' },
    {
      name: 'reconcile-strategy',
      summary: 'ChartVersion, or Revision: what makes a chart a new one',
      default: 'ChartVersion',
    },
    { name: 'chart-interval', kind: 'duration', summary: 'how often to look for a new chart' },
    { name: 'values', kind: 'list', summary: 'files with values; may be repeated' },
    { name: 'values-from', kind: 'list', summary: 'Secret/name or ConfigMap/name with values' },
    {
      name: 'crds',
      summary: 'what an upgrade does with definitions of the chart',
      choices: ['Skip', 'Create', 'CreateReplace'],
    },
    { name: 'kubeconfig-secret-ref', summary: 'a Secret with the kubeconfig of another cluster' },
    { name: 'chart-ref', summary: `kind/name[.namespace], of ${referenceKinds.join(', ')}` },
  ],
  make(input) {
    const { values } = input;
    const chart = values.text('chart');
    const chartRef = values.text('chart-ref');
    if (chart === undefined && chartRef === undefined)
      throw refused('chart or chart-ref is required');
    if (chart !== undefined && chartRef !== undefined)
      throw refused('cannot use --chart in combination with --chart-ref');
    const strategy = values.text('reconcile-strategy') ?? '';
    if (strategy !== 'Revision' && strategy !== 'ChartVersion') {
      throw refused(
        `'${strategy}' is an invalid reconcile strategy(valid: Revision, ChartVersion)`,
      );
    }
    const targetNamespace = values.text('target-namespace');
    const crds = values.text('crds');
    const createNamespace = values.isSet('create-target-namespace') || undefined;
    const spec = {
      chart: chart === undefined ? undefined : { spec: chartSpec(chart, strategy, values) },
      chartRef: chartRef === undefined ? undefined : chartReference(chartRef),
      dependsOn: dependenciesOf(values.list('depends-on')),
      install:
        createNamespace === undefined && crds === undefined
          ? undefined
          : { crds: crds === undefined ? undefined : 'Create', createNamespace },
      interval: input.interval,
      kubeConfig: kubeConfig(values),
      releaseName: values.text('release-name'),
      serviceAccountName: values.text('service-account'),
      storageNamespace: values.text('storage-namespace') ?? targetNamespace,
      targetNamespace,
      upgrade: crds === undefined ? undefined : { crds },
      values: valuesOf(input),
      valuesFrom: valuesFrom(values.list('values-from')),
    };
    return { objects: [objectFrom(helmApiVersion, 'HelmRelease', input, spec)] };
  },
};

/** `create kustomization` and `create helmrelease` */
export const createAppliers: readonly FluxCreate[] = [kustomization, helmrelease];

/** Below the source's root, whatever it says. */
function relativePath(text: string): string {
  const clean = posix.join('/', text.trim()).replace(/\/$/, '');
  return `.${clean === '' ? '/' : clean}`;
}

const checkedKinds = ['HelmRelease', 'Deployment', 'DaemonSet', 'StatefulSet'];

function healthCheck(text: string) {
  const parts = text.split('/');
  const [kind = '', full = ''] = parts;
  if (parts.length !== 2) {
    throw refused(
      `invalid health check '${text}' must be in the format 'kind/name.namespace' [${parts.join(' ')}]`,
    );
  }
  if (!checkedKinds.includes(kind)) {
    throw refused(
      `invalid health check kind '${kind}' can be HelmRelease, Deployment, DaemonSet or StatefulSet`,
    );
  }
  const names = full.split('.');
  if (names.length !== 2) {
    throw refused(`invalid health check '${text}' must be in the format 'kind/name.namespace'`);
  }
  return {
    apiVersion: kind === 'HelmRelease' ? helmApiVersion : undefined,
    kind,
    name: names[0],
    namespace: names[1],
  };
}

function kubeConfig(values: FluxValues) {
  const secretRef = nameReference(values.text('kubeconfig-secret-ref'));
  return secretRef === undefined ? undefined : { secretRef };
}

function chartSpec(chart: string, strategy: string, values: FluxValues) {
  const source = sourceReference(values.text('source'), chartKinds);
  return {
    chart,
    interval: values.duration('chart-interval'),
    reconcileStrategy: strategy,
    sourceRef: source ?? { name: '' },
    version: values.text('chart-version'),
  };
}

function chartReference(text: string) {
  const reference = kindNameNamespace(text);
  if (referenceKinds.includes(reference.kind)) return reference;
  throw refused(
    `chart reference kind '${reference.kind}' is not supported, must be one of: ${referenceKinds.join(', ')}`,
  );
}

function valuesFrom(texts: readonly string[]) {
  if (texts.length === 0) return undefined;
  return texts.map((text) => {
    const parts = text.split('/');
    if (parts.length !== 2 || parts[0] === '') {
      throw refused(
        `invalid Kubernetes object reference '${text}', must be in format <kind>/<name>`,
      );
    }
    const kind = valuesKinds.find((each) => each.toLowerCase() === parts[0]?.toLowerCase());
    if (kind !== undefined) return { kind, name: parts[1] };
    throw refused(
      `reference kind '${parts[0]}' is not supported, must be one of: ${valuesKinds.join(', ')}`,
    );
  });
}

function valuesOf({ values, context }: CreateInput): unknown {
  const files = values.list('values');
  if (files.length === 0) return undefined;
  return files.reduce<Record<string, unknown>>((merged, file) => {
    let found: unknown;
    try {
      found = parseYaml(readFileSync(resolve(context.cwd, file), 'utf8')) ?? {};
    } catch (cause) {
      throw new CliError(`reading values from ${file} failed: ${(cause as Error).message}`, {
        cause,
      });
    }
    if (!isObject(found)) throw new CliError(`reading values from ${file} failed: no mapping`);
    return merge(merged, found);
  }, {});
}

function merge(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...before };
  for (const [key, value] of Object.entries(after)) {
    const there = merged[key];
    merged[key] = isObject(there) && isObject(value) ? merge(there, value) : value;
  }
  return merged;
}
