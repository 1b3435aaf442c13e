import type { DynamicObject } from '@waygate/schema';
import { dnsLabelProblems } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { selectorText } from '../selectors/selector-text.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { allocate, keepNodePorts } from './service-allocation.ts';
import {
  balancerStatusProblems,
  isExternallyReachable,
  needsHealthCheck,
  rangeAnnotationProblems,
  serviceChangeProblems,
  serviceProblems,
  serviceWarnings,
} from './service-rules.ts';
import { specOf } from './workload.ts';

export const serviceStrategy: Partial<Strategy> = {
  allowsCreateOnUpdate: true,
  nameProblems: dnsLabelProblems,
  applyDefaults(object) {
    const spec = specOf(object);
    setDefaults(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
    const type = textAt(spec, 'type');
    for (const port of listAt(spec, 'ports')) {
      setDefaults(port, { protocol: 'TCP' });
      if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '')
        port.targetPort = port.port;
    }
    if (isExternallyReachable(spec)) setDefaults(spec, { externalTrafficPolicy: 'Cluster' });
    if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(type))
      setDefaults(spec, { internalTrafficPolicy: 'Cluster' });
    if (type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
    if (spec.sessionAffinity === 'ClientIP') {
      const seconds = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP').timeoutSeconds;
      if (seconds === undefined)
        spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
    } else if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
    if (type !== 'LoadBalancer') return;
    for (const ingress of listAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress')) {
      if (textAt(ingress, 'ip') !== '') setDefaults(ingress, { ipMode: 'VIP' });
    }
  },
  prepareForCreate(object, context) {
    object.status = { loadBalancer: {} };
    allocate(object, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    const spec = specOf(object);
    const before = specOf(old);
    if (textAt(spec, 'type') === 'ExternalName') {
      for (const field of [
        'clusterIP',
        'clusterIPs',
        'ipFamilies',
        'ipFamilyPolicy',
        'internalTrafficPolicy',
        'externalTrafficPolicy',
        'allocateLoadBalancerNodePorts',
      ])
        delete spec[field];
      for (const port of listAt(spec, 'ports')) delete port.nodePort;
      return;
    }
    dropForeignFields(spec, before);
    if (textAt(before, 'type') !== 'ExternalName') {
      for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
        if (spec[field] === undefined || spec[field] === '') {
          if (before[field] !== undefined) spec[field] = before[field];
        }
      }
      keepNodePorts(spec, before);
    }
    allocate(object, old, context);
  },
  validate: (object) => [...serviceProblems(object), ...rangeAnnotationProblems(object)],
  validateUpdate: (object, old) => [
    ...serviceChangeProblems(object, old),
    ...serviceProblems(object),
  ],
  validateStatusUpdate: (object) => balancerStatusProblems(object),
  warnings: serviceWarnings,
  selectableFields: {
    'spec.clusterIP': (object) => textAt(specOf(object), 'clusterIP'),
    'spec.type': (object) => textAt(specOf(object), 'type'),
  },
  columns: [
    column('Type', (object) => textAt(specOf(object), 'type')),
    column('Cluster-IP', (object) => textAt(specOf(object), 'clusterIP') || '<none>'),
    column('External-IP', (object) => externalAddress(object)),
    column('Port(s)', (object) => portsText(object)),
    ageColumn,
    column('Selector', (object) => selectorText(specOf(object).selector ?? {}) || '<none>', {
      priority: 1,
    }),
  ],
};

function hasNodePorts(spec: Fields): boolean {
  const type = textAt(spec, 'type');
  return (
    type === 'NodePort' || (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
  );
}

/** What belonged to the old type and was not touched goes with it. */
function dropForeignFields(spec: Fields, before: Fields): void {
  const drop = (field: string, applies: (of: Fields) => boolean) => {
    if (applies(before) && !applies(spec) && spec[field] === before[field]) delete spec[field];
  };
  if (hasNodePorts(before) && !hasNodePorts(spec)) {
    const old = listAt(before, 'ports').map((port) => port.nodePort);
    const isSame = listAt(spec, 'ports').every((port) => old.includes(port.nodePort));
    if (isSame) for (const port of listAt(spec, 'ports')) delete port.nodePort;
  }
  const isBalancer = (of: Fields) => of.type === 'LoadBalancer';
  drop('healthCheckNodePort', needsHealthCheck);
  drop('allocateLoadBalancerNodePorts', isBalancer);
  drop('loadBalancerClass', isBalancer);
  drop('externalTrafficPolicy', isExternallyReachable);
}

function externalAddress(object: Readonly<DynamicObject>): string {
  const spec = specOf(object);
  const external = (spec.externalIPs ?? []) as string[];
  if (textAt(spec, 'type') === 'ExternalName') return textAt(spec, 'externalName');
  if (textAt(spec, 'type') !== 'LoadBalancer')
    return external.length > 0 ? external.join(',') : '<none>';
  const ingress = listAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress').map(
    (each) => textAt(each, 'ip') || textAt(each, 'hostname'),
  );
  const all = [...ingress, ...external];
  return all.length > 0 ? all.join(',') : '<pending>';
}

function portsText(object: Readonly<DynamicObject>): string {
  const ports = listAt(specOf(object), 'ports').map((port) => {
    const node = numberAt(port, 'nodePort') ?? 0;
    return node === 0 ? `${port.port}/${port.protocol}` : `${port.port}:${node}/${port.protocol}`;
  });
  return ports.length === 0 ? '<none>' : ports.join(',');
}
