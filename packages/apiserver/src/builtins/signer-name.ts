import { dnsLabelProblems, dnsSubdomainProblems } from '@waygate/text';
import { type FieldProblem, invalid, required, tooLong } from '../status/field-problem.ts';

const maxDomainLength = 253;
const maxLength = 571;

/** The rules for the name of a signer: a domain of two labels or more, and a path of one segment. */
export function signerNameProblems(field: string, name: string): FieldProblem[] {
  if (name === '') return [required(field)];
  const [domain = '', path, ...more] = name.split('/');
  if (path === undefined || more.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(field, name, why)];
  }
  const problems: FieldProblem[] = [];
  if (domain.length > maxDomainLength) problems.push(tooLong(field, maxDomainLength));
  const labels = domain.split('.');
  problems.push(...firstLabelProblems(field, domain, labels, dnsLabelProblems));
  if (labels.length < 2) {
    const why = 'should be a domain with at least two segments separated by dots';
    problems.push(invalid(field, domain, why));
  }
  problems.push(...firstLabelProblems(field, path, path.split('.'), dnsSubdomainProblems));
  if (name.length > maxLength) problems.push(tooLong(field, maxLength));
  return problems;
}

/** What is wrong with the first label that is wrong: the others would say the same. */
function firstLabelProblems(
  field: string,
  part: string,
  labels: readonly string[],
  rule: (label: string) => readonly string[],
): FieldProblem[] {
  for (const label of labels) {
    const found = rule(label);
    if (found.length === 0) continue;
    return found.map((why) =>
      invalid(field, part, `validating label ${JSON.stringify(label)}: ${why}`),
    );
  }
  return [];
}
