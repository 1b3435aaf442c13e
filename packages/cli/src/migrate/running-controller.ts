import type { KubeClient } from '@waygate/kube';
import { type Deployment, kinds, type ObjectReference } from '@waygate/schema';

/** A controller of others that runs in the cluster. */
export interface RunningController {
  /** What it is, whatever its Deployment is called: `source-controller`. */
  readonly component: string;
  readonly deployment: Deployment;
  readonly object: ObjectReference;
  readonly replicas: number;
  /** The command line of its container, and its environment as far as it is written down. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Containers beside it in the same Pods. */
  readonly beside: readonly string[];
}

type Container = NonNullable<
  NonNullable<NonNullable<NonNullable<Deployment['spec']>['template']>['spec']>['containers']
>[number];

/** All Deployments that run one of these programs: by the name of the image, or by the label `app`. */
export async function runningControllers(
  client: KubeClient,
  components: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly RunningController[]> {
  const { items } = await client.resource(kinds.Deployment).list({}, { signal });
  const found: RunningController[] = [];
  for (const deployment of items) {
    const containers = deployment.spec?.template?.spec?.containers ?? [];
    const container = containers.find((one) => componentOf(one, deployment, components));
    if (container === undefined) continue;
    const component = componentOf(container, deployment, components) ?? '';
    const { name = '', namespace = '' } = deployment.metadata;
    found.push({
      component,
      deployment,
      object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name },
      replicas: deployment.spec?.replicas ?? 1,
      args: container.args ?? [],
      env: Object.fromEntries((container.env ?? []).map((one) => [one.name, one.value ?? ''])),
      beside: containers.filter((one) => one !== container).map((one) => one.name),
    });
  }
  return found;
}

/** Flags of a command line by name, as `--x=y`, `--x y` and `--x` have them. */
export function flagsOf(args: readonly string[]): Record<string, string> {
  const flags: Record<string, string> = {};
  for (let index = 0; index < args.length; index++) {
    const match = /^--?([^=]+)(?:=(.*))?$/s.exec(args[index] ?? '');
    if (match === null) continue;
    const [, name = '', value] = match;
    const next = args[index + 1];
    const isNextValue = value === undefined && next !== undefined && !next.startsWith('-');
    const said = value ?? (isNextValue ? next : 'true');
    flags[name] = Object.hasOwn(flags, name) ? `${flags[name]},${said}` : said;
    if (isNextValue) index++;
  }
  return flags;
}

function componentOf(
  { image = '' }: Container,
  { metadata, spec }: Deployment,
  components: ReadonlySet<string>,
): string | undefined {
  const repository = image.split('@', 1)[0]?.replace(/:[^:/]*$/, '') ?? '';
  const program = repository.split('/').at(-1) ?? '';
  if (components.has(program)) return program;
  const labels = { ...metadata.labels, ...spec?.template?.metadata?.labels };
  const isFlux = labels['app.kubernetes.io/part-of'] === 'flux';
  const app = labels['app.kubernetes.io/component'] ?? labels.app ?? '';
  return isFlux && components.has(app) ? app : undefined;
}
