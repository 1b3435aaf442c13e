import { expect, test } from 'vitest';
import * as rules from './names.ts';

const names: Readonly<Record<string, unknown>> = { ...rules };

const label = (message: string, examples: string, expression: string) =>
  `${message} (e.g. ${examples}, regex used for validation is '${expression}')`;
const dnsLabel = label(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  "'my-name',  or '123-abc'",
  '[a-z0-9]([-a-z0-9]*[a-z0-9])?',
);
const subdomain = label(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  "'example.com'",
  '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*',
);
const part = label(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  "'MyName',  or 'my.name',  or '123-abc'",
  '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]',
);
const long = (count: number) => 'a'.repeat(count);

// In the API server's words; what is fine has none.
test.each<[keyof typeof rules, string | number, readonly string[]]>([
  ['dnsLabelProblems', 'web-1', []],
  ['dnsLabelProblems', long(63), []],
  ['dnsLabelProblems', long(64), ['must be no more than 63 characters']],
  ['dnsLabelProblems', 'a.b', ['must not contain dots']],
  [
    'dnsLabelProblems',
    `${long(63)}.b`,
    ['must be no more than 63 characters', 'must not contain dots'],
  ],
  ['dnsLabelProblems', 'A.b', [dnsLabel]],
  ['dnsLabelProblems', '-a', [dnsLabel]],
  ['dnsLabelProblems', '', [dnsLabel]],
  ['dnsSubdomainProblems', 'a.b-c.1', []],
  ['dnsSubdomainProblems', long(253), []],
  ['dnsSubdomainProblems', `${long(254)}_`, ['must be no more than 253 characters', subdomain]],
  ['dnsSubdomainProblems', 'a..b', [subdomain]],
  ['pathSegmentProblems', 'system:admin', []],
  ['pathSegmentProblems', '.', ["may not be '.'"]],
  ['pathSegmentProblems', '..', ["may not be '..'"]],
  ['pathSegmentProblems', '...', []],
  ['pathSegmentProblems', 'a/b', ["may not contain '/'"]],
  ['pathSegmentProblems', 'a%/b', ["may not contain '/'", "may not contain '%'"]],
  ['qualifiedNameProblems', 'team', []],
  ['qualifiedNameProblems', 'example.com/Team_1', []],
  ['qualifiedNameProblems', `example.com/${long(63)}`, []],
  ['qualifiedNameProblems', `${long(253)}/a`, []],
  ['qualifiedNameProblems', long(64), ['name part must be no more than 63 bytes']],
  ['qualifiedNameProblems', `${long(254)}/a`, ['prefix part must be no more than 253 bytes']],
  ['qualifiedNameProblems', '/a', ['prefix part must be non-empty']],
  ['qualifiedNameProblems', 'a/', ['name part must be non-empty', `name part ${part}`]],
  ['qualifiedNameProblems', '', ['name part must be non-empty', `name part ${part}`]],
  ['qualifiedNameProblems', 'A/a', [`prefix part ${subdomain}`]],
  [
    'qualifiedNameProblems',
    'é'.repeat(40),
    ['name part must be no more than 63 bytes', `name part ${part}`],
  ],
  [
    'qualifiedNameProblems',
    'a/b/c',
    [
      `a valid label key ${part} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
  ],
  ['labelValueProblems', '', []],
  ['labelValueProblems', 'My_value.1', []],
  ['labelValueProblems', long(63), []],
  ['labelValueProblems', long(64), ['must be no more than 63 bytes']],
  ['configKeyProblems', 'app.yaml', []],
  ['configKeyProblems', '.a', []],
  ['configKeyProblems', long(254), ['must be no more than 253 characters']],
  ['configKeyProblems', '.', ["must not be '.'"]],
  ['configKeyProblems', '..', ["must not be '..'"]],
  ['configKeyProblems', '..a', ["must not start with '..'"]],
  ['portNameProblems', 'http', []],
  ['portNameProblems', 'a-1', []],
  ['portNameProblems', long(15), []],
  ['portNameProblems', long(16), ['must be no more than 15 characters']],
  ['portNameProblems', '80', ['must contain at least one letter (a-z)']],
  ['portNameProblems', 'a--b', ['must not contain consecutive hyphens']],
  ['portNameProblems', '-a', ['must not begin or end with a hyphen']],
  ['portNameProblems', 'a-', ['must not begin or end with a hyphen']],
  [
    'portNameProblems',
    'a_b',
    ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
  ],
  ['portNumberProblems', 1, []],
  ['portNumberProblems', 65535, []],
  ['portNumberProblems', 0, ['must be between 1 and 65535, inclusive']],
  ['portNumberProblems', 65536, ['must be between 1 and 65535, inclusive']],
  ['dns1035LabelProblems', 'a1-b', []],
  ['dns1035LabelProblems', long(64), ['must be no more than 63 characters']],
  ['wildcardSubdomainProblems', '*.a.b', []],
  ['httpHeaderProblems', 'X-Name-1', []],
])('%s of %j', (rule, text, expected) => {
  expect((names[rule] as (text: string | number) => string[])(text)).toEqual(expected);
});

test.each<[keyof typeof rules, string]>([
  ['dns1035LabelProblems', '1a'],
  ['dns1035LabelProblems', 'a-'],
  ['wildcardSubdomainProblems', 'a.b'],
  ['wildcardSubdomainProblems', '*.*.b'],
  ['httpHeaderProblems', 'a b'],
  ['httpHeaderProblems', ''],
  ['labelValueProblems', '-a'],
  ['configKeyProblems', 'a b'],
  ['configKeyProblems', ''],
])('%s refuses %j by its form', (rule, text) => {
  const [problem, ...more] = (names[rule] as (text: string) => string[])(text);
  expect(problem).toMatch(/regex used for validation is '/);
  expect(more).toEqual([]);
});
