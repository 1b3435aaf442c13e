import { isIP } from 'node:net';
import type { DynamicObject } from '@waygate/schema';
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  pathSegmentProblems,
  portNameProblems,
  portNumberProblems,
  wildcardSubdomainProblems,
} from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { textProblems } from './rule.ts';
import { ingressStatusProblems } from './service-rules.ts';

const classAnnotation = 'kubernetes.io/ingress.class';
const defaultAnnotation = 'ingressclass.kubernetes.io/is-default-class';

function specOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'spec');
}

export const ingressStrategy: Partial<Strategy> = {
  hasGeneration: true,
  prepareForCreate(object, context) {
    object.status = { loadBalancer: {} };
    const spec = specOf(object);
    if (
      spec.ingressClassName !== undefined ||
      object.metadata.annotations?.[classAnnotation] !== undefined
    )
      return;
    const defaults = context
      .list('networking.k8s.io/ingressclasses')
      .filter((each) => each.metadata.annotations?.[defaultAnnotation] === 'true')
      .sort((a, b) => compareAge(b, a));
    const name = defaults[0]?.metadata.name;
    if (name !== undefined) object.spec = { ...spec, ingressClassName: name };
  },
  validate(object) {
    const problems = specProblems(specOf(object));
    const annotated = object.metadata.annotations?.[classAnnotation];
    const named = specOf(object).ingressClassName;
    if (annotated !== undefined && named !== undefined && annotated !== named) {
      problems.unshift(
        invalid(
          `annotations.${classAnnotation}`,
          annotated,
          'must match `ingressClassName` when both are specified',
        ),
      );
    }
    return problems;
  },
  validateUpdate: (object) => specProblems(specOf(object)),
  warnings: (object, old) =>
    old === undefined && object.metadata.annotations?.[classAnnotation] !== undefined
      ? [
          `annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`,
        ]
      : [],
  validateStatusUpdate: (object) =>
    listAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress').flatMap((each, index) =>
      ingressStatusProblems(each, `status.loadBalancer.ingress[${index}]`),
    ),
  columns: [
    column('Class', (object) => specOf(object).ingressClassName ?? '<none>'),
    column('Hosts', (object) => hostsText(object)),
    column('Address', (object) =>
      listAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress')
        .map((each) => textAt(each, 'ip') || textAt(each, 'hostname'))
        .join(','),
    ),
    column('Ports', (object) => (listAt(specOf(object), 'tls').length > 0 ? '80, 443' : '80')),
    ageColumn,
  ],
};

/** The newest of several defaults wins; names settle a tie. */
function compareAge(a: Readonly<DynamicObject>, b: Readonly<DynamicObject>): number {
  const [left, right] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  return Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion);
}

function hostsText(object: Readonly<DynamicObject>): string {
  const hosts = listAt(specOf(object), 'rules')
    .map((rule) => textAt(rule, 'host'))
    .filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  return hosts.length > 3
    ? `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...`
    : hosts.join(',');
}

function specProblems(spec: Fields): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const rules = listAt(spec, 'rules');
  if (rules.length === 0 && spec.defaultBackend === undefined) {
    return [
      invalid('spec', spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified'),
    ];
  }
  if (spec.defaultBackend !== undefined)
    problems.push(...backendProblems(objectAt(spec, 'defaultBackend'), 'spec.defaultBackend'));
  for (const [index, rule] of rules.entries())
    problems.push(...ruleProblems(rule, `spec.rules[${index}]`));
  for (const [index, tls] of listAt(spec, 'tls').entries()) {
    for (const [at, host] of ((tls.hosts ?? []) as string[]).entries()) {
      problems.push(
        ...hostNameProblems(host).map((problem) =>
          invalid(`spec.tls[${index}].hosts[${at}]`, host, problem),
        ),
      );
    }
    const secret = textAt(tls, 'secretName');
    if (secret !== '')
      problems.push(...textProblems(`spec.tls[${index}].secretName`, secret, dnsSubdomainProblems));
  }
  const name = spec.ingressClassName;
  if (typeof name === 'string')
    problems.push(
      ...dnsSubdomainProblems(name).map((problem) =>
        invalid('spec.ingressClassName', name, problem),
      ),
    );
  return problems;
}

function hostNameProblems(host: string): string[] {
  return host.includes('*') ? wildcardSubdomainProblems(host) : dnsSubdomainProblems(host);
}

function ruleProblems(rule: Fields, field: string): FieldProblem[] {
  const host = textAt(rule, 'host');
  const problems: FieldProblem[] = [];
  if (host !== '') {
    if (isIP(host) !== 0)
      problems.push(invalid(`${field}.host`, host, 'must be a DNS name, not an IP address'));
    else
      problems.push(
        ...hostNameProblems(host).map((problem) => invalid(`${field}.host`, host, problem)),
      );
  }
  if (rule.http === undefined) return problems;
  const paths = listAt(objectAt(rule, 'http'), 'paths');
  if (paths.length === 0) problems.push(required(`${field}.http.paths`));
  for (const [index, path] of paths.entries())
    problems.push(...pathProblems(path, `${field}.http.paths[${index}]`));
  return problems;
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function pathProblems(path: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const type = path.pathType;
  const text = textAt(path, 'path');
  if (type === undefined) return [required(`${field}.pathType`, 'pathType must be specified')];
  if (type === 'Exact' || type === 'Prefix') {
    if (!text.startsWith('/'))
      problems.push(invalid(`${field}.path`, text, 'must be an absolute path'));
    else {
      for (const bad of ['//', '/./', '/../', '%2f', '%2F']) {
        if (text.includes(bad))
          problems.push(invalid(`${field}.path`, text, `must not contain '${bad}'`));
      }
      for (const end of ['/..', '/.']) {
        if (text.endsWith(end))
          problems.push(invalid(`${field}.path`, text, `cannot end with '${end}'`));
      }
    }
  } else if (type === 'ImplementationSpecific') {
    if (text !== '' && !text.startsWith('/'))
      problems.push(invalid(`${field}.path`, text, 'must be an absolute path'));
  } else problems.push(notSupported(`${field}.pathType`, type, pathTypes));
  return [...problems, ...backendProblems(objectAt(path, 'backend'), `${field}.backend`)];
}

function backendProblems(backend: Fields, field: string): FieldProblem[] {
  const service = backend.service;
  const resource = backend.resource;
  if (service !== undefined && resource !== undefined)
    return [invalid(field, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) {
    const group = textAt(resource as Fields, 'apiGroup');
    return [
      ...(group === ''
        ? []
        : textProblems(`${field}.resource.apiGroup`, group, dnsSubdomainProblems)),
      ...referenceProblems(resource as Fields, `${field}.resource`),
    ];
  }
  if (service === undefined) return [invalid(field, '', 'resource or service backend is required')];
  return serviceBackendProblems(service as Fields, field);
}

function serviceBackendProblems(service: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const name = textAt(service, 'name');
  if (name === '') problems.push(required(`${field}.service.name`));
  else
    problems.push(
      ...dnsLabelProblems(name).map((problem) => invalid(`${field}.service.name`, name, problem)),
    );
  const port = objectAt(service, 'port');
  const portName = textAt(port, 'name');
  const number = numberAt(port, 'number') ?? 0;
  if (portName !== '' && number !== 0)
    problems.push(invalid(field, '', 'cannot set both port name & port number'));
  else if (portName !== '')
    problems.push(
      ...portNameProblems(portName).map((problem) =>
        invalid(`${field}.service.port.name`, portName, problem),
      ),
    );
  else if (number !== 0)
    problems.push(
      ...portNumberProblems(number).map((problem) =>
        invalid(`${field}.service.port.number`, number, problem),
      ),
    );
  else problems.push(required(field, 'port name or number is required'));
  return problems;
}

export const ingressClassStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    const parameters = objectAt(specOf(object), 'parameters');
    // An empty text is no scope, and none to be filled in.
    if (Object.keys(parameters).length > 0) parameters.scope ??= 'Cluster';
  },
  validate: classProblems,
  validateUpdate(object, old) {
    const controller = textAt(specOf(object), 'controller');
    return [
      ...(controller === textAt(specOf(old), 'controller')
        ? []
        : [invalid('spec.controller', controller, 'field is immutable')]),
      ...classProblems(object),
    ];
  },
  columns: [
    column('Controller', (object) => textAt(specOf(object), 'controller')),
    column('Parameters', (object) => {
      const { apiGroup, kind, name } = objectAt(specOf(object), 'parameters');
      return kind === undefined
        ? '<none>'
        : `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`;
    }),
    ageColumn,
  ],
};

function classProblems(object: Readonly<DynamicObject>): FieldProblem[] {
  const controller = textAt(specOf(object), 'controller');
  return [
    ...(controller.length > 250 ? [tooLong('spec.controller', 250)] : []),
    ...prefixedPathProblems(controller, 'spec.controller'),
    ...parameterProblems(specOf(object)),
  ];
}

/** `acme.io/foo`: whose it is, and which of them. */
function prefixedPathProblems(text: string, field: string): FieldProblem[] {
  if (text === '') return [required(field)];
  const slash = text.indexOf('/');
  const [host, path] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (slash < 0 || host === '' || path === '')
    return [invalid(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const problems = textProblems(field, host, dnsSubdomainProblems);
  if (httpPath.test(path)) return problems;
  const why = `Invalid path (regex used for validation is '${httpPathText}')`;
  return [...problems, invalid(field, path, why)];
}

const httpPathText = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPath = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

function referenceProblems(reference: Fields, field: string): FieldProblem[] {
  return ['kind', 'name'].flatMap((name) => {
    const value = textAt(reference, name);
    return value === ''
      ? [required(`${field}.${name}`)]
      : textProblems(`${field}.${name}`, value, pathSegmentProblems);
  });
}

function parameterProblems(spec: Fields): FieldProblem[] {
  if (spec.parameters === undefined) return [];
  const field = 'spec.parameters';
  const parameters = objectAt(spec, 'parameters');
  const group = parameters.apiGroup;
  const { scope, namespace } = parameters;
  const problems = [
    ...(typeof group === 'string'
      ? textProblems(`${field}.apiGroup`, group, dnsSubdomainProblems)
      : []),
    ...referenceProblems(parameters, field),
  ];
  if (scope !== 'Cluster' && scope !== 'Namespace')
    return [...problems, notSupported(`${field}.scope`, scope ?? '', ['Cluster', 'Namespace'])];
  if (scope === 'Cluster' && namespace !== undefined)
    problems.push(forbidden(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  if (scope === 'Namespace') {
    if (typeof namespace !== 'string')
      problems.push(required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'"));
    else problems.push(...textProblems(`${field}.namespace`, namespace, dnsLabelProblems));
  }
  return problems;
}
