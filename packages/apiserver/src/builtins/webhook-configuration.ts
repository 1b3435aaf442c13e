import type { DynamicObject } from '@waygate/schema';
import { dns1035LabelProblems, dnsSubdomainProblems } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { conditionProblems } from './admission-policy.ts';
import { admissionRuleProblems } from './admission-rule.ts';
import { servicePortProblems } from './api-service.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { oneOf, textProblems } from './rule.ts';
import { selectorProblems } from './selector-rules.ts';

function configurationStrategy(isMutating: boolean): Partial<Strategy> {
  return {
    hasGeneration: true,
    takesAnyFinalizer: true,
    allowsUnconditionalUpdate: false,
    applyDefaults(object) {
      for (const hook of listAt(object, 'webhooks')) {
        setDefaults(hook, {
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          timeoutSeconds: 10,
          namespaceSelector: {},
          objectSelector: {},
        });
        if (isMutating) setDefaults(hook, { reinvocationPolicy: 'Never' });
        for (const rule of listAt(hook, 'rules')) setDefaults(rule, { scope: '*' });
        const service = objectAt(objectAt(hook, 'clientConfig'), 'service');
        if (Object.keys(service).length > 0) setDefaults(service, { port: 443 });
      }
    },
    validate: (object) => configurationProblems(object),
    columns: [
      column('Webhooks', (object) => listAt(object, 'webhooks').length, { type: 'integer' }),
      ageColumn,
    ],
  };
}

export const validatingConfigurationStrategy = configurationStrategy(false);
export const mutatingConfigurationStrategy = configurationStrategy(true);

function configurationProblems(object: DynamicObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  for (const [index, hook] of listAt(object, 'webhooks').entries()) {
    const field = `webhooks[${index}]`;
    const name = textAt(hook, 'name');
    problems.push(...hookProblems(hook, field));
    if (names.has(name)) problems.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
  return problems;
}

function hookProblems(hook: Fields, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const name = textAt(hook, 'name');
  const wrong = dnsSubdomainProblems(name);
  if (name === '') problems.push(required(`${field}.name`));
  else if (wrong.length > 0)
    problems.push(...wrong.map((problem) => invalid(`${field}.name`, name, problem)));
  else if (name.split('.').length < 3)
    problems.push(
      invalid(
        `${field}.name`,
        name,
        'should be a domain with at least three segments separated by dots',
      ),
    );
  for (const [index, rule] of listAt(hook, 'rules').entries())
    problems.push(...admissionRuleProblems(rule, `${field}.rules[${index}]`));
  const policy = textAt(hook, 'failurePolicy');
  if (!['Fail', 'Ignore'].includes(policy))
    problems.push(notSupported(`${field}.failurePolicy`, policy, ['Fail', 'Ignore']));
  const match = textAt(hook, 'matchPolicy');
  if (!['Equivalent', 'Exact'].includes(match))
    problems.push(notSupported(`${field}.matchPolicy`, match, ['Equivalent', 'Exact']));
  const effects = textAt(hook, 'sideEffects');
  if (effects === '')
    problems.push(required(`${field}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  else if (!['None', 'NoneOnDryRun'].includes(effects))
    problems.push(notSupported(`${field}.sideEffects`, effects, ['None', 'NoneOnDryRun']));
  const timeout = numberAt(hook, 'timeoutSeconds') ?? 10;
  if (timeout > 30 || timeout < 1)
    problems.push(
      invalid(
        `${field}.timeoutSeconds`,
        timeout,
        'the timeout value must be between 1 and 30 seconds',
      ),
    );
  for (const name of ['namespaceSelector', 'objectSelector']) {
    if (hook[name] !== undefined)
      problems.push(...selectorProblems(hook[name], `${field}.${name}`));
  }
  if (hook.reinvocationPolicy !== undefined) {
    const at = `${field}.reinvocationPolicy`;
    problems.push(...oneOf(at, hook.reinvocationPolicy, ['IfNeeded', 'Never']));
  }
  problems.push(...webhookClientProblems(objectAt(hook, 'clientConfig'), `${field}.clientConfig`));
  problems.push(...conditionProblems(listAt(hook, 'matchConditions'), `${field}.matchConditions`));
  problems.push(
    ...versionProblems(
      (hook.admissionReviewVersions ?? []) as string[],
      `${field}.admissionReviewVersions`,
    ),
  );
  return problems;
}

function versionProblems(versions: readonly string[], field: string): FieldProblem[] {
  if (versions.length === 0) return [required(field, 'must specify one of v1, v1beta1')];
  const named = versions.flatMap((each, index) =>
    versions.indexOf(each) < index
      ? [invalid(`${field}[${index}]`, each, 'duplicate version')]
      : textProblems(`${field}[${index}]`, each, dns1035LabelProblems),
  );
  if (!versions.some((each) => each === 'v1' || each === 'v1beta1')) {
    return [...named, invalid(field, versions, 'must include at least one of v1, v1beta1')];
  }
  return named;
}

/** How a webhook of any sort is reached. */
export function webhookClientProblems(client: Fields, field: string): FieldProblem[] {
  const url = client.url;
  const service = client.service;
  if ((url === undefined) === (service === undefined)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  if (typeof url === 'string') return urlProblems(url, `${field}.url`);
  const problems: FieldProblem[] = [];
  // The API names the other of the two, and clients show what it says.
  for (const [name, named] of [
    ['name', 'namespace'],
    ['namespace', 'name'],
  ] as const) {
    if (textAt(service as Fields, name) === '')
      problems.push(required(`${field}.service.${named}`));
  }
  return [
    ...problems,
    ...servicePathProblems((service as Fields).path, `${field}.service.path`),
    ...servicePortProblems(service as Fields, `${field}.service`),
  ];
}

/** Steps of names between slashes; the root alone is fine. */
function servicePathProblems(path: unknown, field: string): FieldProblem[] {
  if (typeof path !== 'string' || path === '' || path === '/') return [];
  if (path === '//') return [invalid(field, path, 'segment[0] may not be empty')];
  const unrooted = path.startsWith('/') ? [] : [invalid(field, path, "must start with a '/'")];
  const steps = path.slice(1, path.endsWith('/') ? -1 : undefined).split('/');
  const stepped = steps.flatMap((step, index) =>
    step === ''
      ? [invalid(field, path, `segment[${index}] may not be empty`)]
      : dnsSubdomainProblems(step).map((problem) =>
          invalid(field, path, `segment[${index}]: ${problem}`),
        ),
  );
  return [...unrooted, ...stepped];
}

function urlProblems(text: string, field: string): FieldProblem[] {
  const form = '; desired format: https://host[/path]';
  if (!URL.canParse(text)) {
    // What has no scheme is a path.
    return /^[^:\s%]*$/.test(text)
      ? [
          invalid(field, '', `'https' is the only allowed URL scheme${form}`),
          invalid(field, '', `host must be specified${form}`),
        ]
      : [required(field, `url must be a valid URL${form}`)];
  }
  const url = new URL(text);
  const problems: FieldProblem[] = [];
  if (url.protocol !== 'https:')
    problems.push(
      invalid(field, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`),
    );
  if (url.host === '') problems.push(invalid(field, url.host, `host must be specified${form}`));
  if (url.username !== '')
    problems.push(
      invalid(
        field,
        url.password === '' ? url.username : `${url.username}:${url.password}`,
        'user information is not permitted in the URL',
      ),
    );
  if (url.hash !== '')
    problems.push(invalid(field, url.hash.slice(1), 'fragments are not permitted in the URL'));
  if (url.search !== '')
    problems.push(
      invalid(field, url.search.slice(1), 'query parameters are not permitted in the URL'),
    );
  return problems;
}
