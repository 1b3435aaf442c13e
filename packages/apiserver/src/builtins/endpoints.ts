import { isIP } from 'node:net';
import type { DynamicObject } from '@waygate/schema';
import { ageColumn } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { dnsLabelProblems, portNumberProblems } from '../validation/names.ts';
import { type Fields, listAt, numberAt, setDefaults, textAt } from './fields.ts';

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
      for (const [at, address] of addresses.entries())
        problems.push(...addressProblems(textAt(address, 'ip'), `${field}.addresses[${at}].ip`));
      for (const [at, address] of notReady.entries())
        problems.push(
          ...addressProblems(textAt(address, 'ip'), `${field}.notReadyAddresses[${at}].ip`),
        );
      const ports = listAt(subset, 'ports');
      for (const [at, port] of ports.entries()) {
        if (ports.length > 1 && textAt(port, 'name') === '')
          problems.push(required(`${field}.ports[${at}].name`));
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
      }
    }
    return problems;
  },
  columns: [
    {
      name: 'Endpoints',
      type: 'string',
      cell(object) {
        const all = listAt(object, 'subsets').flatMap((subset) => {
          const ports = listAt(subset, 'ports');
          const addresses = listAt(subset, 'addresses').map((each) => textAt(each, 'ip'));
          if (ports.length === 0) return addresses;
          return ports.flatMap((port) => addresses.map((address) => `${address}:${port.port}`));
        });
        if (all.length === 0) return '<none>';
        return all.length > 3
          ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...`
          : all.join(',');
      },
    },
    ageColumn,
  ],
};

function addressProblems(address: string, field: string): FieldProblem[] {
  const family = isIP(address);
  if (family === 0) {
    return [
      invalid(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'),
      invalid(field, address, 'must be a valid IP address'),
    ];
  }
  return rangeProblems(address).map((problem) => invalid(field, address, problem));
}

const loopbackProblem = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';

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

function rangeProblems(address: string): string[] {
  const lower = address.toLowerCase();
  if (lower === '0.0.0.0' || lower === '::') return [`may not be unspecified (0.0.0.0 or ::)`];
  if (lower.startsWith('127.') || lower === '::1') return [loopbackProblem];
  if (lower.startsWith('169.254.') || /^fe[89ab]/.test(lower))
    return ['may not be in the link-local range (169.254.0.0/16, fe80::/10)'];
  if (/^224\.0\.0\./.test(lower) || lower.startsWith('ff02:'))
    return ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'];
  return [];
}

/** Lists that are not set are printed as null. */
function fillLists(object: DynamicObject): void {
  object.endpoints ??= null;
  object.ports ??= null;
}

export const endpointSliceStrategy: Partial<Strategy> = {
  hasGeneration: true,
  generationIncludes: 'labels',
  prepareForCreate: fillLists,
  prepareForUpdate: fillLists,
  applyDefaults(object) {
    for (const port of listAt(object, 'ports')) {
      port.name ??= '';
      setDefaults(port, { protocol: 'TCP' });
    }
  },
  validate(object) {
    const type = textAt(object, 'addressType');
    if (type === '') return [required('addressType')];
    if (!['FQDN', 'IPv4', 'IPv6'].includes(type))
      return [notSupported('addressType', type, ['FQDN', 'IPv4', 'IPv6'])];
    return [
      ...slicePortProblems(listAt(object, 'ports')),
      ...endpointProblems(listAt(object, 'endpoints'), type),
    ];
  },
  validateUpdate(object, old) {
    const type = textAt(object, 'addressType');
    if (type !== textAt(old, 'addressType'))
      return [invalid('addressType', type, 'field is immutable')];
    return [
      ...slicePortProblems(listAt(object, 'ports')),
      ...endpointProblems(listAt(object, 'endpoints'), type),
    ];
  },
  columns: [
    { name: 'AddressType', type: 'string', cell: (object) => textAt(object, 'addressType') },
    {
      name: 'Ports',
      type: 'string',
      cell(object) {
        const ports = listAt(object, 'ports').map((port) => String(port.port ?? '*'));
        return ports.length === 0 ? '<unset>' : ports.join(',');
      },
    },
    {
      name: 'Endpoints',
      type: 'string',
      cell(object) {
        const all = listAt(object, 'endpoints').flatMap(
          (each) => (each.addresses ?? []) as string[],
        );
        if (all.length === 0) return '<unset>';
        return all.length > 3
          ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...`
          : all.join(',');
      },
    },
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
  }
  return problems;
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
      if (type === 'FQDN') continue;
      if (isIP(address) !== (type === 'IPv4' ? 4 : 6)) {
        problems.push(invalid(field, address, `must be an ${type} address`));
      }
      problems.push(
        ...rangeProblems(address).map((problem) => invalid(`${field}[${at}]`, address, problem)),
      );
    }
  }
  return problems;
}
