import {
  customResourceDefinitions,
  gitOpsOptionsFromFlags,
  providerKind,
  providerTypes,
  receiverKind,
  receiverTypes,
} from '@waygate/gitops';
import { isForbidden, isNoMatch, isNotFound, type KubeClient } from '@waygate/kube';
import type { Kind, KubeObject, ObjectReference } from '@waygate/schema';
import type { Finding } from '../check/finding.ts';
import { countOf, definitionsOf, ownerFindings } from './definition-owners.ts';
import { leaseFindings } from './lease-findings.ts';
import type { MigrationSource, Survey, SurveyOptions } from './migration-source.ts';
import { type MigrationStep, objectText } from './migration-step.ts';
import { ownSteps } from './own-deployments.ts';
import { flagsOf, type RunningController, runningControllers } from './running-controller.ts';

/** What Waygate does in place of each of Flux' controllers. */
const replaced: Readonly<Record<string, 'source' | 'kustomize' | 'helm' | 'notification'>> = {
  'source-controller': 'source',
  'kustomize-controller': 'kustomize',
  'helm-controller': 'helm',
  'notification-controller': 'notification',
};
const components = new Set([
  ...Object.keys(replaced),
  'image-reflector-controller',
  'image-automation-controller',
  'source-watcher',
  'flux-operator',
]);
/** An object with this is left as it is, by Flux and by us, whatever a repository says. */
const leaveAlone = { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled' };
const isFluxGroup = (group: string) =>
  group.endsWith('.toolkit.fluxcd.io') ||
  group.endsWith('.fluxcd.io') ||
  group.endsWith('.controlplane.io');

/** Takes over from Flux. */
export const fluxSource: MigrationSource = {
  summary: "Flux' source-, kustomize-, helm- and notification-controller",
  part: 'gitops',
  survey,
};

async function survey(options: SurveyOptions): Promise<Survey> {
  const { client, signal } = options;
  const running = await runningControllers(client, components, signal);
  const findings: Finding[] = running.map((one) => ({
    area: 'controllers',
    state: 'ok',
    message: `${one.component} runs as ${objectText(one.object)}, ${one.replicas} replicas`,
  }));
  if (running.length === 0)
    findings.push({ area: 'controllers', state: 'ok', message: 'no controller of Flux runs here' });
  const unsupported = await unsupportedKinds(client, signal, findings);
  const staying = new Set<string>();
  if (unsupported.some(({ group, count }) => group === 'source.toolkit.fluxcd.io' && count > 0)) {
    staying.add('source-controller');
    findings.push({
      area: 'kinds',
      state: 'warning',
      message: 'source-controller has to stay: it makes what we do not',
      hint: 'Run Waygate with --controllers=kustomize,notification: it takes the artifacts of source-controller.',
    });
  }
  await typeFindings(client, signal, findings);
  for (const one of running) findings.push(...flagFindings(one));
  findings.push(...selfFindings(running));
  const leaving = running.filter(
    ({ component }) => component in replaced && !staying.has(component),
  );
  const leases = await leaseFindings(
    options,
    'gitops',
    leaving.map(({ object, component, args }) => ({
      namespace: object.namespace ?? '',
      prefix: component,
      name: flagsOf(args)['leader-election-id'],
    })),
  );
  findings.push(...leases.findings);
  const steps: MigrationStep[] = [
    ...(await operatorSteps(client, signal, findings)),
    ...leaving.map((one) => holdStep(one)),
    ...leaving.filter(({ replicas }) => replicas > 0).map((one) => stopStep(one)),
    ...leases.steps,
    ...(await ownSteps(client, 'gitops', signal, findings)),
  ];
  const stayed = running.filter(
    (one) => !leaving.includes(one) && one.component !== 'flux-operator',
  );
  return { findings, steps, advice: adviceFor(leaving, stayed) };
}

async function unsupportedKinds(client: KubeClient, signal: AbortSignal, findings: Finding[]) {
  const ours = customResourceDefinitions();
  const theirs = await definitionsOf(client, isFluxGroup, signal);
  findings.push(...ownerFindings(theirs, ours));
  const known = new Set(ours.map(({ metadata }) => metadata.name));
  const unsupported: { group: string; count: number }[] = [];
  for (const definition of theirs) {
    if (known.has(definition.metadata.name)) continue;
    const { group, names } = definition.spec;
    const count = await countOf(client, definition, signal);
    unsupported.push({ group, count });
    if (count === 0 || group.endsWith('.controlplane.io')) continue;
    findings.push({
      area: 'kinds',
      state: 'warning',
      message: `${count} objects of kind ${names.kind} (${group}) are in use, which Waygate does not act on`,
      hint: 'The controller of that kind stays as it is; it works on beside Waygate.',
    });
  }
  return unsupported;
}

/** Types of Providers and Receivers that nobody would serve. */
async function typeFindings(
  client: KubeClient,
  signal: AbortSignal,
  findings: Finding[],
): Promise<void> {
  const known: readonly [Kind<KubeObject & { spec: { type: string } }>, ReadonlySet<string>][] = [
    [providerKind, new Set(providerTypes.keys())],
    [receiverKind, new Set(receiverTypes.keys())],
  ];
  for (const [kind, types] of known) {
    try {
      for (const { metadata, spec } of (await client.resource(kind).list({}, { signal })).items)
        if (!types.has(spec.type))
          findings.push({
            area: 'kinds',
            state: 'warning',
            message: `${kind.kind} ${metadata.namespace}/${metadata.name} is of type ${spec.type}, which is not supported`,
          });
    } catch (error) {
      if (!isNotFound(error) && !isNoMatch(error) && !isForbidden(error)) throw error;
    }
  }
}

/** Flags that would mean nothing, or could not be read. */
function flagFindings({ component, args, env }: RunningController): Finding[] {
  const controller = replaced[component];
  if (controller === undefined) return [];
  const surroundings = { controllers: [controller] };
  const environment = { RUNTIME_NAMESPACE: 'flux-system', ...env };
  const parsed = gitOpsOptionsFromFlags(flagsOf(args), environment, surroundings);
  const findings: Finding[] = [...parsed.problems, ...parsed.warnings].map((message) => ({
    area: 'flags',
    state: 'warning',
    message: `${component}: ${message}`,
  }));
  const shard = flagsOf(args)['watch-label-selector'];
  if (shard !== undefined)
    findings.push({
      area: 'flags',
      state: 'warning',
      message: `${component} is a shard (--watch-label-selector=${shard})`,
      hint: 'Give the same selector to a Deployment of Waygate for each shard.',
    });
  return findings;
}

/** Who would start the controllers again. */
function selfFindings(running: readonly RunningController[]): Finding[] {
  const findings: Finding[] = [];
  const managers = new Set<string>();
  for (const { deployment } of running) {
    const { labels = {}, annotations = {} } = deployment.metadata;
    const name = labels['kustomize.toolkit.fluxcd.io/name'];
    const namespace = labels['kustomize.toolkit.fluxcd.io/namespace'];
    if (name !== undefined) managers.add(`Kustomization ${namespace}/${name}`);
    const release = annotations['meta.helm.sh/release-name'];
    if (release !== undefined) managers.add(`Helm release ${release}`);
  }
  for (const manager of managers) {
    const isHelm = manager.startsWith('Helm');
    findings.push({
      area: 'controllers',
      state: isHelm ? 'warning' : 'ok',
      message: `${manager} manages Flux itself, and would scale it up again`,
      hint: isHelm
        ? 'An upgrade of the release starts Flux again: change its values as well.'
        : 'The Deployments are marked to be left alone before they are stopped.',
    });
  }
  return findings;
}

/** The Flux Operator keeps everything as its FluxInstance says: it has to be told first. */
async function operatorSteps(
  client: KubeClient,
  signal: AbortSignal,
  findings: Finding[],
): Promise<MigrationStep[]> {
  const apiVersion = 'fluxcd.controlplane.io/v1';
  const kind = 'FluxInstance';
  try {
    const resource = await client.resourceOf({ apiVersion, kind }, { signal });
    const { items } = await resource.list({}, { signal });
    return items.map(({ metadata }) => {
      const { name = '', namespace = '', annotations = {} } = metadata;
      const object = { apiVersion, kind, namespace, name };
      findings.push({
        area: 'controllers',
        state: 'ok',
        message: `${objectText(object)} manages Flux, and would scale it up again`,
        hint: 'It is told to leave Flux alone first.',
      });
      const key = 'fluxcd.controlplane.io/reconcile';
      return annotateStep(object, { [key]: 'disabled' }, annotations, 'it would start Flux again');
    });
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error) || isForbidden(error)) return [];
    throw error;
  }
}

function annotateStep(
  object: ObjectReference,
  annotations: Readonly<Record<string, string>>,
  current: Readonly<Record<string, string>>,
  why: string,
): MigrationStep {
  const before = Object.fromEntries(
    Object.keys(annotations).map((name) => [name, current[name] ?? null]),
  );
  const id = `annotate/${objectText(object)}`;
  return { kind: 'annotate', id, why, object, annotations, before };
}

function holdStep({ object, deployment }: RunningController): MigrationStep {
  const why = 'a Kustomization that manages Flux would scale it up again';
  return annotateStep(object, leaveAlone, deployment.metadata.annotations ?? {}, why);
}

function stopStep({ object, replicas }: RunningController): MigrationStep {
  const why = 'two controllers must not act on the same objects';
  const id = `scale/${objectText(object)}`;
  return { kind: 'scale', id, why, object, replicas: 0, before: replicas };
}

function adviceFor(
  leaving: readonly RunningController[],
  staying: readonly RunningController[],
): string[] {
  const advice: string[] = [];
  if (leaving.length > 0)
    advice.push(
      `Take ${leaving.map(({ component }) => component).join(', ')} out of what installs Flux, in its repository too, once you do not want to go back.`,
    );
  if (
    staying.length > 0 &&
    leaving.some(({ component }) => component === 'notification-controller')
  )
    advice.push(
      `Point --events-addr of ${staying.map(({ component }) => component).join(', ')} to http://waygate-events.waygate-system.svc.cluster.local./`,
    );
  return advice;
}
