import { controllerFlags, customResourceDefinitions, optionsFromFlags } from '@waygate/ingress';
import { prepareSync } from '@waygate/kong';
import { isForbidden } from '@waygate/kube';
import { type DynamicObject, kinds } from '@waygate/schema';
import type { Finding } from '../check/finding.ts';
import { clusterConfig, gatewayText } from '../preview-gateway.ts';
import { definitionsOf, ownerFindings } from './definition-owners.ts';
import { leaseFindings } from './lease-findings.ts';
import type { MigrationSource, Survey, SurveyOptions } from './migration-source.ts';
import { type MigrationStep, objectText } from './migration-step.ts';
import { ownSteps } from './own-deployments.ts';
import { flagsOf, type RunningController, runningControllers } from './running-controller.ts';

const components = new Set(['kubernetes-ingress-controller', 'nightly-ingress-controller']);
const defaultElection = '5b374a9e.konghq.com';
const managedTag = 'managed-by-ingress-controller';

/** Takes over from Kong Ingress Controller; the Kong behind it stays. */
export const kicSource: MigrationSource = {
  summary: 'Kong Ingress Controller',
  part: 'ingress',
  survey,
};

async function survey(options: SurveyOptions): Promise<Survey> {
  const { client, signal } = options;
  const running = await runningControllers(client, components, signal);
  const findings: Finding[] = running.map((one) => ({
    area: 'controllers',
    state: 'ok',
    message: `Kong Ingress Controller runs as ${objectText(one.object)}, ${one.replicas} replicas`,
  }));
  if (running.length === 0)
    findings.push({
      area: 'controllers',
      state: 'ok',
      message: 'no Kong Ingress Controller runs here',
    });
  const theirs = await definitionsOf(client, (group) => group.endsWith('konghq.com'), signal);
  findings.push(...ownerFindings(theirs, customResourceDefinitions()));
  for (const one of running) findings.push(...flagFindings(one), ...selfFindings(one));
  const leaving = running.filter(({ beside }) => beside.length === 0);
  const leases = await leaseFindings(
    options,
    'ingress',
    running.map(({ object, args, env }) => ({
      namespace: electionNamespace(args, env) ?? object.namespace ?? '',
      prefix: defaultElection,
      name: flagsOf(args)['election-id'] ?? env.CONTROLLER_ELECTION_ID,
    })),
  );
  findings.push(...leases.findings);
  const isComplete = leaving.length === running.length;
  const steps: MigrationStep[] = [
    ...(isComplete ? await webhookSteps(options, running, findings) : []),
    ...leaving.filter(({ replicas }) => replicas > 0).map((one) => stopStep(one)),
    ...(isComplete ? leases.steps : []),
    ...(await ownSteps(client, 'ingress', signal, findings)),
  ];
  return {
    findings,
    steps,
    gateway: await gatewayChange(options, running),
    advice:
      leaving.length === 0
        ? []
        : [
            'Take Kong Ingress Controller out of what installs it, once you do not want to go back.',
          ],
  };
}

function electionNamespace(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): string | undefined {
  return flagsOf(args)['election-namespace'] ?? env.CONTROLLER_ELECTION_NAMESPACE;
}

function flagFindings({ args, env }: RunningController): Finding[] {
  const { problems, warnings } = optionsFromFlags(flagsOf(args), env, { identity: 'migrate' });
  const known = new Set(controllerFlags.map(({ name }) => name));
  const unknown = Object.keys(flagsOf(args)).filter((name) => !known.has(name));
  return [
    ...problems,
    ...warnings,
    ...unknown.map((name) => `--${name} is a flag that Waygate does not know`),
  ].map((message) => ({ area: 'flags', state: 'warning' as const, message }));
}

/** What keeps a controller from being stopped by itself. */
function selfFindings({ object, beside, deployment }: RunningController): Finding[] {
  const findings: Finding[] = [];
  if (beside.length > 0)
    findings.push({
      area: 'controllers',
      state: 'failed',
      message: `${objectText(object)} has ${beside.join(', ')} in the same Pods: it cannot be stopped without them`,
      hint: 'Run Kong in Pods of its own (gateway discovery, or a database) first, or take the overlay with Kong as a sidecar of Waygate and move the Service over.',
    });
  const release = deployment.metadata.annotations?.['meta.helm.sh/release-name'];
  if (release !== undefined)
    findings.push({
      area: 'controllers',
      state: 'warning',
      message: `the Helm release ${release} manages ${objectText(object)}`,
      hint: 'An upgrade of the release starts it again: set ingressController.enabled=false as well.',
    });
  return findings;
}

/** A webhook that nobody answers any more would refuse every change of an Ingress. */
async function webhookSteps(
  { client, signal }: SurveyOptions,
  running: readonly RunningController[],
  findings: Finding[],
): Promise<MigrationStep[]> {
  const namespaces = new Set(running.map(({ object }) => object.namespace));
  const kind = 'ValidatingWebhookConfiguration';
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const steps: MigrationStep[] = [];
  try {
    const resource = client.resource(kinds.ValidatingWebhookConfiguration);
    for (const item of (await resource.list({}, { signal })).items) {
      const { name = '', labels = {}, annotations = {} } = item.metadata;
      const isKongs = (item.webhooks ?? []).some(
        ({ name: webhook = '', clientConfig }) =>
          webhook.endsWith('konghq.com') && namespaces.has(clientConfig?.service?.namespace),
      );
      if (!isKongs || labels['app.kubernetes.io/name'] === 'waygate') continue;
      const object = { apiVersion, kind, name };
      findings.push({
        area: 'controllers',
        state: 'ok',
        message: `${objectText(object)} asks Kong Ingress Controller about every change`,
        hint: 'It is taken away first: with nobody to answer, changes would be refused.',
      });
      const before: DynamicObject = {
        apiVersion,
        kind,
        metadata: { name, labels, annotations },
        webhooks: item.webhooks,
      };
      const why = 'nobody would answer it any more';
      steps.push({ kind: 'delete', id: `delete/${objectText(object)}`, why, object, before });
    }
  } catch (error) {
    if (!isForbidden(error)) throw error;
    findings.push({ area: 'controllers', state: 'warning', message: 'webhooks may not be listed' });
  }
  return steps;
}

function stopStep({ object, replicas }: RunningController): MigrationStep {
  const why = 'two controllers must not act on the same Kong';
  const id = `scale/${objectText(object)}`;
  return { kind: 'scale', id, why, object, replicas: 0, before: replicas };
}

/** What Waygate would change in the Kong that is there. */
async function gatewayChange(
  { client, signal, admin }: SurveyOptions,
  running: readonly RunningController[],
): Promise<string | undefined> {
  if (admin === undefined) return undefined;
  const [first] = running;
  const flags = flagsOf(first?.args ?? []);
  const ingressClass = flags['ingress-class'] ?? first?.env.CONTROLLER_INGRESS_CLASS ?? 'kong';
  const tag = flags['kong-admin-filter-tag'] ?? first?.env.CONTROLLER_KONG_ADMIN_FILTER_TAG;
  const { config, problems, notes } = await clusterConfig(client, { ingressClass, signal });
  const { version } = await admin.info(signal);
  const selectTags = (tag ?? managedTag).split(',');
  const prepared = await prepareSync(admin, config, {
    selectTags,
    skipsConsumers: false,
    skipsCaCertificates: false,
    skipsMemberships: false,
    skipsWorkspaceCheck: true,
    passwords: 'ignore',
    parallelism: 4,
    version,
    signal,
  });
  const { operations } = prepared.plan;
  const said = prepared.problems.map(({ message }) => message);
  return gatewayText({ operations, problems: [...problems, ...said], notes });
}
