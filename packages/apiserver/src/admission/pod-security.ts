import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import { type Fields, listAt, objectAt } from '../builtins/fields.ts';
import type { Admission, AdmissionAttributes } from '../core/admission.ts';
import { forbiddenError, invalidObject } from '../status/api-error.ts';
import { type FieldProblem, invalid } from '../status/field-problem.ts';
import type { Store } from '../storage/store.ts';
import {
  type PodSecurityLevel,
  podSecurityViolations,
  violationText,
} from './pod-security-standard.ts';

const prefix = 'pod-security.kubernetes.io/';
const levels: readonly string[] = ['privileged', 'baseline', 'restricted'];
/** Where the pods of a workload are described: such are only warned of, their pods are refused. */
const templates: Readonly<Record<string, readonly string[]>> = {
  replicationcontrollers: ['spec', 'template'],
  podtemplates: ['template'],
  'replicasets.apps': ['spec', 'template'],
  'deployments.apps': ['spec', 'template'],
  'statefulsets.apps': ['spec', 'template'],
  'daemonsets.apps': ['spec', 'template'],
  'jobs.batch': ['spec', 'template'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template'],
};

interface Demand {
  readonly level: PodSecurityLevel;
  /** As it is shown: `restricted:latest`. */
  readonly text: string;
}

type Pod = { readonly metadata?: DynamicObject['metadata']; readonly spec: Readonly<Fields> };

/** Holds pods to the standard that the labels of their namespace name. */
export class PodSecurity implements Admission {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async mutate(): Promise<void> {}

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { operation, object, resource, subresource } = attributes;
    if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
    const place = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
    if (place === 'namespaces') {
      if (subresource === '') this.#judgeNamespace(attributes, object);
      return;
    }
    const labels = this.#store.getHead('namespaces', attributes.namespace)?.object.metadata.labels;
    if (labels === undefined) return;
    if (place === 'pods') {
      if (subresource !== '' && subresource !== 'ephemeralcontainers') return;
      if (operation === 'UPDATE' && !isSignificant(object, attributes.oldObject)) return;
      judgePod(attributes, object as unknown as Pod, labels);
      return;
    }
    const template = subresource === '' ? templateOf(object, templates[place]) : undefined;
    if (template !== undefined) warn(attributes, template, labels);
  }

  /** The labels mean something, and pods that are there already stay: whoever asks for more is told of them. */
  #judgeNamespace(attributes: AdmissionAttributes, namespace: DynamicObject): void {
    const { labels = {}, name = '' } = namespace.metadata;
    const before = attributes.oldObject?.metadata.labels ?? {};
    const problems = labelProblems(labels).filter(
      ({ field }) =>
        attributes.oldObject === undefined ||
        !labelProblems(before).some((each) => each.field === field),
    );
    if (problems.length > 0) throw invalidObject({ group: '', kind: 'Namespace' }, name, problems);
    const demand = demandOf(labels, 'enforce');
    if (demand === undefined || demand.text === demandOf(before, 'enforce')?.text) return;
    const namesByWhy = new Map<string, string[]>();
    for (const { object } of this.#store.collection('pods').entries(name)) {
      const violations = podSecurityViolations(object as unknown as Pod, demand.level);
      const why = violations.map(({ reason }) => reason).join(', ');
      if (why !== '')
        namesByWhy.set(why, [...(namesByWhy.get(why) ?? []), object.metadata.name ?? '']);
    }
    if (namesByWhy.size === 0) return;
    attributes.warn(
      `existing pods in namespace ${JSON.stringify(name)} violate the new PodSecurity enforce level ${JSON.stringify(demand.text)}`,
    );
    for (const [why, [first = '', ...others]] of namesByWhy) {
      const more =
        others.length === 0
          ? ''
          : ` (and ${others.length} other pod${others.length === 1 ? '' : 's'})`;
      attributes.warn(`${first}${more}: ${why}`);
    }
  }
}

function judgePod(
  attributes: AdmissionAttributes,
  pod: Pod,
  labels: Readonly<Record<string, string>>,
): void {
  const demand = demandOf(labels, 'enforce');
  const why = demand === undefined ? '' : violationText(podSecurityViolations(pod, demand.level));
  if (why !== '') {
    const text = `violates PodSecurity ${JSON.stringify(demand?.text)}: ${why}`;
    throw forbiddenError(
      { group: '', resource: 'pods' },
      attributes.name || (pod.metadata?.name ?? ''),
      text,
    );
  }
  warn(attributes, pod, labels);
}

function warn(
  attributes: AdmissionAttributes,
  pod: Pod,
  labels: Readonly<Record<string, string>>,
): void {
  // Whoever enforces without a word on warnings wants to know of workloads whose pods will be refused.
  const demand = demandOf(labels, 'warn') ?? demandOf(labels, 'enforce');
  const why = demand === undefined ? '' : violationText(podSecurityViolations(pod, demand.level));
  if (why !== '')
    attributes.warn(`would violate PodSecurity ${JSON.stringify(demand?.text)}: ${why}`);
}

function demandOf(
  labels: Readonly<Record<string, string>>,
  mode: 'enforce' | 'warn',
): Demand | undefined {
  const level = labels[`${prefix}${mode}`];
  if (level === undefined) return undefined;
  // What cannot be understood is taken for the strictest.
  const known = levels.includes(level) ? (level as PodSecurityLevel) : 'restricted';
  return { level: known, text: `${known}:${labels[`${prefix}${mode}-version`] ?? 'latest'}` };
}

function labelProblems(labels: Readonly<Record<string, string>>): FieldProblem[] {
  return ['enforce', 'audit', 'warn'].flatMap((mode) => {
    const [level, version] = [labels[`${prefix}${mode}`], labels[`${prefix}${mode}-version`]];
    return [
      ...(level === undefined || levels.includes(level)
        ? []
        : [
            invalid(
              `metadata.labels[${prefix}${mode}]`,
              level,
              `must be one of ${levels.join(', ')}`,
            ),
          ]),
      ...(version === undefined || /^(latest|v1\.(0|[1-9]\d*))$/.test(version)
        ? []
        : [
            invalid(
              `metadata.labels[${prefix}${mode}-version]`,
              version,
              'must be "latest" or "v1.x"',
            ),
          ]),
    ];
  });
}

/** A pod that is there may change its labels under any standard; new programs are judged anew. */
function isSignificant(pod: DynamicObject, old: Readonly<DynamicObject> | undefined): boolean {
  const programs = (object: Readonly<DynamicObject> | undefined) =>
    ['initContainers', 'containers', 'ephemeralContainers'].map((list) =>
      listAt(objectAt(object ?? {}, 'spec'), list).map(({ name, image }) => ({ name, image })),
    );
  return !equalJson(programs(pod), programs(old));
}

function templateOf(object: DynamicObject, path: readonly string[] | undefined): Pod | undefined {
  if (path === undefined) return undefined;
  const template = path.reduce<Readonly<Fields>>((at, key) => objectAt(at, key), object as Fields);
  return template.spec === undefined ? undefined : (template as unknown as Pod);
}
