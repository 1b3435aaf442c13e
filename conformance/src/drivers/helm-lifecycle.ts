import { startTestServer } from '@waygate/apiserver';
import { KubeReleaseCluster } from '@waygate/gitops';
import { decodeRelease, type HelmMajor, MemoryFiles, runHelm } from '@waygate/helm';
import { KubeClient, staticToken } from '@waygate/kube';
import { type DynamicObject, type Kind, kinds } from '@waygate/schema';
import { equalJson, isObject } from '@waygate/text';
import type { CaseFiles } from '../case-files.ts';
import { type ConformanceCase, fail, type Outcome, pass } from '../driver.ts';
import { type RecordedRequest, RequestRecorder, sameWrites } from './helm-requests.ts';

interface StoredSecret {
  readonly secret: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly release: unknown;
}

interface Step {
  readonly helm: '3' | '4';
  readonly step: string;
  readonly args: readonly string[];
  readonly rc: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly RecordedRequest[];
  readonly releases: readonly StoredSecret[];
  readonly live: Readonly<Record<string, unknown>>;
}

/**
 * What the recording did by hand before a step. The drift shows in the objects of the step itself, the
 * stranger's ConfigMap in the message of the install that is refused.
 */
const byHand: Readonly<Record<string, (cluster: Cluster) => Promise<unknown>>> = {
  'drift-then-upgrade': async ({ client, namespace }) => {
    const options = { namespace, fieldManager: 'Python-urllib' };
    const data = { color: 'manual', added: 'by-hand' };
    await client.resource(kinds.ConfigMap).patch('web-cm', { data }, options);
    await client.resource(kinds.Deployment).patch('web', { spec: { replicas: 7 } }, options);
  },
  'conflict-adopt': ({ client, namespace }) =>
    client
      .resource(kinds.ConfigMap)
      .create({ metadata: { name: 'third-cm', namespace } }, { fieldManager: 'Python-urllib' }),
};

interface Cluster {
  readonly client: KubeClient;
  readonly namespace: string;
}

/** The steps of one file: each builds on those before it, against one API for each Helm. */
export async function* lifecycleCases(
  files: CaseFiles,
  name: string,
  data: unknown,
): AsyncGenerator<ConformanceCase> {
  const steps = data as Step[];
  for (const helm of [3, 4] as const) {
    const own = steps.filter((step) => step.helm === String(helm));
    if (own.length === 0) continue;
    const server = await startTestServer();
    const recorder = await RequestRecorder.start(server.url);
    const connect = (url: string) =>
      new KubeClient({ server: url, credentials: staticToken(server.adminToken), namespace: '' });
    const cluster = { client: connect(server.url), namespace: `r${helm}` };
    const recorded = connect(recorder.url);
    try {
      await cluster.client
        .resource(kinds.Namespace)
        .create({ metadata: { name: cluster.namespace } });
      const world = chartFiles(files, name);
      for (const step of own) {
        const feature = name.replace(/\/.*/, '');
        const id = `lifecycle-${helm}-${step.step}`;
        yield { id, feature, run: () => runStep(step, cluster, recorded, recorder, world) };
      }
    } finally {
      await recorded.close();
      await cluster.client.close();
      await recorder.stop();
      await server.stop();
    }
  }
}

function chartFiles(files: CaseFiles, name: string): MemoryFiles {
  const folder = name.replace(/[^/]*$/, '');
  const world = new MemoryFiles(() => new Date());
  for (const each of files.names()) {
    if (each === name || !each.startsWith(folder)) continue;
    world.write(`/W/${each.slice(folder.length)}`, files.read(each)!);
  }
  return world;
}

async function runStep(
  step: Step,
  cluster: Cluster,
  recorded: KubeClient,
  recorder: RequestRecorder,
  files: MemoryFiles,
): Promise<Outcome> {
  const helm = Number(step.helm) as HelmMajor;
  await byHand[step.step]?.(cluster);
  recorder.take();
  let stdout = '';
  let stderr = '';
  const rc = await runHelm(step.args, {
    helm,
    cwd: '/W',
    env: { HELM_NAMESPACE: cluster.namespace },
    files,
    now: () => new Date(),
    random: (count) => new Uint8Array(count),
    timeZone: 'UTC',
    clusterVersion: 'v1.36.4',
    cluster: new KubeReleaseCluster(recorded, {
      fieldManager: 'helm',
      words: helm === 3 ? 'legacy' : 'watcher',
    }),
    writeOut: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
  });
  const requests = recorder.take();
  const problem =
    differs('exit code', rc, step.rc) ??
    differs('stderr', masked(stderr.trim()), masked(step.stderr.trim())) ??
    differs('stdout', readable(stdout), readable(step.stdout)) ??
    differs('stored releases', await storedReleases(cluster), stored(step.releases)) ??
    differs('live objects', await liveObjects(cluster), step.live) ??
    sameWrites(requests, step.requests);
  return problem === undefined ? pass : fail(problem);
}

function differs(what: string, actual: unknown, expected: unknown): string | undefined {
  if (equalJson(actual, expected)) return undefined;
  const shown = (value: unknown) =>
    (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 6000);
  return `${what}: expected\n${shown(expected)}\n... but got\n${shown(actual)}`;
}

/** JSON is compared as data: objects of the cluster have no order of fields. */
function readable(text: string): unknown {
  const plain = masked(text.trim());
  return /^[[{]/.test(plain) ? JSON.parse(plain) : plain;
}

/** Without what is of one run only: times, identities and versions. */
function masked(text: string): string {
  return text
    .replaceAll(/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d[.\d]* \+0000 UTC/g, 'TIME')
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, 'TIME')
    .replaceAll(/\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d 20\d\d\b/g, 'TIME')
    .replaceAll(/(uid\\*":\\*")[0-9a-f-]{36}/g, '$1UID')
    .replaceAll(/(resourceVersion\\*":\\*")\d+/g, '$1VERSION')
    .replaceAll(/((?:modifiedAt|createdAt)":")\d+/g, '$1TIME');
}

function maskedData(data: unknown): unknown {
  return JSON.parse(masked(JSON.stringify(data).replaceAll('0001-01-01T00:00:00Z', 'TIME')));
}

function stored(secrets: readonly StoredSecret[]): unknown {
  const plain = secrets.map(({ secret, labels, release }) => ({ secret, labels, release }));
  return maskedData(plain.sort((a, b) => (a.secret < b.secret ? -1 : 1)));
}

async function storedReleases({ client, namespace }: Cluster): Promise<unknown> {
  const options = { namespace, labelSelector: 'owner=helm' };
  const { items } = await client.resource(kinds.Secret).listAll(options);
  return stored(
    items.map(({ metadata, data }) => {
      const packed = Buffer.from(String(data?.release), 'base64').toString('latin1');
      const release = decodeRelease(packed);
      for (const file of [...(release.chart.templates ?? []), ...(release.chart.files ?? [])]) {
        file.data = Buffer.from(file.data, 'base64').toString('utf8');
      }
      return { secret: metadata.name!, labels: metadata.labels ?? {}, release };
    }),
  );
}

/** What the recording kept of the objects in the namespace. */
async function liveObjects({ client, namespace }: Cluster): Promise<Record<string, unknown>> {
  const live: Record<string, unknown> = {};
  for (const kind of [kinds.ConfigMap, kinds.Deployment] as unknown as Kind<DynamicObject>[]) {
    const { items } = await client.resource(kind).listAll({ namespace });
    for (const object of items) {
      const { name, labels, annotations, managedFields } = object.metadata;
      if (name === 'kube-root-ca.crt') continue;
      const spec = isObject(object.spec) ? object.spec : {};
      const pod = (spec.template as { spec?: { containers?: { image: string }[] } } | undefined)
        ?.spec;
      live[`${kind.plural}/${name}`] = {
        labels: labels ?? null,
        annotations: annotations ?? null,
        managers: (managedFields ?? []).map((each) => [
          each.manager,
          each.operation,
          each.subresource ?? null,
        ]),
        data: object.data ?? null,
        replicas: spec.replicas ?? null,
        image: pod?.containers?.[0]?.image ?? null,
      };
    }
  }
  return live;
}
