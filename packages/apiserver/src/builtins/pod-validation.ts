import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
  tooLong,
} from '../status/field-problem.ts';
import {
  configKeyProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  portNameProblems,
  portNumberProblems,
  qualifiedNameProblems,
} from '../validation/names.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';

/** The rules of a pod's spec that a manifest runs into. */
export function podSpecProblems(spec: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const volumes = new Set<string>();
  for (const [index, volume] of listAt(spec, 'volumes').entries()) {
    problems.push(...volumeProblems(volume, `${field}.volumes[${index}]`, volumes));
  }
  const containers = listAt(spec, 'containers');
  if (containers.length === 0) problems.push(required(`${field}.containers`));
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    problems.push(...containerProblems(container, `${field}.containers[${index}]`, names, volumes));
  }
  for (const [index, container] of listAt(spec, 'initContainers').entries()) {
    problems.push(
      ...containerProblems(container, `${field}.initContainers[${index}]`, names, volumes),
    );
  }
  problems.push(
    ...oneOf(`${field}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
  );
  problems.push(
    ...oneOf(`${field}.dnsPolicy`, spec.dnsPolicy, [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
  );
  for (const name of ['serviceAccountName', 'nodeName', 'hostname', 'subdomain'] as const) {
    const value = textAt(spec, name);
    if (value === '') continue;
    const rule =
      name === 'hostname' || name === 'subdomain' ? dnsLabelProblems : dnsSubdomainProblems;
    problems.push(...rule(value).map((problem) => invalid(`${field}.${name}`, value, problem)));
  }
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  if (deadline !== undefined && (deadline < 1 || deadline > 2 ** 31 - 1)) {
    problems.push(
      invalid(
        `${field}.activeDeadlineSeconds`,
        deadline,
        'must be between 1 and 2147483647, inclusive',
      ),
    );
  }
  return problems;
}

function oneOf(field: string, value: unknown, supported: readonly string[]): FieldProblem[] {
  if (value === undefined || value === '') return [required(field)];
  return supported.includes(String(value))
    ? []
    : [notSupported(field, value, [...supported].sort())];
}

function volumeProblems(volume: Fields, field: string, seen: Set<string>): FieldProblem[] {
  const name = textAt(volume, 'name');
  const problems: FieldProblem[] = [];
  if (name === '') problems.push(required(`${field}.name`));
  else {
    problems.push(
      ...dnsLabelProblems(name).map((problem) => invalid(`${field}.name`, name, problem)),
    );
    if (seen.has(name)) problems.push(duplicate(`${field}.name`, name));
    seen.add(name);
  }
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  for (const extra of sources.slice(1)) {
    problems.push(forbidden(`${field}.${extra}`, 'may not specify more than 1 volume type'));
  }
  const secret = objectAt(volume, 'secret');
  if (volume.secret !== undefined && textAt(secret, 'secretName') === '') {
    problems.push(required(`${field}.secret.secretName`));
  }
  if (volume.configMap !== undefined && textAt(objectAt(volume, 'configMap'), 'name') === '') {
    problems.push(required(`${field}.configMap.name`));
  }
  if (volume.hostPath !== undefined && textAt(objectAt(volume, 'hostPath'), 'path') === '') {
    problems.push(required(`${field}.hostPath.path`));
  }
  return problems;
}

function containerProblems(
  container: Fields,
  field: string,
  names: Set<string>,
  volumes: ReadonlySet<string>,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const name = textAt(container, 'name');
  if (name === '') problems.push(required(`${field}.name`));
  else {
    problems.push(
      ...dnsLabelProblems(name).map((problem) => invalid(`${field}.name`, name, problem)),
    );
    if (names.has(name)) problems.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
  const image = textAt(container, 'image');
  if (image === '') problems.push(required(`${field}.image`));
  else if (image !== image.trim()) {
    problems.push(invalid(`${field}.image`, image, 'must not have leading or trailing whitespace'));
  }
  problems.push(...portProblems(container, field));
  problems.push(...envProblems(container, field));
  for (const [index, mount] of listAt(container, 'volumeMounts').entries()) {
    const at = `${field}.volumeMounts[${index}]`;
    if (textAt(mount, 'name') === '') problems.push(required(`${at}.name`));
    else if (!volumes.has(textAt(mount, 'name'))) {
      problems.push(notFoundValue(`${at}.name`, textAt(mount, 'name')));
    }
    if (textAt(mount, 'mountPath') === '') problems.push(required(`${at}.mountPath`));
  }
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (container[probe] !== undefined)
      problems.push(...probeProblems(objectAt(container, probe), `${field}.${probe}`));
  }
  problems.push(
    ...oneOf(`${field}.terminationMessagePolicy`, container.terminationMessagePolicy, [
      'File',
      'FallbackToLogsOnError',
    ]),
  );
  problems.push(
    ...oneOf(`${field}.imagePullPolicy`, container.imagePullPolicy, [
      'Always',
      'IfNotPresent',
      'Never',
    ]),
  );
  problems.push(...resourceProblems(objectAt(container, 'resources'), `${field}.resources`));
  return problems;
}

function portProblems(container: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  for (const [index, port] of listAt(container, 'ports').entries()) {
    const at = `${field}.ports[${index}]`;
    const name = textAt(port, 'name');
    if (name !== '') {
      const wrong = portNameProblems(name);
      problems.push(...wrong.map((problem) => invalid(`${at}.name`, name, problem)));
      if (wrong.length === 0 && names.has(name)) problems.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    const number = numberAt(port, 'containerPort') ?? 0;
    if (number === 0) problems.push(required(`${at}.containerPort`));
    else
      problems.push(
        ...portNumberProblems(number).map((problem) =>
          invalid(`${at}.containerPort`, number, problem),
        ),
      );
    const host = numberAt(port, 'hostPort') ?? 0;
    if (host !== 0)
      problems.push(
        ...portNumberProblems(host).map((problem) => invalid(`${at}.hostPort`, host, problem)),
      );
    problems.push(...oneOf(`${at}.protocol`, port.protocol, ['TCP', 'UDP', 'SCTP']));
  }
  return problems;
}

const envName = /^[ -<>-~]+$/;

function envProblems(container: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [index, env] of listAt(container, 'env').entries()) {
    const at = `${field}.env[${index}]`;
    const name = textAt(env, 'name');
    if (name === '') problems.push(required(`${at}.name`));
    else if (!envName.test(name)) {
      problems.push(
        invalid(
          `${at}.name`,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '=' (e.g. 'my_env', or 'MY.env-name', regex used for validation is '^[ -<>-~]+$')",
        ),
      );
    }
    const from = objectAt(env, 'valueFrom');
    if (env.valueFrom === undefined) continue;
    const sources = Object.keys(from);
    if (textAt(env, 'value') !== '' && sources.length > 0) {
      problems.push(
        invalid(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty'),
      );
    }
    if (sources.length === 0) {
      problems.push(
        invalid(
          `${at}.valueFrom`,
          '',
          'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
        ),
      );
    } else if (sources.length > 1) {
      problems.push(
        invalid(`${at}.valueFrom`, '', 'may not have more than one field specified at a time'),
      );
    }
    for (const source of ['configMapKeyRef', 'secretKeyRef']) {
      const reference = objectAt(from, source);
      if (from[source] === undefined) continue;
      const key = textAt(reference, 'key');
      if (key === '') problems.push(required(`${at}.valueFrom.${source}.key`));
      else
        problems.push(
          ...configKeyProblems(key).map((problem) =>
            invalid(`${at}.valueFrom.${source}.key`, key, problem),
          ),
        );
    }
  }
  return problems;
}

function probeProblems(probe: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'].filter(
    (each) => probe[each] !== undefined,
  );
  if (handlers.length === 0) problems.push(required(field, 'must specify a handler type'));
  for (const extra of handlers.slice(1)) {
    problems.push(forbidden(`${field}.${extra}`, 'may not specify more than 1 handler type'));
  }
  const http = objectAt(probe, 'httpGet');
  if (probe.httpGet !== undefined)
    problems.push(...targetPortProblems(http.port, `${field}.httpGet.port`));
  if (probe.tcpSocket !== undefined) {
    problems.push(
      ...targetPortProblems(objectAt(probe, 'tcpSocket').port, `${field}.tcpSocket.port`),
    );
  }
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    const value = numberAt(probe, name) ?? 0;
    if (value < 0)
      problems.push(invalid(`${field}.${name}`, value, 'must be greater than or equal to 0'));
  }
  const success = numberAt(probe, 'successThreshold') ?? 1;
  if (success !== 1 && !field.endsWith('readinessProbe'))
    problems.push(invalid(`${field}.successThreshold`, success, 'must be 1'));
  return problems;
}

export function targetPortProblems(port: unknown, field: string): FieldProblem[] {
  if (typeof port === 'string')
    return portNameProblems(port).map((problem) => invalid(field, port, problem));
  const number = typeof port === 'number' ? port : 0;
  return portNumberProblems(number).map((problem) => invalid(field, number, problem));
}

function resourceProblems(resources: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const kind of ['limits', 'requests']) {
    for (const [name, quantity] of Object.entries(objectAt(resources, kind))) {
      const at = `${field}.${kind}[${name}]`;
      problems.push(
        ...qualifiedNameProblems(name).map((problem) => invalid(`${field}.${kind}`, name, problem)),
      );
      const isStandard =
        ['cpu', 'memory', 'ephemeral-storage'].includes(name) ||
        name.includes('/') ||
        name.startsWith('hugepages-');
      if (!isStandard) {
        problems.push(invalid(at, name, 'must be a standard resource type or fully qualified'));
        problems.push(invalid(at, name, 'must be a standard resource for containers'));
      }
      if (String(quantity).startsWith('-')) {
        problems.push(invalid(at, quantity, 'must be greater than or equal to 0'));
      }
    }
  }
  return problems;
}

/** A text that is too long to be kept, as in annotations of events. */
export function lengthProblems(value: string, field: string, max: number): FieldProblem[] {
  return value.length > max ? [tooLong(field, max)] : [];
}
