import { dns1035LabelProblems, dnsSubdomainProblems, portNumberProblems } from '@waygate/text';
import { formatTime } from '../decode/time-text.ts';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid, required } from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { textProblems } from './rule.ts';
import { allMetadata } from './status-rules.ts';
import { specOf } from './workload.ts';

/** What serves one version of one group: this server itself, or a Service. */
export const apiServiceStrategy: Partial<Strategy> = {
  allowsUnconditionalUpdate: false,
  takesAnyFinalizer: true,
  keptByStatus: allMetadata,
  applyDefaults(object) {
    const service = objectAt(specOf(object), 'service');
    if (Object.keys(service).length > 0) setDefaults(service, { port: 443 });
  },
  prepareForCreate(object, { now }) {
    // What is served here is served from the start.
    object.status = specOf(object).service === undefined ? { conditions: [local(now)] } : {};
  },
  validate: (object) => [
    ...(object.metadata.name ? nameProblems(object.metadata.name, specOf(object)) : []),
    ...specProblems(specOf(object)),
  ],
  columns: [
    column('Service', (object) => {
      const service = specOf(object).service as Fields | undefined;
      return service === undefined
        ? 'Local'
        : `${textAt(service, 'namespace')}/${textAt(service, 'name')}`;
    }),
    column('Available', (object) => {
      const found = listAt(objectAt(object, 'status'), 'conditions').find(
        (each) => each.type === 'Available',
      );
      if (found === undefined) return 'Unknown';
      const status = textAt(found, 'status');
      return status === 'True' ? status : `${status} (${textAt(found, 'reason')})`;
    }),
    ageColumn,
  ],
};

function local(now: number): Fields {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatTime(now),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

function nameProblems(name: string, spec: Fields): FieldProblem[] {
  const wanted = `${textAt(spec, 'version')}.${textAt(spec, 'group')}`;
  if (name === wanted) return [];
  const why = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
  return [invalid('metadata.name', name, why)];
}

function specProblems(spec: Fields): FieldProblem[] {
  const group = textAt(spec, 'group');
  const version = textAt(spec, 'version');
  const noGroup = 'only v1 may have an empty group and it better be legacy kube';
  return [
    ...(group === '' && version !== 'v1' ? [required('spec.group', noGroup)] : []),
    ...(group === '' ? [] : textProblems('spec.group', group, dnsSubdomainProblems)),
    ...textProblems('spec.version', version, dns1035LabelProblems),
    ...priorityProblems(spec, 'groupPriorityMinimum', 20_000),
    ...priorityProblems(spec, 'versionPriority', 1_000),
    ...(spec.service === undefined ? localProblems(spec) : serviceProblems(spec)),
  ];
}

function priorityProblems(spec: Fields, field: string, most: number): FieldProblem[] {
  const value = numberAt(spec, field) ?? 0;
  if (value > 0 && value <= most) return [];
  return [invalid(`spec.${field}`, value, `must be positive and less than ${most}`)];
}

function localProblems(spec: Fields): FieldProblem[] {
  const bundle = Buffer.from(textAt(spec, 'caBundle'), 'base64').length;
  const local = 'local APIServices may not have';
  return [
    ...(bundle === 0 ? [] : [invalid('spec.caBundle', `${bundle} bytes`, `${local} a caBundle`)]),
    ...(spec.insecureSkipTLSVerify === true
      ? [invalid('spec.insecureSkipTLSVerify', true, `${local} insecureSkipTLSVerify`)]
      : []),
  ];
}

function serviceProblems(spec: Fields): FieldProblem[] {
  const service = objectAt(spec, 'service');
  const hasBoth = spec.insecureSkipTLSVerify === true && textAt(spec, 'caBundle') !== '';
  return [
    ...['namespace', 'name'].flatMap((name) =>
      textAt(service, name) === '' ? [required(`spec.service.${name}`)] : [],
    ),
    ...servicePortProblems(service, 'spec.service'),
    ...(hasBoth
      ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ];
}

/** The port of a Service that this server calls. */
export function servicePortProblems(service: Fields, field: string): FieldProblem[] {
  const port = numberAt(service, 'port') ?? 443;
  return portNumberProblems(port).map((problem) =>
    invalid(`${field}.port`, port, `port is not valid: ${problem}`),
  );
}
