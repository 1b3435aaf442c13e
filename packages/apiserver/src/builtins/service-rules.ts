import { isIP } from 'node:net';
import type { DynamicObject } from '@waygate/schema';
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  portNumberProblems,
  qualifiedNameProblems,
} from '@waygate/text';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { validateLabels } from '../validation/object-meta.ts';
import {
  addressProblems,
  addressWarnings,
  cidrProblems,
  cidrWarnings,
  specialAddressProblems,
} from './address-rules.ts';
import { type Fields, listAt, numberAt, objectAt, textAt, textsAt } from './fields.ts';
import { targetPortProblems } from './probe-rules.ts';
import { oneOf, textProblems } from './rule.ts';
import { specOf } from './workload.ts';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const balancerOnly = "may only be used when `type` is 'LoadBalancer'";

/** Whether traffic from outside of the cluster can reach it. */
export function isExternallyReachable(spec: Fields): boolean {
  const type = textAt(spec, 'type');
  const hasAddress = type === 'ClusterIP' && ((spec.externalIPs ?? []) as unknown[]).length > 0;
  return type === 'LoadBalancer' || type === 'NodePort' || hasAddress;
}

export function needsHealthCheck(spec: Fields): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

function isHeadless(spec: Fields): boolean {
  return ((spec.clusterIPs ?? []) as string[])[0] === 'None';
}

/** The rules of a service, in the order in which the API reports them. */
export function serviceProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  const ports = listAt(spec, 'ports');
  const type = textAt(spec, 'type');
  const names = new Set<string>();
  return [
    ...(ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName'
      ? [required('spec.ports')]
      : []),
    ...typeProblems(spec),
    ...ports.flatMap((port, index) =>
      portProblems(port, `spec.ports[${index}]`, ports.length > 1, names),
    ),
    ...validateLabels(objectAt(spec, 'selector') as Record<string, string>, 'spec.selector'),
    ...oneOf('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']),
    ...affinityProblems(spec),
    ...(type === 'ExternalName' ? [] : clusterAddressProblems(spec)),
    ...((spec.externalIPs ?? []) as string[]).flatMap((address, index) =>
      externalAddressProblems(address, `spec.externalIPs[${index}]`),
    ),
    ...oneOf('spec.type', type, types),
    ...repeatedPortProblems(ports, type),
    ...balancerProblems(spec),
    ...trafficProblems(spec),
  ];
}

function typeProblems(spec: Fields): FieldProblem[] {
  const type = textAt(spec, 'type');
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    const why = `may not be set to 'None' for ${type} services`;
    return [invalid('spec.clusterIPs[0]', 'None', why)];
  }
  if (type !== 'ExternalName') return [];
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  const unfit = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter(
    (field) =>
      spec[field] !== undefined || (field === 'clusterIPs' && textAt(spec, 'clusterIP') !== ''),
  );
  return [
    ...unfit.map((field) => forbidden(`spec.${field}`, 'may not be set for ExternalName services')),
    ...(name === ''
      ? [required('spec.externalName')]
      : textProblems('spec.externalName', name, dnsSubdomainProblems)),
  ];
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
    problems.push(...textProblems(`${field}.name`, name, dnsLabelProblems));
    if (names.has(name)) problems.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
  const number = numberAt(port, 'port') ?? 0;
  for (const problem of portNumberProblems(number))
    problems.push(invalid(`${field}.port`, number, problem));
  problems.push(...oneOf(`${field}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']));
  problems.push(...targetPortProblems(port.targetPort, `${field}.targetPort`));
  if (typeof port.appProtocol === 'string')
    problems.push(...textProblems(`${field}.appProtocol`, port.appProtocol, qualifiedNameProblems));
  return problems;
}

const maxAffinitySeconds = 86_400;

function affinityProblems(spec: Fields): FieldProblem[] {
  if (spec.sessionAffinity !== 'ClientIP') return [];
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  const client = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP');
  const seconds = numberAt(client, 'timeoutSeconds') ?? 0;
  return seconds > 0 && seconds <= maxAffinitySeconds
    ? []
    : [invalid(field, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`)];
}

/** The addresses that a client asked for, before any are given. */
export function clusterAddressProblems(spec: Fields): FieldProblem[] {
  const field = 'spec.clusterIPs';
  const addresses = (spec.clusterIPs ?? []) as string[];
  const first = textAt(spec, 'clusterIP');
  const families = (spec.ipFamilies ?? []) as string[];
  const problems: FieldProblem[] = [];
  if (first === '' && addresses.length > 0)
    problems.push(invalid(field, addresses, 'must be empty when `clusterIP` is not specified'));
  else if (first !== '' && addresses.length === 0) problems.push(required(field));
  else if (first !== '' && addresses[0] !== first)
    problems.push(invalid(field, addresses, 'first value must match `clusterIP`'));
  for (const [index, family] of families.entries()) {
    const at = `spec.ipFamilies[${index}]`;
    if (family !== 'IPv4' && family !== 'IPv6')
      problems.push(notSupported(at, family, ['IPv4', 'IPv6']));
    if (families.indexOf(family) < index) problems.push(duplicate(at, family));
  }
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  if (spec.ipFamilyPolicy !== undefined && !policies.includes(String(spec.ipFamilyPolicy)))
    problems.push(notSupported('spec.ipFamilyPolicy', spec.ipFamilyPolicy, policies));
  const wrong = addresses.flatMap((address, index) => {
    if (index === 0 && address === 'None')
      return addresses.length > 1
        ? [invalid(field, addresses, "'None' must be the first and only value")]
        : [];
    return addressProblems(address, `${field}[${index}]`);
  });
  problems.push(...wrong);
  if (addresses.length > 2)
    problems.push(invalid(field, addresses, 'may only hold up to 2 values'));
  if (wrong.length > 0) return problems;
  if (addresses.length > 1 && new Set(addresses.map(isIP)).size < addresses.length) {
    const why = 'may specify no more than one IP for each IP family';
    problems.push(invalid(field, addresses, why));
  }
  return problems;
}

function externalAddressProblems(address: string, field: string): FieldProblem[] {
  const problems = addressProblems(address, field);
  return problems.length > 0 ? problems : specialAddressProblems(address, field);
}

function repeatedPortProblems(ports: readonly Fields[], type: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (type === 'ClusterIP') {
    for (const [index, port] of ports.entries()) {
      const why = "may not be used when `type` is 'ClusterIP'";
      if ((numberAt(port, 'nodePort') ?? 0) !== 0)
        problems.push(forbidden(`spec.ports[${index}].nodePort`, why));
    }
  }
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const node = numberAt(port, 'nodePort') ?? 0;
    const key = `node ${port.protocol}/${node}`;
    if (node !== 0 && seen.has(key))
      problems.push(duplicate(`spec.ports[${index}].nodePort`, node));
    seen.add(key);
  }
  for (const [index, port] of ports.entries()) {
    const key = `${port.protocol}/${port.port}`;
    if (seen.has(key)) {
      const shown = {
        Name: '',
        Protocol: port.protocol,
        AppProtocol: null,
        Port: port.port,
        TargetPort: 0,
        NodePort: 0,
      };
      problems.push(duplicate(`spec.ports[${index}]`, shown));
    }
    seen.add(key);
  }
  return problems;
}

const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** Whom a load balancer lets in, as it was said before there was a field; the field decides. */
export function rangeAnnotationProblems(object: DynamicObject): FieldProblem[] {
  const value = object.metadata.annotations?.[rangesAnnotation];
  const spec = specOf(object);
  if (value === undefined || textsAt(spec, 'loadBalancerSourceRanges').length > 0) return [];
  const field = `metadata.annotations[${rangesAnnotation}]`;
  const ranges = value.trim() === '' ? [] : value.split(',');
  return [
    ...(spec.type === 'LoadBalancer' ? [] : [forbidden(field, balancerOnly)]),
    ...ranges.flatMap((range) => cidrProblems(range.trim(), field)),
  ];
}

function balancerProblems(spec: Fields): FieldProblem[] {
  const isBalancer = spec.type === 'LoadBalancer';
  const ranges = (spec.loadBalancerSourceRanges ?? []) as string[];
  // The API spells the field this way.
  const field = 'spec.LoadBalancerSourceRanges';
  const name = spec.loadBalancerClass;
  const problems = ranges.length > 0 && !isBalancer ? [forbidden(field, balancerOnly)] : [];
  for (const [index, range] of ranges.entries())
    problems.push(...cidrProblems(range.trim(), `${field}[${index}]`));
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer)
    problems.push(forbidden('spec.allocateLoadBalancerNodePorts', balancerOnly));
  if (typeof name !== 'string') return problems;
  return isBalancer
    ? [...problems, ...textProblems('spec.loadBalancerClass', name, qualifiedNameProblems)]
    : [...problems, forbidden('spec.loadBalancerClass', balancerOnly)];
}

const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

function trafficProblems(spec: Fields): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const external = textAt(spec, 'externalTrafficPolicy');
  const field = 'spec.externalTrafficPolicy';
  if (isExternallyReachable(spec)) problems.push(...oneOf(field, external, ['Cluster', 'Local']));
  else if (external !== '')
    problems.push(invalid(field, external, 'may only be set for externally-accessible services'));
  const port = numberAt(spec, 'healthCheckNodePort') ?? 0;
  if (!needsHealthCheck(spec) && port !== 0) {
    const why =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    problems.push(invalid('spec.healthCheckNodePort', port, why));
  }
  if (needsHealthCheck(spec) && port !== 0)
    for (const problem of portNumberProblems(port))
      problems.push(invalid('spec.healthCheckNodePort', port, problem));
  const internal = spec.internalTrafficPolicy;
  if (internal !== undefined && internal !== 'Cluster' && internal !== 'Local')
    problems.push(notSupported('spec.internalTrafficPolicy', internal, ['Cluster', 'Local']));
  const distribution = spec.trafficDistribution;
  if (distribution !== undefined && !distributions.includes(String(distribution)))
    problems.push(notSupported('spec.trafficDistribution', distribution, distributions));
  return problems;
}

/** What is given to a service stays with it. */
export function serviceChangeProblems(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
): FieldProblem[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const problems: FieldProblem[] = [];
  const isNamed = spec.type === 'ExternalName' || before.type === 'ExternalName';
  if (!isNamed && !(isHeadless(spec) && isHeadless(before))) {
    const addresses = (spec.clusterIPs ?? []) as string[];
    for (const [index, address] of ((before.clusterIPs ?? []) as string[]).entries()) {
      if (address !== addresses[index])
        problems.push(invalid(`spec.clusterIPs[${index}]`, addresses, 'may not change once set'));
    }
  }
  if (spec.type === 'LoadBalancer' && before.type === 'LoadBalancer') {
    if (spec.loadBalancerClass !== before.loadBalancerClass) {
      const value = spec.loadBalancerClass ?? null;
      problems.push(invalid('spec.loadBalancerClass', value, 'may not change once set'));
      if (typeof value === 'string')
        problems.push(...textProblems('spec.loadBalancerClass', value, qualifiedNameProblems));
    }
  }
  const isChecked = needsHealthCheck(spec) && needsHealthCheck(before);
  if (isChecked && spec.healthCheckNodePort !== before.healthCheckNodePort)
    problems.push(forbidden('spec.healthCheckNodePort', 'field is immutable'));
  return problems;
}

/** Where a load balancer is reached: the status of services and ingresses. */
export function balancerStatusProblems(object: DynamicObject): FieldProblem[] {
  const field = 'status.loadBalancer.ingress';
  const ingress = listAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress');
  if (specOf(object).type !== 'LoadBalancer' && ingress.length > 0)
    return [forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  return ingress.flatMap((each, index) => ingressStatusProblems(each, `${field}[${index}]`));
}

export function ingressStatusProblems(ingress: Fields, at: string): FieldProblem[] {
  const address = textAt(ingress, 'ip');
  const host = textAt(ingress, 'hostname');
  const problems = address === '' ? [] : addressProblems(address, `${at}.ip`);
  if (address === '' && ingress.ipMode !== undefined)
    problems.push(forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set'));
  if (host === '') return problems;
  problems.push(...textProblems(`${at}.hostname`, host, dnsSubdomainProblems));
  if (isIP(host) !== 0)
    problems.push(invalid(`${at}.hostname`, host, 'must be a DNS name, not an IP address'));
  return problems;
}

const oldTopologyAnnotation = 'service.kubernetes.io/topology-aware-hints';

export function serviceWarnings(object: DynamicObject): string[] {
  const spec = specOf(object);
  const { trafficDistribution, clusterIP, sessionAffinity, type } = spec;
  return [
    ...(object.metadata.annotations?.[oldTopologyAnnotation] === undefined
      ? []
      : [
          `annotation ${oldTopologyAnnotation} is deprecated, please use service.kubernetes.io/topology-mode instead`,
        ]),
    ...textsAt(spec, 'externalIPs').flatMap((address, index) =>
      addressWarnings(address, `spec.externalIPs[${index}]`),
    ),
    ...textsAt(spec, 'loadBalancerSourceRanges').flatMap((range, index) =>
      cidrWarnings(range.trim(), `spec.loadBalancerSourceRanges[${index}]`),
    ),
    ...(textsAt(spec, 'externalIPs').length === 0
      ? []
      : ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']),
    ...(textAt(spec, 'externalName') !== '' && type !== 'ExternalName'
      ? ['spec.externalName is ignored when spec.type is not "ExternalName"']
      : []),
    ...(clusterIP === 'None' && sessionAffinity === 'ClientIP'
      ? ['spec.SessionAffinity is ignored for headless services']
      : []),
    ...(trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}
