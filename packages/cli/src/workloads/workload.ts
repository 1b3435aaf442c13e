import { createHash } from 'node:crypto';
import type {
  DaemonSet,
  Deployment,
  KubeObject,
  PodTemplateSpec,
  Service,
  StatefulSet,
} from '@waygate/schema';

/** What makes Pods in a cluster. */
export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly namespace: string;
  readonly name: string;
  readonly object: Readonly<KubeObject>;
  readonly template: PodTemplateSpec;
  readonly replicas: number;
}

export function workloadOf(
  kind: Workload['kind'],
  object: Deployment | StatefulSet | DaemonSet,
): Workload | undefined {
  const { namespace = '', name = '', deletionTimestamp } = object.metadata;
  const template = object.spec?.template;
  if (template === undefined || deletionTimestamp !== undefined) return undefined;
  const replicas = kind === 'DaemonSet' ? 1 : ((object as Deployment).spec?.replicas ?? 1);
  return { kind, namespace, name, object, template, replicas };
}

/** Whether requests to the Service go to Pods of the workload. */
export function isBehind(service: Service, workload: Workload): boolean {
  const selector = Object.entries(service.spec?.selector ?? {});
  const labels = workload.template.metadata?.labels ?? {};
  return (
    selector.length > 0 &&
    service.metadata.namespace === workload.namespace &&
    selector.every(([key, value]) => labels[key] === value)
  );
}

/** Letters that Kubernetes puts behind names: no vowels, so no words. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** A few letters that stand for a text, the same ones each time. */
export function lettersOf(text: string, count: number): string {
  const bytes = createHash('sha256').update(text).digest();
  return Array.from({ length: count }, (_, at) => letters[bytes[at]! % letters.length]).join('');
}

/** Another whenever the template is: what tells one generation of Pods from the next. */
export function templateHash({ template }: Workload): string {
  return lettersOf(JSON.stringify(template), 10);
}
