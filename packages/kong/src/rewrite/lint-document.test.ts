import { describe, expect, it } from 'vitest';
import { lintDocument } from './lint-document.ts';
import { readRuleset } from './ruleset.ts';
import { readStateDocument } from './state-document.ts';

const state = `_format_version: "3.0"
services:
- name: Shop
  protocol: http
  retries: 9
- name: books
  host: books
`;

function lint(rules: string): string[] {
  const ruleset = readRuleset(readStateDocument(`rules:\n${rules}`, 'rules.yaml'), 'rules.yaml');
  return lintDocument(readStateDocument(state, 'kong.yaml'), state, ruleset).map(
    ({ severity, line, column, message }) => `${severity} ${line}:${column} ${message}`,
  );
}

const rule = (then: string, more = ''): string =>
  `  r: {description: Say it, given: "$.services[*]", ${more} then: ${then}}\n`;

describe('lintDocument', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'pattern',
      '{field: name, function: pattern, functionOptions: {match: "^[a-z]+$"}}',
      ['warn 3:9 Say it: "Shop" must match the pattern "^[a-z]+$"'],
    ],
    ['defined', '{field: host, function: defined}', ['warn 3:3 Say it: must be defined']],
    ['undefined', '{field: host, function: undefined}', ['warn 7:9 Say it: must be undefined']],
    [
      'enumeration',
      '{field: protocol, function: enumeration, functionOptions: {values: [https]}}',
      ['warn 4:13 Say it: "http" must be equal to one of the allowed values: "https"'],
    ],
    [
      'length of a number',
      '{field: retries, function: length, functionOptions: {max: 5}}',
      ['warn 5:12 Say it: must be shorter than 5'],
    ],
    [
      'casing of keys',
      '{field: "@key", function: casing, functionOptions: {type: macro}}',
      [
        'warn 3:9 Say it: "name" must be macro case',
        'warn 4:13 Say it: "protocol" must be macro case',
        'warn 5:12 Say it: "retries" must be macro case',
        'warn 6:9 Say it: "name" must be macro case',
        'warn 7:9 Say it: "host" must be macro case',
      ],
    ],
    [
      'xor',
      '{function: xor, functionOptions: {properties: [host, protocol, retries]}}',
      ['warn 3:3 Say it: exactly one of "host", "protocol", "retries" must be defined'],
    ],
    [
      'two at once',
      '[{field: name, function: truthy}, {field: host, function: falsy}]',
      ['warn 7:9 Say it: must be falsy'],
    ],
  ])('%s', (_name, then, expected) => {
    expect(lint(rule(then))).toEqual(expected);
  });

  it("says it in the rule's own words", () => {
    const message = 'message: "{{property}} at {{path}} is {{value}}", severity: error,';
    expect(lint(rule('{field: protocol, function: falsy}', message))).toEqual([
      'error 4:13 protocol at $.services[0].protocol is http',
    ]);
  });

  it('passes over rules that are off', () => {
    expect(lint('  a: off\n  b: false\n')).toEqual([]);
    expect(lint(rule('{function: falsy}', 'severity: off,'))).toEqual([]);
  });

  it.each<[string, string]>([
    ['  r: 1\n', 'rules.yaml: rules.r is not an object'],
    ['  r: {then: {function: truthy}}\n', 'rules.yaml: rules.r.given is not a JSONPath'],
    ['  r: {given: $}\n', 'rules.yaml: rules.r.then says nothing to check'],
    [
      rule('{function: schema}'),
      "rules.r.then[0].function 'schema' is not known here; known are truthy",
    ],
    [rule('{function: constructor}'), "rules.r.then[0].function 'constructor' is not known here"],
    [rule('{function: truthy}', 'severity: bad,'), "rules.r.severity 'bad' is none of"],
    [
      rule('{function: pattern, functionOptions: {match: "("}}'),
      'rules.r.then[0].functionOptions.match: ',
    ],
    ['  r: {given: "$..[", then: {function: truthy}}\n', 'is not a valid JSONpath expression'],
  ])('refuses %j', (rules, message) => {
    expect(() => lint(rules)).toThrow(message);
  });
});
