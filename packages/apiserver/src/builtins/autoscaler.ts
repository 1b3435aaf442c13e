import type { DynamicObject } from '@waygate/schema';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, forbidden, invalid, required } from '../status/field-problem.ts';
import { behaviorProblems, metricProblems, referenceProblems } from './autoscaler-metrics.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { specOf } from './workload.ts';

const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const defaultUtilization = 80;

function cpuMetric(utilization: number): Fields {
  return {
    type: 'Resource',
    resource: {
      name: 'cpu',
      target: { type: 'Utilization', averageUtilization: utilization },
    },
  };
}

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const scaleDown = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

/** The autoscaler in its newest version, which is how it is stored. */
export const autoscalerStrategy: Partial<Strategy> = {
  applyDefaults(object) {
    const spec = specOf(object);
    setDefaults(spec, { minReplicas: 1 });
    if (listAt(spec, 'metrics').length === 0) spec.metrics = [cpuMetric(defaultUtilization)];
    if (spec.behavior === undefined) return;
    const behavior = objectAt(spec, 'behavior');
    behavior.scaleUp = { ...structuredClone(scaleUp), ...objectAt(behavior, 'scaleUp') };
    behavior.scaleDown = { ...structuredClone(scaleDown), ...objectAt(behavior, 'scaleDown') };
  },
  prepareForCreate(object) {
    object.status = { desiredReplicas: 0, currentMetrics: null };
  },
  validate: (object) => specProblems(specOf(object)),
  columns: [
    column('Reference', (object) => {
      const target = objectAt(specOf(object), 'scaleTargetRef');
      return `${textAt(target, 'kind')}/${textAt(target, 'name')}`;
    }),
    column('Targets', (object) => targetsText(object)),
    column('MinPods', (object) => String(numberAt(specOf(object), 'minReplicas') ?? '<unset>')),
    column('MaxPods', (object) => numberAt(specOf(object), 'maxReplicas') ?? 0),
    column('Replicas', (object) => numberAt(objectAt(object, 'status'), 'currentReplicas') ?? 0),
    ageColumn,
  ],
};

/** What is measured against what is wanted, two metrics at most. */
function targetsText(object: Readonly<DynamicObject>): string {
  const metrics = listAt(specOf(asStored(object)), 'metrics');
  if (metrics.length === 0) return '<none>';
  const current = listAt(objectAt(asStored(object), 'status'), 'currentMetrics');
  const parts = metrics.map((metric, index) => targetText(metric, current[index]));
  if (parts.length <= 2) return parts.join(', ');
  return `${parts.slice(0, 2).join(', ')} + ${parts.length - 2} more...`;
}

function targetText(metric: Fields, measured: Fields | undefined): string {
  const kind = textAt(metric, 'type');
  const field = kind.slice(0, 1).toLowerCase() + kind.slice(1);
  const target = objectAt(objectAt(metric, field), 'target');
  const now = objectAt(objectAt(measured, field), 'current');
  const name = field === 'resource' ? `${textAt(objectAt(metric, field), 'name')}: ` : '';
  if (target.averageUtilization !== undefined) {
    const is = now.averageUtilization === undefined ? '<unknown>' : `${now.averageUtilization}%`;
    return `${name}${is}/${target.averageUtilization}%`;
  }
  if (target.averageValue !== undefined)
    return `${name}${now.averageValue ?? '<unknown>'}/${target.averageValue}${field === 'object' || field === 'external' ? ' (avg)' : ''}`;
  return `${name}${now.value ?? '<unknown>'}/${target.value}`;
}

function asStored(object: Readonly<DynamicObject>): Readonly<DynamicObject> {
  return object.apiVersion === 'autoscaling/v1'
    ? toNewest(structuredClone(object) as DynamicObject)
    : object;
}

function specProblems(spec: Fields): FieldProblem[] {
  const min = numberAt(spec, 'minReplicas');
  const max = numberAt(spec, 'maxReplicas') ?? 0;
  const target = objectAt(spec, 'scaleTargetRef');
  const problems: FieldProblem[] = [];
  if (min !== undefined && min < 1)
    problems.push(invalid('spec.minReplicas', min, 'must be greater than or equal to 1'));
  if (max === 0) problems.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  else if (max < 0)
    problems.push(invalid('spec.maxReplicas', max, 'must be greater than or equal to 1'));
  if (min !== undefined && max < min) {
    const why = 'must be greater than or equal to `minReplicas`';
    problems.push(invalid('spec.maxReplicas', max, why));
  }
  problems.push(...referenceProblems(target, 'spec.scaleTargetRef'));
  const version = textAt(target, 'apiVersion');
  // Only the core group has no name, and nothing in it is scaled but ReplicationControllers.
  if (version.split('/').length > 2) {
    const why = `unexpected GroupVersion string: ${version}`;
    problems.push(invalid('spec.scaleTargetRef.apiVersion', version, why));
  } else if (!version.includes('/') && version !== 'v1') {
    const why = 'apiVersion must specify API group';
    problems.push(invalid('spec.scaleTargetRef.apiVersion', version, why));
  }
  const kinds = listAt(spec, 'metrics').map((metric) => metric.type);
  if (min === 0 && !kinds.includes('Object') && !kinds.includes('External')) {
    const why =
      'must specify at least one Object or External metric to support scaling to zero replicas';
    problems.push(forbidden('spec.metrics', why));
  }
  return [
    ...problems,
    ...listAt(spec, 'metrics').flatMap((metric, index) =>
      metricProblems(metric, `spec.metrics[${index}]`),
    ),
    ...behaviorProblems(objectAt(spec, 'behavior'), 'spec.behavior'),
  ];
}

/** The old version knows one metric; the others ride along in an annotation. */
export const oldAutoscalerStrategy: Partial<Strategy> = {
  ...autoscalerStrategy,
  applyDefaults(object) {
    setDefaults(specOf(object), { minReplicas: 1 });
    const isPlain = object.metadata.annotations?.[metricsAnnotation] === undefined;
    if (isPlain)
      setDefaults(specOf(object), { targetCPUUtilizationPercentage: defaultUtilization });
  },
  prepareForCreate(object) {
    object.status = { currentReplicas: 0, desiredReplicas: 0 };
  },
  validate: (object) => specProblems(specOf(toNewest(structuredClone(object)))),
  toStorage: toNewest,
  fromStorage: toOldest,
};

function isCpu(metric: Fields): boolean {
  const resource = objectAt(metric, 'resource');
  const target = objectAt(resource, 'target');
  return (
    metric.type === 'Resource' && resource.name === 'cpu' && target.averageUtilization !== undefined
  );
}

function toNewest(object: DynamicObject): DynamicObject {
  const spec = { ...specOf(object) };
  const status = { ...objectAt(object, 'status') };
  const utilization = numberAt(spec, 'targetCPUUtilizationPercentage');
  const annotations = { ...object.metadata.annotations };
  const others = listOf(annotations[metricsAnnotation]);
  delete annotations[metricsAnnotation];
  delete spec.targetCPUUtilizationPercentage;
  const metrics = [...(utilization === undefined ? [] : [cpuMetric(utilization)]), ...others];
  spec.metrics = metrics.length === 0 ? [cpuMetric(defaultUtilization)] : metrics;
  const measured = numberAt(status, 'currentCPUUtilizationPercentage');
  delete status.currentCPUUtilizationPercentage;
  status.currentMetrics =
    measured === undefined
      ? null
      : [
          {
            type: 'Resource',
            resource: { name: 'cpu', current: { averageUtilization: measured } },
          },
        ];
  if (status.currentReplicas === 0) delete status.currentReplicas;
  return withParts(object, spec, status, annotations);
}

function toOldest(object: DynamicObject): DynamicObject {
  const { metrics: _metrics, behavior: _behavior, ...spec } = specOf(object);
  const {
    currentMetrics: _current,
    conditions: _conditions,
    ...status
  } = objectAt(object, 'status');
  const metrics = listAt(specOf(object), 'metrics');
  const cpu = metrics.find(isCpu);
  const others = metrics.filter((metric) => metric !== cpu);
  const annotations = { ...object.metadata.annotations };
  if (others.length > 0) annotations[metricsAnnotation] = JSON.stringify(others);
  const target = objectAt(objectAt(cpu, 'resource'), 'target');
  if (cpu !== undefined) spec.targetCPUUtilizationPercentage = target.averageUtilization;
  const measured = listAt(objectAt(object, 'status'), 'currentMetrics').find(
    (metric) => objectAt(metric, 'resource').name === 'cpu',
  );
  const current = objectAt(objectAt(measured, 'resource'), 'current').averageUtilization;
  if (current !== undefined) status.currentCPUUtilizationPercentage = current;
  status.currentReplicas ??= 0;
  return withParts(object, spec, status, annotations);
}

function withParts(
  object: DynamicObject,
  spec: Fields,
  status: Fields,
  annotations: Record<string, string>,
): DynamicObject {
  const { annotations: _annotations, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations },
    spec,
    status,
  } as DynamicObject;
}

function listOf(text: string | undefined): Fields[] {
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as Fields[]) : [];
  } catch {
    return [];
  }
}
