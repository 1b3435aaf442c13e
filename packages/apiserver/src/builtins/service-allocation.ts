import { isIP } from 'node:net';
import type { DynamicObject } from '@waygate/schema';
import type { StrategyContext } from '../resources/resource.ts';
import { invalidObject } from '../status/api-error.ts';
import { type FieldProblem, invalid } from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, setDefaults, textAt } from './fields.ts';
import { clusterAddressProblems, needsHealthCheck } from './service-rules.ts';
import { specOf } from './workload.ts';

/** 10.96.0.0/16, the range that clusters use by default. */
const rangeStart = (10 << 24) | (96 << 16);
const rangeSize = 1 << 16;
const nodePorts = { first: 30000, last: 32767 };

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
  allocateHealthCheck(spec, old, others);
}

function allocateHealthCheck(
  spec: Fields,
  old: Readonly<DynamicObject> | undefined,
  others: readonly Holding[],
): void {
  if (!needsHealthCheck(spec)) return;
  const before = old === undefined ? undefined : numberAt(specOf(old), 'healthCheckNodePort');
  if ((numberAt(spec, 'healthCheckNodePort') ?? 0) !== 0) return;
  const taken = takenNodePorts(others);
  for (const port of portsOf(spec)) taken.add(port);
  spec.healthCheckNodePort = before ?? freeNodePort(taken);
}

function takenNodePorts(holdings: readonly Holding[]): Set<number> {
  return new Set(holdings.flatMap(({ ports }) => ports));
}

function freeNodePort(taken: ReadonlySet<number>): number {
  let free = nodePorts.first + Math.floor(Math.random() * (nodePorts.last - nodePorts.first));
  while (taken.has(free)) free = free >= nodePorts.last ? nodePorts.first : free + 1;
  return free;
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
): void {
  const asked = textAt(spec, 'clusterIP') || ((spec.clusterIPs as string[] | undefined)?.[0] ?? '');
  if (asked === 'None') {
    spec.clusterIP = 'None';
    spec.clusterIPs = ['None'];
    return;
  }
  const taken = new Set(others.map(({ address }) => address));
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
      port.nodePort = freeNodePort(taken);
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
