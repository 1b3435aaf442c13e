import { isIP } from 'node:net';
import type { DynamicObject } from '@waygate/schema';
import { ageColumn } from '../output/base-columns.ts';
import type { Strategy, StrategyContext } from '../resources/resource.ts';
import { selectorText } from '../rest/scale-handler.ts';
import { invalidObject } from '../status/api-error.ts';
import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  portNameProblems,
  portNumberProblems,
} from '../validation/names.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { targetPortProblems } from './probe-rules.ts';

/** 10.96.0.0/16, the range that clusters use by default. */
const rangeStart = (10 << 24) | (96 << 16);
const rangeSize = 1 << 16;
const nodePorts = { first: 30000, last: 32767 };

function specOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'spec');
}

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
    if (type === 'NodePort' || type === 'LoadBalancer')
      setDefaults(spec, { externalTrafficPolicy: 'Cluster' });
    if (type !== 'ExternalName') setDefaults(spec, { internalTrafficPolicy: 'Cluster' });
    if (type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
    if (spec.sessionAffinity === 'ClientIP') {
      spec.sessionAffinityConfig ??= { clientIP: { timeoutSeconds: 10800 } };
    } else delete spec.sessionAffinityConfig;
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
  validate: (object) => serviceProblems(object),
  validateUpdate(object, old) {
    const problems = serviceProblems(object);
    const ips = specOf(object).clusterIPs as string[] | undefined;
    const before = specOf(old).clusterIPs as string[] | undefined;
    const isSame =
      textAt(specOf(old), 'type') === 'ExternalName' ||
      textAt(specOf(object), 'type') === 'ExternalName';
    if (!isSame && before?.[0] !== undefined && ips?.[0] !== undefined && before[0] !== ips[0]) {
      problems.push(invalid('spec.clusterIPs[0]', ips, 'may not change once set'));
    }
    return problems;
  },
  selectableFields: {
    'spec.clusterIP': (object) => textAt(specOf(object), 'clusterIP'),
    'spec.type': (object) => textAt(specOf(object), 'type'),
  },
  columns: [
    { name: 'Type', type: 'string', cell: (object) => textAt(specOf(object), 'type') },
    {
      name: 'Cluster-IP',
      type: 'string',
      cell: (object) => textAt(specOf(object), 'clusterIP') || '<none>',
    },
    { name: 'External-IP', type: 'string', cell: (object) => externalAddress(object) },
    { name: 'Port(s)', type: 'string', cell: (object) => portsText(object) },
    ageColumn,
    {
      name: 'Selector',
      type: 'string',
      priority: 1,
      cell: (object) => selectorText(specOf(object).selector ?? {}) || '<none>',
    },
  ],
};

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

/** Finds addresses and node ports for what the client left open; refuses what is taken. */
function allocate(
  object: DynamicObject,
  old: Readonly<DynamicObject> | undefined,
  context: StrategyContext,
): void {
  const spec = specOf(object);
  const type = textAt(spec, 'type');
  if (type === 'ExternalName') return;
  const own = `${object.metadata.namespace}/${object.metadata.name}`;
  const others = context
    .list('services')
    .filter((each) => `${each.metadata.namespace}/${each.metadata.name}` !== own);
  allocateAddress(object, spec, old, others);
  const listed = (spec.clusterIPs as string[] | undefined) ?? [];
  if (spec.ipFamilies === undefined) {
    const isOpen = spec.clusterIP === 'None' && spec.selector === undefined;
    spec.ipFamilies = isOpen
      ? ['IPv4', 'IPv6']
      : [listed[0] !== undefined && isIP(listed[0]) === 6 ? 'IPv6' : 'IPv4'];
    setDefaults(spec, { ipFamilyPolicy: isOpen ? 'RequireDualStack' : 'SingleStack' });
  }
  setDefaults(spec, { ipFamilyPolicy: 'SingleStack' });
  if (
    type === 'NodePort' ||
    (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
  ) {
    allocateNodePorts(object, spec, old, others);
  }
}

function fail(object: DynamicObject, field: string, value: unknown, detail: string): never {
  throw invalidObject({ group: '', kind: 'Service' }, object.metadata.name ?? '', [
    invalid(field, value, detail),
  ]);
}

function allocateAddress(
  object: DynamicObject,
  spec: Fields,
  old: Readonly<DynamicObject> | undefined,
  others: readonly Readonly<DynamicObject>[],
): void {
  const asked = textAt(spec, 'clusterIP') || ((spec.clusterIPs as string[] | undefined)?.[0] ?? '');
  if (asked === 'None') {
    spec.clusterIP = 'None';
    spec.clusterIPs = ['None'];
    return;
  }
  const taken = new Set(others.map((each) => textAt(specOf(each), 'clusterIP')));
  if (asked === '') {
    const address = freeAddress(taken);
    spec.clusterIP = address;
    spec.clusterIPs = [address];
    return;
  }
  const isOwn = old !== undefined && textAt(specOf(old), 'clusterIP') === asked;
  if (!isOwn && old === undefined && isIP(asked) !== 0) {
    if (!isInRange(asked)) {
      fail(
        object,
        'spec.clusterIPs',
        [asked],
        `failed to allocate IP ${asked}: the provided network does not match the current range`,
      );
    }
    if (taken.has(asked)) {
      fail(
        object,
        'spec.clusterIPs',
        [asked],
        `failed to allocate IP ${asked}: provided IP is already allocated`,
      );
    }
  }
  spec.clusterIP = asked;
  spec.clusterIPs ??= [asked];
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function isInRange(address: string): boolean {
  if (isIP(address) !== 4) return false;
  const offset = toNumber(address) - rangeStart;
  return offset >= 0 && offset < rangeSize;
}

function freeAddress(taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt++) {
    const offset = attempt < 64 ? 10 + Math.floor(Math.random() * (rangeSize - 20)) : 10 + attempt;
    const address = `10.96.${offset >> 8}.${offset & 255}`;
    if (!taken.has(address) && address !== '10.96.0.1') return address;
  }
}

function keepNodePorts(spec: Fields, before: Fields): void {
  if (textAt(spec, 'type') === 'ClusterIP') return;
  for (const port of listAt(spec, 'ports')) {
    if ((numberAt(port, 'nodePort') ?? 0) !== 0) continue;
    const same = listAt(before, 'ports').find(
      (each) => each.port === port.port && each.protocol === port.protocol,
    );
    if (same !== undefined && numberAt(same, 'nodePort') !== undefined)
      port.nodePort = same.nodePort;
  }
}

function allocateNodePorts(
  object: DynamicObject,
  spec: Fields,
  old: Readonly<DynamicObject> | undefined,
  others: readonly Readonly<DynamicObject>[],
): void {
  const taken = new Set<number>();
  for (const other of others) {
    for (const port of listAt(specOf(other), 'ports')) taken.add(numberAt(port, 'nodePort') ?? 0);
  }
  const own = new Set(
    listAt(old === undefined ? {} : specOf(old), 'ports').map(
      (port) => numberAt(port, 'nodePort') ?? 0,
    ),
  );
  for (const [index, port] of listAt(spec, 'ports').entries()) {
    const asked = numberAt(port, 'nodePort') ?? 0;
    if (asked === 0) {
      let free = nodePorts.first + Math.floor(Math.random() * (nodePorts.last - nodePorts.first));
      while (taken.has(free)) free = free >= nodePorts.last ? nodePorts.first : free + 1;
      port.nodePort = free;
      taken.add(free);
      continue;
    }
    const field = `spec.ports[${index}].nodePort`;
    if (own.has(asked)) continue;
    if (asked < nodePorts.first || asked > nodePorts.last) {
      fail(
        object,
        field,
        asked,
        `provided port is not in the valid range. The range of valid ports is ${nodePorts.first}-${nodePorts.last}`,
      );
    }
    if (taken.has(asked)) fail(object, field, asked, 'provided port is already allocated');
    taken.add(asked);
  }
}

function serviceProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  const type = textAt(spec, 'type');
  const problems: FieldProblem[] = [];
  const ports = listAt(spec, 'ports');
  const isHeadless = spec.clusterIP === 'None';
  if (ports.length === 0 && !isHeadless && type !== 'ExternalName')
    problems.push(required('spec.ports'));
  if (type === 'LoadBalancer' && isHeadless) {
    problems.push(
      invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for LoadBalancer services"),
    );
  }
  if (type === 'ExternalName') {
    const name = textAt(spec, 'externalName');
    if (name === '') problems.push(required('spec.externalName'));
    else
      problems.push(
        ...dnsSubdomainProblems(name.replace(/\.$/, '')).map((problem) =>
          invalid('spec.externalName', name, problem),
        ),
      );
  }
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    problems.push(...portProblems(port, `spec.ports[${index}]`, ports.length > 1, names));
  }
  if (!['ClientIP', 'None'].includes(textAt(spec, 'sessionAffinity'))) {
    problems.push(notSupported('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']));
  }
  if (!['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'].includes(type)) {
    problems.push(
      notSupported('spec.type', type, ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']),
    );
  }
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const key = `${port.protocol}/${port.port}`;
    if (seen.has(key)) {
      problems.push(
        duplicate(`spec.ports[${index}]`, {
          Name: '',
          Protocol: port.protocol,
          AppProtocol: null,
          Port: port.port,
          TargetPort: 0,
          NodePort: 0,
        }),
      );
    }
    seen.add(key);
  }
  return problems;
}

function portProblems(
  port: Fields,
  field: string,
  needsName: boolean,
  names: Set<string>,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const name = textAt(port, 'name');
  if (name === '') {
    if (needsName) problems.push(required(`${field}.name`));
  } else {
    problems.push(
      ...dnsLabelProblems(name).map((problem) => invalid(`${field}.name`, name, problem)),
    );
    if (names.has(name)) problems.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
  const number = numberAt(port, 'port') ?? 0;
  problems.push(
    ...portNumberProblems(number).map((problem) => invalid(`${field}.port`, number, problem)),
  );
  const protocol = textAt(port, 'protocol');
  if (!['SCTP', 'TCP', 'UDP'].includes(protocol))
    problems.push(notSupported(`${field}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
  const target = port.targetPort;
  if (typeof target === 'string') {
    problems.push(
      ...portNameProblems(target)
        .slice(0, 1)
        .map((problem) => invalid(`${field}.targetPort`, target, problem)),
    );
  } else if (target !== number) problems.push(...targetPortProblems(target, `${field}.targetPort`));
  return problems;
}
