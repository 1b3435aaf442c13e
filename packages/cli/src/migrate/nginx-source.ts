import type { NginxOptions } from '@waygate/ingress';
import { isForbidden } from '@waygate/kube';
import { type DynamicObject, kinds } from '@waygate/schema';
import type { Finding } from '../check/finding.ts';
import { followedObjects } from '../preview-gateway.ts';
import type { MigrationSource, Survey, SurveyOptions } from './migration-source.ts';
import { type MigrationStep, objectText } from './migration-step.ts';
import { optionsOfNginxFlags } from './nginx-options.ts';
import { nginxReport } from './nginx-report.ts';
import { ownSteps } from './own-deployments.ts';
import { flagsOf, type RunningController, runningControllers } from './running-controller.ts';

/** Takes over from ingress-nginx: its Ingresses stay as they are. */
export const nginxSource: MigrationSource = {
  summary: 'ingress-nginx',
  part: 'ingress',
  survey,
};

async function survey(options: SurveyOptions): Promise<Survey> {
  const { client, signal } = options;
  const running = await nginxControllers(options);
  const findings: Finding[] = running.map((one) => ({
    area: 'controllers',
    state: 'ok',
    message: `ingress-nginx runs as ${objectText(one.object)}, ${one.replicas} replicas`,
  }));
  if (running.length === 0)
    findings.push({ area: 'controllers', state: 'ok', message: 'no ingress-nginx runs here' });
  const { objects, notes } = await followedObjects(client, signal);
  for (const message of notes) findings.push({ area: 'rights', state: 'warning', message });
  const [first] = running;
  const judged = optionsOfRunning(first);
  const report = nginxReport([...objects.values()], judged, options.nginx ?? {});
  const failed = report.takeover.ingresses.filter(({ verdict }) => verdict === 'cannot').length;
  if (failed > 0)
    findings.push({
      area: 'ingresses',
      state: options.nginx?.isForced === true ? 'warning' : 'failed',
      message: `${failed} Ingresses cannot be served`,
      hint: 'Change what is named below, or go on with --force: they are left out then.',
    });
  const steps: MigrationStep[] = [
    ...(await webhookSteps(options, running, findings)),
    ...running.filter(({ replicas }) => replicas > 0).map(stopStep),
    ...(await ownSteps(client, 'ingress', signal, findings)),
  ];
  return {
    findings,
    steps,
    report: { data: report.data, text: report.text },
    ingresses: { objects: [...objects.values()], options: judged },
    advice: [
      'Shift the traffic first (DNS or load balancer) while both run: see docs/migrate-from-ingress-nginx.md.',
      'Take ingress-nginx out of what installs it, once you do not want to go back.',
    ],
  };
}

/** How a running ingress-nginx reads its Ingresses; as it does by default where none runs. */
export function optionsOfRunning(running: RunningController | undefined): NginxOptions {
  return optionsOfNginxFlags({
    namespace: running?.object.namespace ?? 'ingress-nginx',
    ...flagsOf(running?.args ?? []),
  });
}

/** Its image is called `controller`, as others are: where that comes from decides. */
export async function nginxControllers({
  client,
  signal,
}: Pick<SurveyOptions, 'client' | 'signal'>): Promise<RunningController[]> {
  const named = await runningControllers(client, new Set(['controller']), signal);
  return named.filter(({ deployment, args }) => {
    const containers = deployment.spec?.template?.spec?.containers ?? [];
    return (
      containers.some(({ image = '' }) => /ingress-nginx\/controller/.test(image)) ||
      args.some((arg) => arg.endsWith('/nginx-ingress-controller'))
    );
  });
}

function stopStep({ object, replicas }: RunningController): MigrationStep {
  const why = 'its address goes to Waygate; two controllers would write one status';
  const id = `scale/${objectText(object)}`;
  return { kind: 'scale', id, why, object, replicas: 0, before: replicas };
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
  try {
    const resource = client.resource(kinds.ValidatingWebhookConfiguration);
    const { items } = await resource.list({}, { signal });
    return items
      .filter(({ webhooks }) =>
        (webhooks ?? []).some(
          ({ name, clientConfig }) =>
            /nginx\.ingress\.kubernetes\.io$/.test(name ?? '') &&
            namespaces.has(clientConfig?.service?.namespace),
        ),
      )
      .map(({ metadata: { name = '', labels = {}, annotations = {} }, webhooks }) => {
        const object = { apiVersion, kind, name };
        const metadata = { name, labels, annotations };
        const before: DynamicObject = { apiVersion, kind, metadata, webhooks };
        const why = 'nobody would answer it any more';
        return { kind: 'delete', id: `delete/${objectText(object)}`, why, object, before };
      });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    findings.push({ area: 'controllers', state: 'warning', message: 'webhooks may not be listed' });
    return [];
  }
}
