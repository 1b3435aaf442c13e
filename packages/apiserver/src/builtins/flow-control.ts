import { dnsLabelProblems, dnsSubdomainProblems } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt, textsAt } from './fields.ts';
import { nonNegative, textProblems } from './rule.ts';
import { allMetadata } from './status-rules.ts';
import { specOf } from './workload.ts';

const none = '<none>';

/** Which requests belong to which level of priority. */
export const flowSchemaStrategy: Partial<Strategy> = {
  hasGeneration: true,
  keptByStatus: allMetadata,
  applyDefaults(object) {
    object.spec ??= {};
    const spec = specOf(object);
    if ((spec.matchingPrecedence ?? 0) === 0) spec.matchingPrecedence = 1000;
  },
  validate: (object) => schemaProblems(specOf(object)),
  columns: [
    column(
      'PriorityLevel',
      (object) => textAt(objectAt(specOf(object), 'priorityLevelConfiguration'), 'name') || none,
    ),
    column('MatchingPrecedence', (object) => numberAt(specOf(object), 'matchingPrecedence') ?? 0),
    column(
      'DistinguisherMethod',
      (object) => textAt(objectAt(specOf(object), 'distinguisherMethod'), 'type') || none,
    ),
    ageColumn,
    column('MissingPL', (object) => {
      const conditions = listAt(objectAt(object, 'status'), 'conditions');
      return (
        textAt(
          conditions.find((each) => each.type === 'Dangling'),
          'status',
        ) || '?'
      );
    }),
  ],
};

const distinguishers = ['ByNamespace', 'ByUser'];
const subjectKinds = ['Group', 'ServiceAccount', 'User'];
const verbs = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
];

function schemaProblems(spec: Fields): FieldProblem[] {
  const precedence = numberAt(spec, 'matchingPrecedence') ?? 0;
  const level = textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name');
  const method = objectAt(spec, 'distinguisherMethod').type;
  const at = 'spec.matchingPrecedence';
  return [
    ...(precedence <= 0 ? [invalid(at, precedence, 'must be a positive value')] : []),
    ...(precedence > 10_000 ? [invalid(at, precedence, 'must not be greater than 10000')] : []),
    ...(spec.distinguisherMethod === undefined || distinguishers.includes(String(method))
      ? []
      : [notSupported('spec.distinguisherMethod', method ?? '', distinguishers)]),
    ...(level === ''
      ? [required('spec.priorityLevelConfiguration.name', 'must reference a priority level')]
      : textProblems('spec.priorityLevelConfiguration.name', level, dnsSubdomainProblems)),
    ...listAt(spec, 'rules').flatMap((rule, index) => ruleProblems(rule, `spec.rules[${index}]`)),
  ];
}

function ruleProblems(rule: Fields, field: string): FieldProblem[] {
  const [subjects, resources, urls] = ['subjects', 'resourceRules', 'nonResourceRules'].map(
    (name) => listAt(rule, name),
  ) as [Fields[], Fields[], Fields[]];
  const neither = 'at least one of resourceRules and nonResourceRules has to be non-empty';
  return [
    ...(subjects.length === 0
      ? [required(`${field}.subjects`, 'subjects must contain at least one value')]
      : subjects.flatMap((each, index) => subjectProblems(each, `${field}.subjects[${index}]`))),
    ...(resources.length === 0 && urls.length === 0 ? [required(field, neither)] : []),
    ...resources.flatMap((each, index) =>
      resourceRuleProblems(each, `${field}.resourceRules[${index}]`),
    ),
    ...urls.flatMap((each, index) => urlRuleProblems(each, `${field}.nonResourceRules[${index}]`)),
  ];
}

function subjectProblems(subject: Fields, field: string): FieldProblem[] {
  const kind = textAt(subject, 'kind');
  if (!subjectKinds.includes(kind)) return [notSupported(`${field}.kind`, kind, subjectKinds)];
  const name = `${kind[0]?.toLowerCase()}${kind.slice(1)}`;
  if (subject[name] === undefined) {
    return [required(`${field}.${name}`, `${name} is required when subject kind is '${kind}'`)];
  }
  const of = objectAt(subject, name);
  const parts = kind === 'ServiceAccount' ? ['namespace', 'name'] : ['name'];
  return parts.flatMap((part) =>
    textAt(of, part) === '' ? [required(`${field}.${name}.${part}`)] : [],
  );
}

function verbProblems(rule: Fields, field: string): FieldProblem[] {
  const asked = textsAt(rule, 'verbs');
  const at = `${field}.verbs`;
  if (asked.length === 0) return [required(at, 'verbs must contain at least one value')];
  if (asked.includes('*')) {
    const why = "if '*' is present, must not specify other verbs";
    return asked.length > 1 ? [invalid(at, asked, why)] : [];
  }
  return asked.every((verb) => verbs.includes(verb)) ? [] : [notSupported(at, asked, verbs)];
}

function resourceRuleProblems(rule: Fields, field: string): FieldProblem[] {
  const alone = (name: string, what: string, why: string) => {
    const values = textsAt(rule, name);
    if (values.length === 0) {
      return [required(`${field}.${name}`, `resource rules must supply at least one ${what}`)];
    }
    return values.length > 1 && values.includes('*')
      ? [invalid(`${field}.${name}`, values, `if '*' is present, must not specify other ${why}`)]
      : [];
  };
  const hasPlace = textsAt(rule, 'namespaces').length > 0 || rule.clusterScope === true;
  const noPlace = 'resource rules that are not cluster scoped must supply at least one namespace';
  return [
    ...verbProblems(rule, field),
    ...alone('apiGroups', 'api group', 'api groups'),
    ...alone('resources', 'resource', 'resources'),
    ...(hasPlace ? [] : [required(`${field}.namespaces`, noPlace)]),
    ...namespaceProblems(textsAt(rule, 'namespaces'), `${field}.namespaces`),
  ];
}

function namespaceProblems(namespaces: readonly string[], field: string): FieldProblem[] {
  if (namespaces.includes('*')) {
    const why = "if '*' is present, must not specify other namespaces";
    return namespaces.length > 1 ? [invalid(field, namespaces, why)] : [];
  }
  const what = "each member of this list must be '*' or a DNS-1123 label";
  return namespaces.flatMap((name, index) =>
    // Not set is null in the file, and nothing to Go.
    dnsLabelProblems(name ?? '').map((why) =>
      invalid(`${field}[${index}]`, name ?? '', `${what}; ${why}`),
    ),
  );
}

function urlRuleProblems(rule: Fields, field: string): FieldProblem[] {
  const urls = textsAt(rule, 'nonResourceURLs');
  const why = 'nonResourceURLs must contain at least one value';
  return [
    ...verbProblems(rule, field),
    ...(urls.length === 0 ? [required(`${field}.nonResourceURLs`, why)] : []),
    ...urlProblems(urls, `${field}.nonResourceURLs`),
  ];
}

function urlProblems(urls: readonly string[], field: string): FieldProblem[] {
  if (urls.includes('*')) {
    const why = "if '*' is present, must not specify other non-resource URLs";
    return urls.length > 1 ? [invalid(field, urls, why)] : [];
  }
  return urls.flatMap((url, index) => {
    const why = urlProblem(url ?? '');
    return why === undefined ? [] : [invalid(`${field}[${index}]`, url ?? '', why)];
  });
}

/** A path, or what is below one. */
function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes('//')) return 'must not contain double slash';
  return url.replace(/\/\*$/, '').includes('*')
    ? 'wildcard can only do suffix matching'
    : undefined;
}

/** How many requests of a level are worked on at a time, and what becomes of the others. */
export const priorityLevelStrategy: Partial<Strategy> = {
  hasGeneration: true,
  keptByStatus: allMetadata,
  applyDefaults(object) {
    const spec = specOf(object);
    const limited = spec.limited === undefined ? undefined : objectAt(spec, 'limited');
    if (limited !== undefined) {
      limited.nominalConcurrencyShares ??= 30;
      limited.lendablePercent ??= 0;
      const response = objectAt(limited, 'limitResponse');
      if (response.queuing !== undefined) {
        const queuing = objectAt(response, 'queuing');
        for (const [name, value] of Object.entries({
          queues: 64,
          handSize: 8,
          queueLengthLimit: 50,
        })) {
          if ((queuing[name] ?? 0) === 0) queuing[name] = value;
        }
      }
    }
    if (spec.exempt !== undefined) {
      const exempt = objectAt(spec, 'exempt');
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
  },
  validate: (object) => levelProblems(specOf(object)),
  columns: [
    column('Type', (object) => textAt(specOf(object), 'type')),
    column('NominalConcurrencyShares', (object) => {
      const spec = specOf(object);
      const shares = objectAt(spec, textAt(spec, 'type').toLowerCase()).nominalConcurrencyShares;
      return shares ?? none;
    }),
    ...(['queues', 'handSize', 'queueLengthLimit'] as const).map((name) =>
      column(`${name[0]?.toUpperCase()}${name.slice(1)}`, (object) => {
        const response = objectAt(objectAt(specOf(object), 'limited'), 'limitResponse');
        return objectAt(response, 'queuing')[name] ?? none;
      }),
    ),
    ageColumn,
  ],
};

function levelProblems(spec: Fields): FieldProblem[] {
  const type = textAt(spec, 'type');
  if (type === 'Exempt') {
    const why = 'must be nil if the type is not Limited';
    return spec.limited === undefined
      ? []
      : [{ type: 'forbidden', field: 'spec.limited', detail: why }];
  }
  if (type !== 'Limited') return [notSupported('spec.type', type, ['Exempt', 'Limited'])];
  if (spec.limited === undefined) {
    return [required('spec.limited', 'must not be empty when type is Limited')];
  }
  const limited = objectAt(spec, 'limited');
  const at = 'spec.limited';
  const lendable = numberAt(limited, 'lendablePercent') ?? 0;
  return [
    ...nonNegativeOrPositive(limited, at),
    ...responseProblems(objectAt(limited, 'limitResponse'), `${at}.limitResponse`),
    ...(lendable < 0 || lendable > 100
      ? [invalid(`${at}.lendablePercent`, lendable, 'must be between 0 and 100, inclusive')]
      : []),
  ];
}

function nonNegativeOrPositive(limited: Fields, field: string): FieldProblem[] {
  const at = `${field}.nominalConcurrencyShares`;
  return nonNegative(at, limited.nominalConcurrencyShares).map(() =>
    invalid(at, limited.nominalConcurrencyShares, 'must be a non-negative integer'),
  );
}

function responseProblems(response: Fields, field: string): FieldProblem[] {
  const type = textAt(response, 'type');
  if (type === 'Reject') {
    const detail = 'must be nil if limited.limitResponse.type is not Limited';
    return response.queuing === undefined
      ? []
      : [{ type: 'forbidden', field: `${field}.queuing`, detail }];
  }
  if (type !== 'Queue') return [notSupported(`${field}.type`, type, ['Queue', 'Reject'])];
  if (response.queuing === undefined) {
    const why = 'must not be empty if limited.limitResponse.type is Limited';
    return [required(`${field}.queuing`, why)];
  }
  return queuingProblems(objectAt(response, 'queuing'), `${field}.queuing`);
}

const mostQueues = 10_000_000;

function queuingProblems(queuing: Fields, field: string): FieldProblem[] {
  const at = (name: string) => numberAt(queuing, name) ?? 0;
  const [queues, hand] = [at('queues'), at('handSize')];
  return [
    ...(at('queueLengthLimit') <= 0
      ? [invalid(`${field}.queueLengthLimit`, at('queueLengthLimit'), 'must be positive')]
      : []),
    ...(queues <= 0 ? [invalid(`${field}.queues`, queues, 'must be positive')] : []),
    ...(queues > mostQueues
      ? [invalid(`${field}.queues`, queues, `must not be greater than ${mostQueues}`)]
      : []),
    ...(hand <= 0 ? [invalid(`${field}.handSize`, hand, 'must be positive')] : []),
    ...(hand > queues
      ? [invalid(`${field}.handSize`, hand, `should not be greater than queues (${queues})`)]
      : []),
  ];
}
