import { httpHeaderProblems, portNameProblems, portNumberProblems } from '@waygate/text';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { nonNegative, textProblems } from './rule.ts';

const counts = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

/** One probe of a container. */
export function probeProblems(probe: Fields, container: string, name: string): FieldProblem[] {
  const field = `${container}.${name}`;
  const problems = handlerProblems(probe, field, ['exec', 'httpGet', 'tcpSocket', 'grpc']);
  for (const count of counts) problems.push(...nonNegative(`${field}.${count}`, probe[count]));
  const grace = numberAt(probe, 'terminationGracePeriodSeconds');
  if (grace !== undefined && grace <= 0) {
    const why = 'must be greater than 0';
    problems.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, why));
  }
  const success = numberAt(probe, 'successThreshold');
  if (name !== 'readinessProbe') {
    if (success !== 1)
      problems.push(invalid(`${field}.successThreshold`, success ?? 0, 'must be 1'));
  } else if (grace !== undefined) {
    const why = 'must not be set for readinessProbes';
    problems.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, why));
  }
  return problems;
}

const hookHandlers = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

function sleepProblems(hook: Fields, field: string, graceSeconds: number): FieldProblem[] {
  if (hookHandlers.find((kind) => hook[kind] !== undefined) !== 'sleep') return [];
  const seconds = numberAt(objectAt(hook, 'sleep'), 'seconds') ?? 0;
  const why = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return seconds >= 0 && seconds <= graceSeconds ? [] : [invalid(`${field}.sleep`, seconds, why)];
}

/** What happens after a container has started and before it stops. */
export function lifecycleProblems(
  lifecycle: Fields,
  field: string,
  graceSeconds: number,
): FieldProblem[] {
  return ['postStart', 'preStop'].flatMap((hook) =>
    lifecycle[hook] === undefined
      ? []
      : [
          ...handlerProblems(objectAt(lifecycle, hook), `${field}.${hook}`, hookHandlers),
          ...sleepProblems(objectAt(lifecycle, hook), `${field}.${hook}`, graceSeconds),
        ],
  );
}

function handlerProblems(parent: Fields, field: string, kinds: readonly string[]): FieldProblem[] {
  const present = kinds.filter((kind) => parent[kind] !== undefined);
  const [first, ...others] = present;
  if (first === undefined) return [required(field, 'must specify a handler type')];
  return [
    ...handlerOf(first, objectAt(parent, first), `${field}.${first}`),
    ...others.map((kind) =>
      forbidden(`${field}.${kind}`, 'may not specify more than 1 handler type'),
    ),
  ];
}

function handlerOf(kind: string, handler: Fields, field: string): FieldProblem[] {
  switch (kind) {
    case 'exec':
      return ((handler.command ?? []) as unknown[]).length === 0
        ? [required(`${field}.command`)]
        : [];
    case 'httpGet':
      return httpProblems(handler, field);
    case 'tcpSocket':
    case 'grpc':
      return targetPortProblems(handler.port, `${field}.port`);
    default:
      return [];
  }
}

function httpProblems(handler: Fields, field: string): FieldProblem[] {
  const scheme = textAt(handler, 'scheme');
  return [
    ...(textAt(handler, 'path') === '' ? [required(`${field}.path`)] : []),
    ...targetPortProblems(handler.port, `${field}.port`),
    ...(['HTTP', 'HTTPS'].includes(scheme)
      ? []
      : [notSupported(`${field}.scheme`, scheme, ['HTTP', 'HTTPS'])]),
    ...listAt(handler, 'httpHeaders').flatMap((header) =>
      textProblems(`${field}.httpHeaders`, textAt(header, 'name'), httpHeaderProblems),
    ),
  ];
}

/** The number or the name of a port. */
export function targetPortProblems(port: unknown, field: string): FieldProblem[] {
  if (typeof port === 'string') return textProblems(field, port, portNameProblems);
  const number = typeof port === 'number' ? port : 0;
  return portNumberProblems(number).map((problem) => invalid(field, number, problem));
}
