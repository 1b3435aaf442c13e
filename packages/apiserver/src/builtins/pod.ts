import { isIP } from 'node:net';
import type { DynamicObject } from '@waygate/schema';
import { equalJson, goJson } from '@waygate/text';

import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy, StrategyContext } from '../resources/resource.ts';
import { type FieldProblem, forbidden, invalid } from '../status/field-problem.ts';
import { paddedImageProblems } from './container-rules.ts';
import { ephemeralContainersStrategy } from './ephemeral-containers.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { internalForm } from './internal-form.ts';
import { podAnnotationProblems, profileProblems } from './pod-annotation-rules.ts';
import { keepPriority, setPriority } from './pod-priority.ts';
import { qualityOf } from './pod-quality.ts';
import { podResizeStrategy } from './pod-resize.ts';
import { tolerationProblems } from './pod-scheduling-rules.ts';
import { mountServiceAccount } from './pod-service-account.ts';
import { podSpecProblems } from './pod-spec-rules.ts';
import { podState, restartsText } from './pod-state.ts';
import { defaultPod, defaultPodSpec } from './pod-template.ts';
import { hostnameWarnings, podWarnings } from './pod-warnings.ts';
import { unifiedDiff } from './unified-diff.ts';

function specOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'spec');
}

function statusOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'status');
}

export const podStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    const spec = specOf(object);
    defaultPodSpec(spec);
    defaultPod(spec);
    const status = statusOf(object);
    if (textAt(status, 'podIP') !== '' && listAt(status, 'podIPs').length === 0)
      status.podIPs = [{ ip: status.podIP }];
  },
  prepareForCreate(object, context) {
    const spec = specOf(object);
    object.status = { phase: 'Pending', qosClass: qualityOf(spec) };
    // What the default admission plugins set.
    const { disabledPlugins } = context.settings;
    const isMounted = !disabledPlugins.has('ServiceAccount');
    if (isMounted) setDefaults(spec, { serviceAccountName: 'default' });
    if (!disabledPlugins.has('Priority')) setPriority(object, spec, context);
    if (textAt(spec, 'serviceAccountName') !== '') spec.serviceAccount = spec.serviceAccountName;
    if (isMounted) mountServiceAccount(object, spec, context);
    tolerateNodeTrouble(spec, context);
  },
  prepareForUpdate(object, old, context) {
    const spec = specOf(object);
    if (!context.settings.disabledPlugins.has('Priority')) keepPriority(spec, specOf(old));
    tolerateNodeTrouble(spec, context);
  },
  keptByStatus: ['ownerReferences'],
  subresources: {
    ephemeralcontainers: ephemeralContainersStrategy,
    resize: podResizeStrategy,
  },
  prepareStatusUpdate(object, old) {
    const status = statusOf(object);
    const quality = textAt(statusOf(old), 'qosClass');
    if (textAt(status, 'qosClass') === '' && quality !== '') status.qosClass = quality;
    if (Object.keys(status).length > 0) object.status = status;
    const first = listAt(status, 'podIPs')[0];
    const address = textAt(status, 'podIP');
    if (address === '' && first !== undefined) status.podIP = first.ip;
    else if (address !== '' && first?.ip !== address) status.podIPs = [{ ip: address }];
  },
  validateStatusUpdate: (object) =>
    listAt(statusOf(object), 'podIPs').flatMap((each, index) => {
      const ip = textAt(each, 'ip');
      const why = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
      return isIP(ip) === 0 ? [invalid(`status.podIPs[${index}]`, ip, why)] : [];
    }),
  validate: (object) => [
    ...podProblems(object),
    ...(listAt(specOf(object), 'ephemeralContainers').length === 0
      ? []
      : [forbidden('spec.ephemeralContainers', 'cannot be set on create')]),
    ...heldBackProblems(specOf(object)),
    ...profileProblems(object, 'spec'),
  ],
  validateUpdate: (object, old) => [...podProblems(object), ...changeProblems(object, old)],
  warnings: (object, old) =>
    old === undefined
      ? [
          ...hostnameWarnings(object.metadata.name ?? '', "the Pod's hostname"),
          ...podWarnings(object),
        ]
      : [],
  gracePeriodSeconds(object) {
    const isScheduled = textAt(specOf(object), 'nodeName') !== '';
    const phase = textAt(statusOf(object), 'phase');
    if (!isScheduled || phase === 'Succeeded' || phase === 'Failed') return 0;
    return numberAt(specOf(object), 'terminationGracePeriodSeconds') ?? 30;
  },
  selectableFields: {
    'spec.nodeName': (object) => textAt(specOf(object), 'nodeName'),
    'spec.restartPolicy': (object) => textAt(specOf(object), 'restartPolicy'),
    'spec.schedulerName': (object) => textAt(specOf(object), 'schedulerName'),
    'spec.serviceAccountName': (object) => textAt(specOf(object), 'serviceAccountName'),
    'spec.hostNetwork': (object) => String(specOf(object).hostNetwork === true),
    'status.phase': (object) => textAt(statusOf(object), 'phase'),
    'status.podIP': (object) => textAt(statusOf(object), 'podIP'),
    'status.nominatedNodeName': (object) => textAt(statusOf(object), 'nominatedNodeName'),
  },
  columns: [
    column('Ready', (object) => podState(object).ready),
    column('Status', (object) => podState(object).reason),
    column('Restarts', (object, now) => restartsText(podState(object), now)),
    ageColumn,
    column('IP', (object) => textAt(statusOf(object), 'podIP') || '<none>', { priority: 1 }),
    column('Node', (object) => textAt(specOf(object), 'nodeName') || '<none>', { priority: 1 }),
    column(
      'Nominated Node',
      (object) => textAt(statusOf(object), 'nominatedNodeName') || '<none>',
      { priority: 1 },
    ),
    column(
      'Readiness Gates',
      (object) => {
        const gates = listAt(specOf(object), 'readinessGates');
        if (gates.length === 0) return '<none>';
        const conditions = listAt(statusOf(object), 'conditions');
        const ready = gates.filter((gate) =>
          conditions.some((each) => each.type === gate.conditionType && each.status === 'True'),
        );
        return `${ready.length}/${gates.length}`;
      },
      { priority: 1 },
    ),
  ],
};

function tolerateNodeTrouble(spec: Fields, { settings }: StrategyContext): void {
  if (settings.disabledPlugins.has('DefaultTolerationSeconds')) return;
  spec.tolerations = withDefaultTolerations(listAt(spec, 'tolerations'));
}

function withDefaultTolerations(tolerations: readonly Fields[]): Fields[] {
  const result = [...tolerations];
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const isThere = result.some(
      (each) =>
        (each.key === key || each.key === undefined) &&
        (each.effect === 'NoExecute' || each.effect === undefined),
    );
    if (!isThere)
      result.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  return result;
}

const changeable =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function podProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  const annotations = objectAt(objectAt(object, 'metadata'), 'annotations');
  return [
    ...podAnnotationProblems(annotations, spec, 'metadata.annotations'),
    ...podSpecProblems(spec, 'spec', objectAt(object, 'metadata')),
    ...(textAt(spec, 'serviceAccountName') === '' ? tokenProblems(spec) : []),
    ...['containers', 'initContainers'].flatMap((kind) =>
      listAt(spec, kind).flatMap((container, index) =>
        paddedImageProblems(container, `spec.${kind}[${index}]`),
      ),
    ),
  ];
}

/** Without an account there is nobody to make tokens for. */
function tokenProblems(spec: Fields): FieldProblem[] {
  const why = 'must not be specified when serviceAccountName is not set';
  return listAt(spec, 'volumes').flatMap((volume, index) =>
    listAt(objectAt(volume, 'projected'), 'sources').flatMap((source, at) =>
      source.serviceAccountToken === undefined
        ? []
        : [forbidden(`spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`, why)],
    ),
  );
}

function heldBackProblems(spec: Fields): FieldProblem[] {
  const isHeld = textAt(spec, 'nodeName') !== '' && listAt(spec, 'schedulingGates').length > 0;
  const why = 'cannot be set until all schedulingGates have been cleared';
  return isHeld ? [forbidden('spec.nodeName', why)] : [];
}

/** Most of a pod is fixed once it exists. */
function changeProblems(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const kind of ['containers', 'initContainers']) {
    if (listAt(specOf(object), kind).length === listAt(specOf(old), kind).length) continue;
    return [forbidden(`spec.${kind}`, 'pod updates may not add or remove containers')];
  }
  const [deadline, before] = [object, old].map((each) =>
    numberAt(specOf(each), 'activeDeadlineSeconds'),
  );
  const field = 'spec.activeDeadlineSeconds';
  if (deadline === undefined) {
    const why = 'must not update from a positive integer to nil value';
    if (before !== undefined) problems.push(invalid(field, null, why));
  } else if (before !== undefined && before < deadline) {
    return [invalid(field, deadline, 'must be less than or equal to previous value')];
  }
  problems.push(...tolerationChangeProblems(object, old));
  return [...problems, ...frozenProblems(object, old)];
}

function tolerationChangeProblems(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
): FieldProblem[] {
  const next = listAt(specOf(object), 'tolerations');
  const key = ({ tolerationSeconds: _seconds, ...rest }: Fields) => rest;
  const isKept = listAt(specOf(old), 'tolerations').every((before) =>
    next.some((each) => equalJson(key(each), key(before))),
  );
  if (!isKept) {
    const why = 'existing toleration can not be modified except its tolerationSeconds';
    return [forbidden('spec.tolerations', why)];
  }
  return tolerationProblems(next, 'spec.tolerations');
}

function frozenProblems(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[] {
  const before = specOf(old);
  const next = structuredClone(specOf(object));
  for (const kind of ['containers', 'initContainers']) {
    for (const [index, container] of listAt(next, kind).entries())
      container.image = listAt(before, kind)[index]?.image;
  }
  for (const name of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates']) {
    if (before[name] === undefined) delete next[name];
    else next[name] = before[name];
  }
  const grace = numberAt(before, 'terminationGracePeriodSeconds') ?? 0;
  if (grace < 0 && next.terminationGracePeriodSeconds === 1)
    next.terminationGracePeriodSeconds = grace;
  if (equalJson(next, before)) return [];
  const print = (spec: Fields) => goJson(internalForm('PodSpec', spec), { indent: 1 });
  const diff = unifiedDiff(print(before), print(next));
  return [forbidden('spec', `pod updates may not change fields other than ${changeable}\n${diff}`)];
}
