import { isIP } from 'node:net';
import type { DynamicObject } from '@waygate/schema';
import { addressNumber, addressText, type NumberRange } from '../resources/cluster-settings.ts';
import type { StrategyContext } from '../resources/resource.ts';
import { internalError, invalidObject } from '../status/api-error.ts';
import { type FieldProblem, invalid } from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, setDefaults, textAt } from './fields.ts';
import { clusterAddressProblems, needsHealthCheck } from './service-rules.ts';
import { specOf } from './workload.ts';

/** What a Service holds of what there is only once. */
interface Holding {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly address: string;
  readonly ports: readonly number[];
}

function holdingOf(service: Readonly<DynamicObject>): Holding {
  const spec = specOf(service);
  const { namespace, name } = service.metadata;
  return { namespace, name, address: textAt(spec, 'clusterIP'), ports: portsOf(spec) };
}

function portsOf(spec: Readonly<Fields>): number[] {
  const health = numberAt(spec, 'healthCheckNodePort') ?? 0;
  return [health, ...listAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0)];
}

/** Finds addresses and node ports for what the client left open; refuses what is taken. */
export function allocate(
  object: DynamicObject,
  old: Readonly<DynamicObject> | undefined,
  context: StrategyContext,
): void {
  const spec = specOf(object);
  const type = textAt(spec, 'type');
  if (type === 'ExternalName') return;
  const { namespace, name } = object.metadata;
  const others = context
    .facts('services', holdingOf)
    .filter((each) => each.name !== name || each.namespace !== namespace);
  if (textAt(spec, 'clusterIP') !== '') spec.clusterIPs ??= [spec.clusterIP];
  refuse(object, clusterAddressProblems(spec));
  refuse(object, familyProblems(spec));
  const { serviceAddresses, nodePorts } = context.settings;
  allocateAddress(object, spec, old, others, serviceAddresses);
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
    allocateNodePorts(object, spec, old, others, nodePorts);
  }
  allocateHealthCheck(spec, old, others, nodePorts);
}

function allocateHealthCheck(
  spec: Fields,
  old: Readonly<DynamicObject> | undefined,
  others: readonly Holding[],
  nodePorts: NumberRange,
): void {
  if (!needsHealthCheck(spec)) return;
  const before = old === undefined ? undefined : numberAt(specOf(old), 'healthCheckNodePort');
  if ((numberAt(spec, 'healthCheckNodePort') ?? 0) !== 0) return;
  const taken = takenNodePorts(others);
  for (const port of portsOf(spec)) taken.add(port);
  spec.healthCheckNodePort = before ?? freeNodePort(taken, nodePorts);
}

function takenNodePorts(holdings: readonly Holding[]): Set<number> {
  return new Set(holdings.flatMap(({ ports }) => ports));
}

function freeNodePort(taken: ReadonlySet<number>, { first, last }: NumberRange): number {
  const size = last - first + 1;
  const start = Math.floor(Math.random() * size);
  for (let step = 0; step < size; step++) {
    const port = first + ((start + step) % size);
    if (!taken.has(port)) return port;
  }
  throw internalError('failed to allocate a nodePort: range is full');
}

function refuse(object: DynamicObject, problems: readonly FieldProblem[]): void {
  if (problems.length === 0) return;
  throw invalidObject({ group: '', kind: 'Service' }, object.metadata.name ?? '', problems);
}

function fail(object: DynamicObject, field: string, value: unknown, detail: string): void {
  refuse(object, [invalid(field, value, detail)]);
}

/** This cluster has addresses of one family. */
function familyProblems(spec: Fields): FieldProblem[] {
  const isOpen = spec.clusterIP === 'None' && spec.selector === undefined;
  if (isOpen) return [];
  const families = (spec.ipFamilies ?? []) as string[];
  const problems = families.flatMap((family, index) =>
    family === 'IPv6'
      ? [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')]
      : [],
  );
  if (spec.ipFamilyPolicy === 'RequireDualStack') {
    const why = 'this cluster is not configured for dual-stack services';
    problems.push(invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, why));
  }
  return problems;
}

function allocateAddress(
  object: DynamicObject,
  spec: Fields,
  old: Readonly<DynamicObject> | undefined,
  others: readonly Holding[],
  range: NumberRange,
): void {
  const asked = textAt(spec, 'clusterIP') || ((spec.clusterIPs as string[] | undefined)?.[0] ?? '');
  if (asked === 'None') {
    spec.clusterIP = 'None';
    spec.clusterIPs = ['None'];
    return;
  }
  const taken = new Set(others.map(({ address }) => address));
  if (asked === '') {
    const address = freeAddress(taken, range);
    spec.clusterIP = address;
    spec.clusterIPs = [address];
    return;
  }
  const isOwn = old !== undefined && textAt(specOf(old), 'clusterIP') === asked;
  if (!isOwn && old === undefined && isIP(asked) !== 0) {
    if (!isInRange(asked, range)) {
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

function isInRange(address: string, { first, last }: NumberRange): boolean {
  if (isIP(address) !== 4) return false;
  const number = addressNumber(address);
  return number >= first && number <= last;
}

/** The first addresses are left to those who ask for one by name, as long as there are others. */
function freeAddress(taken: ReadonlySet<string>, { first, last }: NumberRange): string {
  const size = last - first + 1;
  const start = Math.floor(size / 16) + Math.floor(Math.random() * (size - Math.floor(size / 16)));
  for (let step = 0; step < size; step++) {
    const number = first + ((start + step) % size);
    const address = addressText(number);
    // The first of all is the API's own.
    if (number !== first && !taken.has(address)) return address;
  }
  throw internalError('failed to allocate a serviceIP: range is full');
}

export function keepNodePorts(spec: Fields, before: Fields): void {
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
  others: readonly Holding[],
  nodePorts: NumberRange,
): void {
  const taken = takenNodePorts(others);
  const own = new Set(
    listAt(old === undefined ? {} : specOf(old), 'ports').map(
      (port) => numberAt(port, 'nodePort') ?? 0,
    ),
  );
  for (const [index, port] of listAt(spec, 'ports').entries()) {
    const asked = numberAt(port, 'nodePort') ?? 0;
    if (asked === 0) {
      port.nodePort = freeNodePort(taken, nodePorts);
      taken.add(port.nodePort as number);
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
