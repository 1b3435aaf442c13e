import { arch, platform, release, totalmem } from 'node:os';
import { customResourceDefinitions as gitopsDefinitions } from '@waygate/gitops';
import { watchedKinds } from '@waygate/ingress';
import { isForbidden, isNoMatch, isNotFound, type KubeClient } from '@waygate/kube';
import {
  type CoreEvent,
  type Deployment,
  type DynamicObject,
  defineKind,
  type Kind,
  type KubeObject,
  kinds,
  type Pod,
} from '@waygate/schema';
import { readBody } from '@waygate/text';
import { checkCluster } from '../check/check-cluster.ts';
import { reportOf } from '../check/finding.ts';
import { version } from '../version.ts';
import { SecretMask } from './secret-mask.ts';
import { isSecretVariable, shownArgs } from './shown-args.ts';

interface BundleOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Lines of each log. */
  readonly tailLines: number;
}

/** A file of a bundle. */
export interface BundleFile {
  readonly path: string;
  readonly text: string;
}

const maxLogBytes = 8 * 1024 * 1024;
const maxEvents = 5_000;
const ours = 'app.kubernetes.io/name=waygate';
/** Their content is nobody's business: they are not even counted here. */
const neverShown = new Set(['Secret', 'ConfigMap']);

/** All that helps to understand what an installation does, without what is secret in it. */
export async function supportFiles(options: BundleOptions): Promise<readonly BundleFile[]> {
  const { client, signal } = options;
  const failures: string[] = [];
  const mask = await secretMask(client, signal, failures);
  const deployments = client.resource(kinds.Deployment);
  const files: BundleFile[] = [];
  const add = (path: string, text: string): void => {
    files.push({ path, text: mask.mask(text) });
  };
  const attempt = async (what: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      signal.throwIfAborted();
      failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  add('program.json', json(program()));
  await attempt('the version of the cluster', async () => {
    add(
      'cluster/version.json',
      json(await client.json({ method: 'GET', path: '/version' }, { signal })),
    );
  });
  await attempt('the check', async () => {
    const parts = ['ingress', 'source', 'kustomize', 'helm', 'notification'] as const;
    add('check.txt', `${reportOf(await checkCluster(client, parts, 'waygate-system', signal))}\n`);
  });
  await attempt('the Deployments', async () => {
    const { items } = await deployments.list({ labelSelector: ours }, { signal });
    for (const value of items.flatMap(variableSecrets)) mask.add(value);
    add('deployments.json', json(items.map(deploymentFacts)));
  });
  await attempt('the Leases', async () => {
    const { items } = await client.resource(kinds.Lease).list({}, { signal });
    const told = items.filter(({ metadata }) => metadata.namespace !== 'kube-node-lease');
    add('leases.json', json(told.map(({ metadata, spec }) => ({ ...nameOf(metadata), spec }))));
  });
  for (const kind of followedKinds())
    await attempt(`the objects of kind ${kind.kind}`, async () => {
      const found = await statuses(client, kind, signal);
      if (found.length > 0)
        add(`objects/${kind.plural}${kind.group && `.${kind.group}`}.json`, json(found));
    });
  await attempt('the events', async () => add('events.txt', await events(client, signal)));
  await attempt('the Pods', async () => {
    const { items } = await client.resource(kinds.Pod).list({ labelSelector: ours }, { signal });
    add('pods.json', json(items.map(({ metadata, status }) => ({ ...nameOf(metadata), status }))));
    for (const pod of items) await podFiles(pod, options, add, attempt);
  });
  add('not-collected.txt', failures.length === 0 ? 'nothing\n' : `${failures.join('\n')}\n`);
  return files.sort((left, right) => (left.path < right.path ? -1 : 1));
}

async function podFiles(
  { metadata, spec }: Pod,
  { client, signal, tailLines }: BundleOptions,
  add: (path: string, text: string) => void,
  attempt: (what: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { name = '', namespace = '' } = metadata;
  for (const { name: container, ports = [] } of spec?.containers ?? []) {
    for (const previous of [false, true]) {
      const path = `logs/${namespace}/${name}/${container}${previous ? '.previous' : ''}.log`;
      await attempt(`the log ${path}`, async () => {
        const wanted = { container, previous, tailLines, limitBytes: maxLogBytes };
        const body = await client.pod(namespace, name).logs(wanted, { signal });
        add(path, (await readBody({ body }, maxLogBytes + 65_536)).toString('utf8'));
      });
    }
    const port = ports.find((one) => one.name === 'metrics' || one.name === 'cmetrics');
    if (port === undefined) continue;
    await attempt(`the metrics of ${namespace}/${name}`, async () => {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}:${port.containerPort}/proxy/metrics`;
      add(
        `metrics/${namespace}/${name}.txt`,
        await client.text({ method: 'GET', path }, { signal }),
      );
    });
  }
}

/** Every value of every Secret that may be read: none of them is in the bundle, wherever it stood. */
async function secretMask(
  client: KubeClient,
  signal: AbortSignal,
  failures: string[],
): Promise<SecretMask> {
  const mask = new SecretMask();
  try {
    for (const { data = {} } of (await client.resource(kinds.Secret).list({}, { signal })).items)
      for (const value of Object.values(data))
        mask.add(Buffer.from(value, 'base64').toString('utf8'));
  } catch (error) {
    if (!isForbidden(error)) throw error;
    failures.push('Secrets may not be listed: only what looks like a secret is masked');
  }
  return mask;
}

function program() {
  return {
    waygate: version,
    node: process.version,
    platform: platform(),
    release: release(),
    architecture: arch(),
    memoryBytes: totalmem(),
  };
}

function followedKinds(): readonly Kind<KubeObject>[] {
  const ofFlux = gitopsDefinitions().map(({ spec }) =>
    defineKind<KubeObject>({
      group: spec.group,
      version: spec.versions.find(({ storage }) => storage)?.name ?? 'v1',
      kind: spec.names.kind,
      plural: spec.names.plural,
      scope: spec.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    }),
  );
  const followed = watchedKinds.map(({ kind }) => kind as Kind<KubeObject>);
  return [...ofFlux, ...followed].filter(({ kind }) => !neverShown.has(kind));
}

/** How objects are: names and statuses, and nothing that somebody wrote into them. */
async function statuses(
  client: KubeClient,
  kind: Kind<KubeObject>,
  signal: AbortSignal,
): Promise<object[]> {
  try {
    const { items } = await client.resource(kind).list({}, { signal });
    return items.map((item) => ({
      ...nameOf(item.metadata),
      generation: item.metadata.generation,
      created: item.metadata.creationTimestamp,
      deleted: item.metadata.deletionTimestamp,
      finalizers: item.metadata.finalizers,
      status: (item as DynamicObject).status,
    }));
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error)) return [];
    throw error;
  }
}

async function events(client: KubeClient, signal: AbortSignal): Promise<string> {
  const { items } = await client.resource(kinds.Event).list({ limit: maxEvents }, { signal });
  const timeOf = ({ lastTimestamp, eventTime, metadata }: CoreEvent) =>
    String(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '');
  const lines = (items as CoreEvent[])
    .sort((left, right) => (timeOf(left) < timeOf(right) ? -1 : 1))
    .map((event) => {
      const { kind, namespace, name } = event.involvedObject;
      const said = (event.message ?? '').replaceAll('\n', ' ');
      return `${timeOf(event)} ${event.type} ${event.reason} ${kind} ${namespace ?? ''}/${name}: ${said}`;
    });
  return `${lines.join('\n')}\n`;
}

/** What is written into a Deployment's environment and should have been in a Secret: a log may have it. */
function variableSecrets({ spec }: Deployment): string[] {
  const variables = (spec?.template?.spec?.containers ?? []).flatMap(({ env = [] }) => env);
  return variables.flatMap(({ name, value }) =>
    value !== undefined && isSecretVariable(name) ? [value] : [],
  );
}

/** How a Deployment is started: its flags, and the names of its variables. */
function deploymentFacts({ metadata, spec, status }: Deployment): object {
  return {
    ...nameOf(metadata),
    replicas: spec?.replicas,
    containers: (spec?.template?.spec?.containers ?? []).map((one) => ({
      name: one.name,
      image: one.image,
      args: shownArgs(one.args ?? []),
      env: (one.env ?? []).map(({ name }) => name),
      resources: one.resources,
    })),
    status,
  };
}

function nameOf({ name, namespace }: KubeObject['metadata']) {
  return { namespace, name };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
