import { isIP } from 'node:net';
import type { DynamicObject } from '@waygate/schema';
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  portNumberProblems,
  qualifiedNameProblems,
} from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import {
  addressProblems,
  isLooseAddress,
  loopbackProblem,
  specialAddressProblems,
  strictAddressProblems,
} from './address-rules.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { textProblems } from './rule.ts';
import { immutable } from './workload.ts';

const deprecation = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

export const endpointsStrategy: Partial<Strategy> = {
  allowsCreateOnUpdate: true,
  deprecation,
  applyDefaults(object) {
    for (const subset of listAt(object, 'subsets')) {
      for (const port of listAt(subset, 'ports')) setDefaults(port, { protocol: 'TCP' });
    }
  },
  validate(object) {
    const problems: FieldProblem[] = [];
    for (const [index, subset] of listAt(object, 'subsets').entries()) {
      const field = `subsets[${index}]`;
      const addresses = listAt(subset, 'addresses');
      const notReady = listAt(subset, 'notReadyAddresses');
      if (addresses.length === 0 && notReady.length === 0) {
        problems.push(required(field, 'must specify `addresses` or `notReadyAddresses`'));
      }
      for (const [list, name] of [
        [addresses, 'addresses'],
        [notReady, 'notReadyAddresses'],
      ] as const) {
        for (const [at, address] of list.entries())
          problems.push(...endpointAddressProblems(address, `${field}.${name}[${at}]`));
      }
      const ports = listAt(subset, 'ports');
      for (const [at, port] of ports.entries()) {
        const name = textAt(port, 'name');
        if (name !== '')
          problems.push(...textProblems(`${field}.ports[${at}].name`, name, dnsLabelProblems));
        else if (ports.length > 1) problems.push(required(`${field}.ports[${at}].name`));
        const number = numberAt(port, 'port') ?? 0;
        problems.push(
          ...portNumberProblems(number).map((problem) =>
            invalid(`${field}.ports[${at}].port`, number, problem),
          ),
        );
        if (!['SCTP', 'TCP', 'UDP'].includes(textAt(port, 'protocol'))) {
          problems.push(
            notSupported(`${field}.ports[${at}].protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']),
          );
        }
        if (typeof port.appProtocol === 'string') {
          const place = `${field}.ports[${at}].appProtocol`;
          problems.push(...textProblems(place, port.appProtocol, qualifiedNameProblems));
        }
      }
    }
    return problems;
  },
  columns: [
    column('Endpoints', (object) => {
      const all = listAt(object, 'subsets').flatMap((subset) => {
        const ports = listAt(subset, 'ports');
        const addresses = listAt(subset, 'addresses').map((each) => textAt(each, 'ip'));
        if (ports.length === 0) return addresses;
        return ports.flatMap((port) => addresses.map((address) => `${address}:${port.port}`));
      });
      return shortened(all, '<none>');
    }),
    ageColumn,
  ],
};

/** As many as a line has room for. */
function shortened(texts: readonly string[], none: string): string {
  if (texts.length === 0) return none;
  return texts.length > 3
    ? `${texts.slice(0, 3).join(',')} + ${texts.length - 3} more...`
    : texts.join(',');
}

function endpointAddressProblems(address: Fields, field: string): FieldProblem[] {
  const ip = textAt(address, 'ip');
  const host = textAt(address, 'hostname');
  const node = address.nodeName;
  return [
    ...addressProblems(ip, `${field}.ip`),
    ...(host === '' ? [] : textProblems(`${field}.hostname`, host, dnsLabelProblems)),
    ...(typeof node === 'string'
      ? textProblems(`${field}.nodeName`, node, dnsSubdomainProblems)
      : []),
    ...(isLooseAddress(ip)
      ? specialAddressProblems(ip, `${field}.ip`)
      : [invalid(`${field}.ip`, ip, 'must be a valid IP address')]),
  ];
}

/**
 * The same kind, with endpoints on this machine let in. Kubernetes refuses them, because a loopback
 * address means another machine on every node; an API that has only one machine need not.
 */
export function withLoopbackAddresses(strategy: Partial<Strategy>): Partial<Strategy> {
  const { validate, validateUpdate } = strategy;
  const withoutLoopback = (problems: readonly FieldProblem[]): FieldProblem[] =>
    problems.filter(({ detail }) => detail !== loopbackProblem);
  return {
    ...strategy,
    ...(validate && { validate: (...args) => withoutLoopback(validate(...args)) }),
    ...(validateUpdate && {
      validateUpdate: (...args) => withoutLoopback(validateUpdate(...args)),
    }),
  };
}

function addressTypeProblems(type: string): FieldProblem[] {
  if (type === '') return [required('addressType')];
  const types = ['FQDN', 'IPv4', 'IPv6'];
  return types.includes(type) ? [] : [notSupported('addressType', type, types)];
}

/** The server's own writers leave out what they do not set. */
function fillLists(object: DynamicObject): void {
  object.endpoints ??= null;
  object.ports ??= null;
}

function sliceProblems(object: Readonly<DynamicObject>): FieldProblem[] {
  const type = textAt(object, 'addressType');
  const wrong = addressTypeProblems(type);
  if (wrong.length > 0) return wrong;
  return [
    ...slicePortProblems(listAt(object, 'ports')),
    ...endpointProblems(listAt(object, 'endpoints'), type),
  ];
}

export const endpointSliceStrategy: Partial<Strategy> = {
  hasGeneration: true,
  generationIncludes: 'labels',
  prepareForCreate: fillLists,
  prepareForUpdate: fillLists,
  applyDefaults(object) {
    for (const port of listAt(object, 'ports')) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  validate: sliceProblems,
  validateUpdate(object, old) {
    const moved = immutable(object, old, ['addressType']);
    if (moved.length === 0) return sliceProblems(object);
    return [...addressTypeProblems(textAt(object, 'addressType')), ...moved];
  },
  columns: [
    column('AddressType', (object) => textAt(object, 'addressType')),
    column('Ports', (object) => {
      const ports = listAt(object, 'ports').map((port) => String(port.port ?? (port.name || '*')));
      return shortened(ports, '<unset>');
    }),
    column('Endpoints', (object) => {
      const all = listAt(object, 'endpoints').flatMap((each) => (each.addresses ?? []) as string[]);
      return shortened(all, '<unset>');
    }),
    ageColumn,
  ],
};

function slicePortProblems(ports: readonly Fields[]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const name = textAt(port, 'name');
    if (name !== '')
      problems.push(
        ...dnsLabelProblems(name).map((problem) => invalid(`ports[${index}].name`, name, problem)),
      );
    if (names.has(name)) problems.push(duplicate(`ports[${index}].name`, name));
    names.add(name);
    if (!['SCTP', 'TCP', 'UDP'].includes(textAt(port, 'protocol'))) {
      problems.push(
        notSupported(`ports[${index}].protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']),
      );
    }
    if (typeof port.appProtocol === 'string') {
      const field = `ports[${index}].appProtocol`;
      problems.push(...textProblems(field, port.appProtocol, qualifiedNameProblems));
    }
  }
  return problems;
}

/** For whom an endpoint is: each zone and each node once. */
function hintProblems(hints: Fields, field: string): FieldProblem[] {
  return ['forZones', 'forNodes'].flatMap((list) => {
    const names = listAt(hints, list).map((each) => textAt(each, 'name'));
    return names.flatMap((name, index) => {
      const at = `${field}.${list}[${index}].name`;
      const wrong =
        list === 'forZones'
          ? textProblems(at, name, labelValueProblems)
          : textProblems(at, name, dnsSubdomainProblems);
      return names.indexOf(name) < index ? [duplicate(at, name), ...wrong] : wrong;
    });
  });
}

function endpointProblems(endpoints: readonly Fields[], type: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [index, endpoint] of endpoints.entries()) {
    const addresses = (endpoint.addresses ?? []) as string[];
    const field = `endpoints[${index}].addresses`;
    if (addresses.length === 0) problems.push(required(field, 'must contain at least 1 address'));
    if (addresses.length > 100)
      problems.push({
        type: 'tooMany',
        field,
        value: addresses.length,
        detail: 'must have at most 100 items',
      });
    for (const [at, address] of addresses.entries()) {
      if (type === 'FQDN') {
        problems.push(...textProblems(`${field}[${at}]`, address, dnsSubdomainProblems));
        continue;
      }
      const wrong = strictAddressProblems(address, `${field}[${at}]`);
      problems.push(...wrong);
      if (wrong.length > 0) continue;
      if (isIP(address) !== (type === 'IPv4' ? 4 : 6))
        problems.push(invalid(field, address, `must be an ${type} address`));
      problems.push(...specialAddressProblems(address, `${field}[${at}]`));
    }
    if (endpoint.nodeName !== undefined)
      problems.push(
        ...textProblems(
          `endpoints[${index}].nodeName`,
          textAt(endpoint, 'nodeName'),
          dnsSubdomainProblems,
        ),
      );
    problems.push(...hintProblems(objectAt(endpoint, 'hints'), `endpoints[${index}].hints`));
    const host = textAt(endpoint, 'hostname');
    if (host !== '')
      problems.push(...textProblems(`endpoints[${index}].hostname`, host, dnsLabelProblems));
  }
  return problems;
}
