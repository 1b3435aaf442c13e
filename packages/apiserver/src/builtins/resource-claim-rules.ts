import { dnsLabelProblems, dnsSubdomainProblems } from '@waygate/text';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  required,
} from '../status/field-problem.ts';
import { type Fields, listAt, textAt } from './fields.ts';
import { internalForm } from './internal-form.ts';
import { textProblems } from './rule.ts';

const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** The claims of a pod on devices, each by one of two names. */
export function resourceClaimProblems(
  spec: Fields,
  field: string,
  annotations: Fields,
): FieldProblem[] {
  const names = new Set<string>();
  return listAt(spec, 'resourceClaims').flatMap((claim, index) => {
    if (annotations[mirrorAnnotation] !== undefined)
      return [forbidden('[]', 'static pods do not support resource claims')];
    const at = `${field}.resourceClaims[${index}]`;
    const name = textAt(claim, 'name');
    const problems: FieldProblem[] = [];
    if (name === '') problems.push(required(`${at}.name`));
    else if (names.has(name)) problems.push(duplicate(`${at}.name`, name));
    else problems.push(...textProblems(`${at}.name`, name, dnsLabelProblems));
    names.add(name);
    return [...problems, ...claimSourceProblems(claim, at)];
  });
}

const sources = ['resourceClaimName', 'resourceClaimTemplateName'] as const;

function claimSourceProblems(claim: Fields, at: string): FieldProblem[] {
  const present = sources.filter((source) => claim[source] !== undefined);
  const shown = () => internalForm('PodResourceClaim', claim);
  const problems = present.flatMap((source) =>
    textProblems(`${at}.${source}`, textAt(claim, source), dnsSubdomainProblems),
  );
  if (present.length === 1) return problems;
  const why =
    present.length === 0
      ? 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
      : 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
  return [invalid(at, shown(), why), ...problems];
}

/** Which of them a container uses: all of a claim once, or some of its requests once each. */
export function usedClaimProblems(
  resources: Fields,
  field: string,
  claims: readonly string[],
): FieldProblem[] {
  const used = new Set<string>();
  return listAt(resources, 'claims').flatMap((claim, index) => {
    const at = `${field}.claims[${index}]`;
    const name = textAt(claim, 'name');
    if (name === '') return [required(at)];
    const problems = usedTwiceProblems(used, name, textAt(claim, 'request'), at);
    if (claims.includes(name)) return problems;
    const known = claims.length === 0 ? ' which is empty' : `: ${[...claims].sort().join(', ')}`;
    const detail = `must be one of the names in pod.spec.resourceClaims${known}`;
    return [...problems, { type: 'notFound', field: at, value: name, detail }];
  });
}

function usedTwiceProblems(
  used: Set<string>,
  name: string,
  request: string,
  at: string,
): FieldProblem[] {
  if (used.has(name)) return [duplicate(at, name)];
  const key = request === '' ? name : `${name}/${request}`;
  const problems = request === '' ? [] : textProblems(`${at}.request`, request, dnsLabelProblems);
  if (used.has(key)) problems.push(duplicate(at, key));
  else if (request === '')
    for (const other of used) if (other.startsWith(`${name}/`)) problems.push(duplicate(at, name));
  used.add(key);
  return problems;
}
