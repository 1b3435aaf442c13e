import {
  configKeyProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '@waygate/text';
import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';
import { backstepProblems } from './path-rules.ts';
import { textProblems } from './rule.ts';

const variableName = /^[ -<>-~]+$/;

function variableNameProblems(name: string): string[] {
  if (variableName.test(name)) return [];
  return [
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
  ];
}

/** What a container finds in its environment. */
export function environmentProblems(container: Fields, field: string): FieldProblem[] {
  return [
    ...listAt(container, 'env').flatMap((variable, index) => {
      const at = `${field}.env[${index}]`;
      const name = textAt(variable, 'name');
      return [
        ...(name === ''
          ? [required(`${at}.name`)]
          : textProblems(`${at}.name`, name, variableNameProblems)),
        ...sourceProblems(variable, `${at}.valueFrom`),
      ];
    }),
    ...listAt(container, 'envFrom').flatMap((source, index) =>
      wholeSourceProblems(source, `${field}.envFrom`, index),
    ),
  ];
}

const sources = [
  'fieldRef',
  'resourceFieldRef',
  'configMapKeyRef',
  'secretKeyRef',
  'fileKeyRef',
] as const;

function sourceProblems(variable: Fields, field: string): FieldProblem[] {
  if (variable.valueFrom === undefined) return [];
  const from = objectAt(variable, 'valueFrom');
  const present = sources.filter((source) => from[source] !== undefined);
  const problems: FieldProblem[] = [];
  if (present.includes('fieldRef'))
    problems.push(...fieldRefProblems(objectAt(from, 'fieldRef'), `${field}.fieldRef`));
  if (present.includes('resourceFieldRef')) {
    const at = `${field}.resourceFieldRef`;
    problems.push(...resourceRefProblems(objectAt(from, 'resourceFieldRef'), at, false));
  }
  for (const source of ['configMapKeyRef', 'secretKeyRef'] as const) {
    if (present.includes(source))
      problems.push(...keyRefProblems(objectAt(from, source), `${field}.${source}`));
  }
  if (present.includes('fileKeyRef'))
    problems.push(...fileKeyProblems(objectAt(from, 'fileKeyRef'), `${field}.fileKeyRef`));
  if (present.length === 0) {
    const why =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    problems.push(invalid(field, '', why));
  } else if (textAt(variable, 'value') !== '') {
    problems.push(invalid(field, '', 'may not be specified when `value` is not empty'));
  } else if (present.length > 1) {
    problems.push(invalid(field, '', 'may not have more than one field specified at a time'));
  }
  return problems;
}

function keyRefProblems(reference: Fields, field: string): FieldProblem[] {
  const key = textAt(reference, 'key');
  return [
    ...textProblems(`${field}.name`, textAt(reference, 'name'), dnsSubdomainProblems),
    ...(key === ''
      ? [required(`${field}.key`)]
      : textProblems(`${field}.key`, key, configKeyProblems)),
  ];
}

function fileKeyProblems(reference: Fields, field: string): FieldProblem[] {
  const rules: readonly [string, (text: string, at: string) => FieldProblem[]][] = [
    ['key', (text, at) => textProblems(at, text, variableNameProblems)],
    ['volumeName', (text, at) => textProblems(at, text, dnsLabelProblems)],
    ['path', backstepProblems],
  ];
  return rules.flatMap(([name, rule]) => {
    const text = textAt(reference, name);
    return text === '' ? [required(`${field}.${name}`)] : rule(text, `${field}.${name}`);
  });
}

function wholeSourceProblems(source: Fields, list: string, index: number): FieldProblem[] {
  const at = `${list}[${index}]`;
  const prefix = textAt(source, 'prefix');
  const problems: FieldProblem[] = [];
  if (prefix !== '') problems.push(...textProblems(`${at}.prefix`, prefix, variableNameProblems));
  const present = ['configMapRef', 'secretRef'].filter((each) => source[each] !== undefined);
  for (const each of present) {
    const name = textAt(objectAt(source, each), 'name');
    if (name === '') problems.push(required(`${at}.${each}.name`));
    else problems.push(...textProblems(`${at}.${each}.name`, name, dnsSubdomainProblems));
  }
  if (present.length === 0)
    problems.push(invalid(list, '', 'must specify one of: `configMapRef` or `secretRef`'));
  else if (present.length > 1)
    problems.push(invalid(list, '', 'may not have more than one field specified at a time'));
  return problems;
}

const variableFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const fileFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const convertibleFields = new Set([...variableFields, ...fileFields]);

/** A field of the pod itself, in the environment or in a file. */
export function fieldRefProblems(
  reference: Fields,
  field: string,
  allowed: 'variable' | 'file' = 'variable',
): FieldProblem[] {
  if (textAt(reference, 'apiVersion') === '') return [required(`${field}.apiVersion`)];
  const path = textAt(reference, 'fieldPath');
  if (path === '') return [required(`${field}.fieldPath`)];
  if (textAt(reference, 'apiVersion') !== 'v1') {
    const why = `error converting fieldPath: unsupported pod version: ${textAt(reference, 'apiVersion')}`;
    return [invalid(`${field}.fieldPath`, path, why)];
  }
  const subscript = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/.exec(path);
  if (subscript !== null) {
    const [, base, key = ''] = subscript;
    const name = base === 'metadata.annotations' ? key.toLowerCase() : key;
    return textProblems(field, name, qualifiedNameProblems);
  }
  if (/^[^[]+\['[\s\S]*'\]$/.test(path)) {
    const why = `error converting fieldPath: field label does not support subscript: ${path}`;
    return [invalid(`${field}.fieldPath`, path, why)];
  }
  if (!convertibleFields.has(path)) {
    const why = `error converting fieldPath: field label not supported: ${path}`;
    return [invalid(`${field}.fieldPath`, path, why)];
  }
  const supported = allowed === 'variable' ? variableFields : fileFields;
  return supported.includes(path) ? [] : [notSupported(`${field}.fieldPath`, path, supported)];
}

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** A container's own limits, in the environment or in a file. */
export function resourceRefProblems(
  reference: Fields,
  field: string,
  isFile: boolean,
): FieldProblem[] {
  const resource = textAt(reference, 'resource');
  if (isFile && textAt(reference, 'containerName') === '')
    return [required(`${field}.containerName`)];
  if (resource === '') return [required(`${field}.resource`)];
  const isHuge = /^(?:limits|requests)\.hugepages-/.test(resource);
  if (!resources.includes(resource) && !isHuge)
    return [notSupported(`${field}.resource`, resource, resources)];
  return divisorProblems(resource, reference.divisor, `${field}.divisor`);
}

const sizes = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';

function divisorProblems(resource: string, divisor: unknown, field: string): FieldProblem[] {
  const text = String(divisor ?? '0');
  if (text === '0') return [];
  const isProcessor = resource.endsWith('.cpu');
  const known = isProcessor ? ['1m', '1'] : sizes.split(', ');
  if (known.includes(text)) return [];
  const what = isProcessor
    ? 'cpu'
    : resource.endsWith('.memory')
      ? 'memory'
      : resource.includes('.hugepages-')
        ? 'hugepages'
        : 'local ephemeral storage';
  const list = isProcessor ? '1m and 1' : sizes;
  const why = `only divisor's values ${list} are supported with the ${what} resource`;
  return [invalid(field, resource, why)];
}
