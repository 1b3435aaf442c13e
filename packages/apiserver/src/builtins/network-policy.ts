import { BlockList, isIP } from 'node:net';
import { portNameProblems, portNumberProblems } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { selectorText } from '../selectors/selector-text.ts';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { cidrProblems, cidrWarnings, type Network, networkOf } from './address-rules.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt, textsAt } from './fields.ts';
import { textProblems } from './rule.ts';
import { selectorProblems } from './selector-rules.ts';
import { specOf } from './workload.ts';

const directions = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

export const networkPolicyStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    const spec = specOf(object);
    for (const [direction] of directions) {
      for (const rule of listAt(spec, direction)) {
        for (const port of listAt(rule, 'ports')) setDefaults(port, { protocol: 'TCP' });
      }
    }
    if (((spec.policyTypes ?? []) as unknown[]).length === 0) {
      spec.policyTypes = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    }
  },
  validate: (object) => specProblems(specOf(object)),
  warnings: (object) => rangeWarnings(specOf(object)),
  columns: [
    column('Pod-Selector', (object) => selectorText(specOf(object).podSelector) || '<none>'),
    ageColumn,
  ],
};

function specProblems(spec: Fields): FieldProblem[] {
  const types = (spec.policyTypes ?? []) as string[];
  const problems = [
    ...selectorProblems(spec.podSelector, 'spec.podSelector'),
    ...directions.flatMap(([direction, peers]) =>
      listAt(spec, direction).flatMap((rule, index) => {
        const at = `spec.${direction}[${index}]`;
        return [
          ...listAt(rule, 'ports').flatMap((port, i) => portProblems(port, `${at}.ports[${i}]`)),
          ...listAt(rule, peers).flatMap((peer, i) => peerProblems(peer, `${at}.${peers}[${i}]`)),
        ];
      }),
    ),
  ];
  if (types.length > 2)
    return [
      ...problems,
      invalid('spec.policyTypes', types, 'may not specify more than two policyTypes'),
    ];
  return [
    ...problems,
    ...types.flatMap((type, index) =>
      type === 'Ingress' || type === 'Egress'
        ? []
        : [notSupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress'])],
    ),
  ];
}

const protocols = ['TCP', 'UDP', 'SCTP'];

function portProblems(port: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (port.protocol !== undefined && !protocols.includes(String(port.protocol)))
    problems.push(notSupported(`${field}.protocol`, port.protocol, protocols));
  const end = numberAt(port, 'endPort');
  if (typeof port.port === 'number') {
    const start = port.port;
    for (const problem of portNumberProblems(start))
      problems.push(invalid(`${field}.port`, start, problem));
    if (end === undefined) return problems;
    if (end < start)
      problems.push(invalid(`${field}.endPort`, start, 'must be greater than or equal to `port`'));
    for (const problem of portNumberProblems(end))
      problems.push(invalid(`${field}.endPort`, end, problem));
    return problems;
  }
  if (end !== undefined) {
    const state = port.port === undefined ? 'is not specified' : 'is non-numeric';
    problems.push(invalid(`${field}.endPort`, end, `may not be specified when \`port\` ${state}`));
  }
  if (typeof port.port === 'string')
    problems.push(...textProblems(`${field}.port`, port.port, portNameProblems));
  return problems;
}

function peerProblems(peer: Fields, field: string): FieldProblem[] {
  const count = Object.keys(peer).length;
  return [
    ...selectorProblems(peer.podSelector, `${field}.podSelector`),
    ...selectorProblems(peer.namespaceSelector, `${field}.namespaceSelector`),
    ...(peer.ipBlock === undefined
      ? []
      : blockProblems(objectAt(peer, 'ipBlock'), `${field}.ipBlock`)),
    ...(count === 0 ? [required(field, 'must specify a peer')] : []),
    ...(count > 1 && peer.ipBlock !== undefined
      ? [forbidden(field, 'may not specify both ipBlock and another peer')]
      : []),
  ];
}

function blockProblems(block: Fields, field: string): FieldProblem[] {
  const text = textAt(block, 'cidr');
  if (text === '') return [required(`${field}.cidr`)];
  const whole = networkOf(text);
  const wrong = cidrProblems(text, `${field}.cidr`);
  if (whole === undefined) return wrong;
  const exceptions = ((block.except ?? []) as string[]).flatMap((except, index) => {
    const at = `${field}.except[${index}]`;
    const part = networkOf(except);
    return part === undefined || isStrictPart(part, whole)
      ? cidrProblems(except, at)
      : [...cidrProblems(except, at), invalid(at, except, 'must be a strict subset of `cidr`')];
  });
  return [...wrong, ...exceptions];
}

function rangeWarnings(spec: Fields): string[] {
  return directions.flatMap(([direction, peers]) =>
    listAt(spec, direction).flatMap((rule, index) =>
      listAt(rule, peers).flatMap((peer, place) => {
        const block = objectAt(peer, 'ipBlock');
        const at = `spec.${direction}[${index}].${peers}[${place}].ipBlock`;
        return [
          ...(peer.ipBlock === undefined ? [] : cidrWarnings(textAt(block, 'cidr'), `${at}.cidr`)),
          ...textsAt(block, 'except').flatMap((except, i) =>
            cidrWarnings(except, `${at}.except[${i}]`),
          ),
        ];
      }),
    ),
  );
}

function isStrictPart(part: Network, whole: Network): boolean {
  const family = isIP(whole.address) === 4 ? 'ipv4' : 'ipv6';
  if (isIP(part.address) !== isIP(whole.address) || part.bits <= whole.bits) return false;
  const range = new BlockList();
  range.addSubnet(whole.address, whole.bits, family);
  return range.check(part.address, family);
}
