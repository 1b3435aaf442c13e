import type { Chart } from '../chart/chart.ts';
import { crdsOf } from '../chart/chart.ts';
import { defaultCapabilities } from '../engine/default-capabilities.ts';
import type { GoMap } from '../go/value.ts';
import { existingObjects, owned } from '../release/ownership.ts';
import { ClusterRefusal } from '../release/release-cluster.ts';
import { prefixed } from '../release/release-context.ts';
import { buildObjects } from '../release/release-objects.ts';
import {
  type FilePostRenderer,
  type RenderedRelease,
  renderRelease,
} from '../release/render-release.ts';
import { printManifests } from '../render/render-chart.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { logTo } from './load-from.ts';
import { releaseContext } from './release-world.ts';
import type { CommandWorld } from './world.ts';

/** Whether a template is to be rendered with what a cluster has: `--dry-run=server`, `--validate`. */
export function asksServer(flags: ParsedFlags): boolean {
  return flags.bool('validate') || flags.text('dry-run') === 'server';
}

/** A chart as it would be installed. */
export interface ServerRequest {
  readonly name: string;
  readonly namespace: string;
  readonly chart: Chart;
  readonly values: GoMap;
  readonly postRender?: FilePostRenderer | undefined;
}

/**
 * Renders a chart with the cluster's version, kinds and objects, and checks that its objects could be created. Helm 3's
 * `--dry-run=server` asks only for what templates look up.
 *
 * @throws CommandError, HelmError
 */
export async function renderOnServer(
  request: ServerRequest,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<RenderedRelease> {
  if (world.connect === undefined && world.cluster === undefined) {
    throw new CommandError('--dry-run=server needs a cluster, and none is asked here');
  }
  const connected = world.cluster === undefined ? await connect(flags, world) : undefined;
  try {
    const cluster = connected?.cluster ?? world.cluster!;
    return await rendered(request, flags, { ...world, cluster });
  } catch (cause) {
    if (cause instanceof ClusterRefusal) throw new CommandError(cause.message, { cause });
    throw cause;
  } finally {
    await connected?.close();
  }
}

async function connect(flags: ParsedFlags, world: CommandWorld) {
  try {
    return await world.connect!(accessOf(flags));
  } catch (cause) {
    throw new CommandError((cause as Error).message, { cause });
  }
}

async function rendered(
  { name, namespace, chart, values, postRender }: ServerRequest,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<RenderedRelease> {
  const context = releaseContext(flags, world);
  const { helm } = world;
  const isChecked = helm === 4 || flags.bool('validate');
  const isUpgrade = flags.bool('is-upgrade');
  const capabilities = isChecked ? await reached(context.cluster, world) : clientsOwn(helm);
  if (helm === 4 && crdsOf(chart).length > 0 && !flags.bool('skip-crds')) {
    const message =
      'This chart or one of its subcharts contains CRDs. Rendering may fail or contain inaccuracies.';
    logTo(world)({ place: '', text: '', structured: { level: 'WARN', message } });
  }
  const release = { name, namespace, isUpgrade };
  const made = await renderRelease(chart, values, release, context, {
    capabilities,
    postRender,
    skipSchemaValidation: flags.bool('skip-schema-validation'),
    rendersSubchartNotes: flags.bool('render-subchart-notes'),
  });
  if (!isChecked) return made;
  const objects = await prefixed('unable to build kubernetes objects from release manifest', () =>
    buildObjects(printManifests(made), context),
  );
  if (isUpgrade) return made;
  await prefixed(`${helm === 3 ? 'U' : 'u'}nable to continue with install`, () =>
    existingObjects(
      context.cluster,
      objects.map((object) => owned(object, release)),
      release,
      flags.bool('take-ownership'),
    ),
  );
  return made;
}

type Capabilities = Awaited<ReturnType<NonNullable<CommandWorld['cluster']>['capabilities']>>;

async function reached(
  cluster: NonNullable<CommandWorld['cluster']>,
  world: CommandWorld,
): Promise<Capabilities> {
  try {
    return await cluster.capabilities();
  } catch (cause) {
    const why = (cause as Error).message.replace(
      /^GET (\S+): connect ECONNREFUSED (\S+)$/,
      'Get "$1": dial tcp $2: connect: connection refused',
    );
    if (world.helm === 3)
      throw new CommandError(`Kubernetes cluster unreachable: ${why}`, { cause });
    const message = `cluster reachability check failed: kubernetes cluster unreachable: ${why}`;
    logTo(world)({ place: '', text: '', structured: { level: 'ERROR', message } });
    throw new CommandError(message, { cause });
  }
}

function clientsOwn(helm: CommandWorld['helm']): Capabilities {
  // Those that are always known are added to these.
  return { version: defaultCapabilities(helm).kubeVersion, apiVersions: [] };
}

function accessOf(flags: ParsedFlags): Parameters<NonNullable<CommandWorld['connect']>>[0] {
  const given = (name: string): string | undefined => flags.text(name) || undefined;
  return {
    kubeconfig: given('kubeconfig'),
    context: given('kube-context'),
    server: given('kube-apiserver'),
    token: given('kube-token'),
    caFile: given('kube-ca-file'),
    user: given('kube-as-user'),
    groups: flags.list('kube-as-group'),
    tlsServerName: given('kube-tls-server-name'),
    insecureSkipTlsVerify: flags.bool('kube-insecure-skip-tls-verify'),
  };
}
