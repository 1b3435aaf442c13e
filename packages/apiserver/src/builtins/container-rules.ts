import { dnsLabelProblems, portNameProblems, portNumberProblems } from '@waygate/text';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  notFoundValue,
  required,
} from '../status/field-problem.ts';
import {
  preparingResizeProblems,
  resizePolicyProblems,
  restartProblems,
} from './container-policies.ts';
import { environmentProblems } from './environment-rules.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { deviceProblems, mountProblems } from './mount-rules.ts';
import { containerSecurityProblems } from './pod-security-rules.ts';
import { lifecycleProblems, probeProblems } from './probe-rules.ts';
import { usedClaimProblems } from './resource-claim-rules.ts';
import { resourceProblems } from './resource-rules.ts';
import { oneOf, textProblems } from './rule.ts';

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** The containers that a pod runs. */
export function containerProblems(
  spec: Fields,
  containers: readonly Fields[],
  field: string,
  volumes: ReadonlyMap<string, Fields>,
): FieldProblem[] {
  const names = new Set<string>();
  return containers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const problems = sharedProblems(container, at, volumes, spec);
    const name = textAt(container, 'name');
    if (names.has(name)) problems.push(duplicate(`${at}.name`, name));
    names.add(name);
    return [
      ...problems,
      ...runningProblems(container, at, spec),
      ...restartProblems(container, at),
    ];
  });
}

const notForEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  ...probes,
  'lifecycle',
];

/** Those that somebody adds to look into a pod: nothing may come to rely on them. */
export function ephemeralContainerProblems(
  spec: Fields,
  field: string,
  volumes: ReadonlyMap<string, Fields>,
): FieldProblem[] {
  const others = new Set(
    ['containers', 'initContainers'].flatMap((kind) =>
      listAt(spec, kind).map((each) => textAt(each, 'name')),
    ),
  );
  const names = new Set(others);
  const why = 'cannot be set for an Ephemeral Container';
  return listAt(spec, 'ephemeralContainers').flatMap((container, index) => {
    const at = `${field}.ephemeralContainers[${index}]`;
    const problems = sharedProblems(container, at, volumes, spec);
    const name = textAt(container, 'name');
    if (names.has(name)) problems.push(duplicate(`${at}.name`, name));
    names.add(name);
    problems.push(...paddedImageProblems(container, at));
    const target = textAt(container, 'targetContainerName');
    if (target !== '' && !others.has(target))
      problems.push(notFoundValue(`${at}.targetContainerName`, target));
    for (const part of notForEphemeral) {
      const value = container[part];
      const isEmpty = part !== 'lifecycle' && Object.keys(Object(value)).length === 0;
      if (value !== undefined && !isEmpty) problems.push(forbidden(`${at}.${part}`, why));
    }
    for (const [number, mount] of listAt(container, 'volumeMounts').entries()) {
      for (const part of ['subPath', 'subPathExpr']) {
        if (textAt(mount, part) !== '')
          problems.push(forbidden(`${at}.volumeMounts[${number}].${part}`, why));
      }
    }
    return problems;
  });
}

/** Those that run before them; only one that stays up (a sidecar) has hooks and probes. */
export function initContainerProblems(
  spec: Fields,
  field: string,
  volumes: ReadonlyMap<string, Fields>,
): FieldProblem[] {
  const names = new Set(listAt(spec, 'containers').map((each) => textAt(each, 'name')));
  return listAt(spec, 'initContainers').flatMap((container, index) => {
    const at = `${field}.initContainers[${index}]`;
    const problems = sharedProblems(container, at, volumes, spec);
    const name = textAt(container, 'name');
    if (names.has(name)) problems.push(duplicate(`${at}.name`, name));
    else if (name !== '') names.add(name);
    problems.push(
      ...restartProblems(container, at),
      ...hostPortConflicts([container], `${field}.initContainers`),
    );
    if (container.restartPolicy === 'Always')
      problems.push(...runningProblems(container, at, spec));
    else {
      for (const part of ['lifecycle', ...probes]) {
        if (container[part] === undefined) continue;
        const why = 'may not be set for init containers without restartPolicy=Always';
        problems.push(forbidden(`${at}.${part}`, why));
      }
      problems.push(...preparingResizeProblems(container, at));
    }
    return problems;
  });
}

/** Only of containers that run: a template may still have such images, whose pods are refused. */
export function paddedImageProblems(container: Fields, at: string): FieldProblem[] {
  const image = textAt(container, 'image');
  const why = 'must not have leading or trailing whitespace';
  return image === image.trim() ? [] : [invalid(`${at}.image`, image, why)];
}

function runningProblems(container: Fields, at: string, spec: Fields): FieldProblem[] {
  const graceSeconds = numberAt(spec, 'terminationGracePeriodSeconds') ?? 0;
  return [
    ...(container.lifecycle === undefined
      ? []
      : lifecycleProblems(objectAt(container, 'lifecycle'), `${at}.lifecycle`, graceSeconds)),
    ...probes.flatMap((probe) =>
      container[probe] === undefined ? [] : probeProblems(objectAt(container, probe), at, probe),
    ),
  ];
}

function sharedProblems(
  container: Fields,
  at: string,
  volumes: ReadonlyMap<string, Fields>,
  spec: Fields,
): FieldProblem[] {
  const claims = listAt(spec, 'resourceClaims').map((each) => textAt(each, 'name'));
  const name = textAt(container, 'name');
  const image = textAt(container, 'image');
  return [
    ...(name === ''
      ? [required(`${at}.name`)]
      : textProblems(`${at}.name`, name, dnsLabelProblems)),
    ...(image === '' ? [required(`${at}.image`)] : []),
    ...oneOf(`${at}.terminationMessagePolicy`, container.terminationMessagePolicy, [
      'File',
      'FallbackToLogsOnError',
    ]),
    ...portProblems(container, at),
    ...environmentProblems(container, at),
    ...mountProblems(container, at, volumes),
    ...deviceProblems(container, at, volumes),
    ...oneOf(`${at}.imagePullPolicy`, container.imagePullPolicy, [
      'Always',
      'IfNotPresent',
      'Never',
    ]),
    ...resourceProblems(objectAt(container, 'resources'), `${at}.resources`),
    ...usedClaimProblems(
      objectAt(container, 'resources'),
      `${at}.resources`,
      claims.filter((each) => each !== ''),
    ),
    ...resizePolicyProblems(container, at, spec),
    ...containerSecurityProblems(container, `${at}.securityContext`, spec.hostUsers !== false),
  ];
}

function portProblems(container: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  for (const [index, port] of listAt(container, 'ports').entries()) {
    const at = `${field}.ports[${index}]`;
    const name = textAt(port, 'name');
    if (name !== '') {
      const wrong = textProblems(`${at}.name`, name, portNameProblems);
      problems.push(...wrong);
      if (wrong.length === 0 && names.has(name)) problems.push(duplicate(`${at}.name`, name));
      if (wrong.length === 0) names.add(name);
    }
    const number = numberAt(port, 'containerPort') ?? 0;
    if (number === 0) problems.push(required(`${at}.containerPort`));
    else problems.push(...numberProblems(`${at}.containerPort`, number));
    const host = numberAt(port, 'hostPort') ?? 0;
    if (host !== 0) problems.push(...numberProblems(`${at}.hostPort`, host));
    problems.push(...oneOf(`${at}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']));
  }
  return problems;
}

function numberProblems(field: string, number: number): FieldProblem[] {
  return portNumberProblems(number).map((problem) => invalid(field, number, problem));
}

export function hostPortConflicts(containers: readonly Fields[], field: string): FieldProblem[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    listAt(container, 'ports').flatMap((port, at) => {
      const host = numberAt(port, 'hostPort') ?? 0;
      if (host === 0) return [];
      const key = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${host}`;
      if (taken.has(key)) return [duplicate(`${field}[${index}].ports[${at}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}
