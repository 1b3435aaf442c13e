import { type FieldProblem, forbidden, invalid, required } from '../status/field-problem.ts';
import { fieldRefProblems, resourceRefProblems } from './environment-rules.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { unreservedPathProblems } from './path-rules.ts';
import { needed } from './rule.ts';

export function modeProblems(parent: Fields, name: string, field: string): FieldProblem[] {
  const mode = numberAt(parent, name);
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  const why = 'must be a number between 0 and 0777 (octal), both inclusive';
  return [invalid(`${field}.${name}`, mode, why)];
}

/** The keys of a ConfigMap or Secret that become files. */
export function itemProblems(parent: Fields, field: string): FieldProblem[] {
  return listAt(parent, 'items').flatMap((item, index) => {
    const at = `${field}.items[${index}]`;
    return [
      ...needed(item, 'key', at),
      ...needed(item, 'path', at),
      ...unreservedPathProblems(textAt(item, 'path'), `${at}.path`),
      ...modeProblems(item, 'mode', at),
    ];
  });
}

/** A file with something of the pod itself. */
export function fileProblems(file: Fields, field: string): FieldProblem[] {
  const problems = [
    ...needed(file, 'path', field),
    ...unreservedPathProblems(textAt(file, 'path'), `${field}.path`),
  ];
  if (file.fieldRef !== undefined) {
    problems.push(...fieldRefProblems(objectAt(file, 'fieldRef'), `${field}.fieldRef`, 'file'));
    if (file.resourceFieldRef !== undefined) {
      const why = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      problems.push(invalid(field, 'resource', why));
    }
  } else if (file.resourceFieldRef !== undefined) {
    const at = `${field}.resourceFieldRef`;
    problems.push(...resourceRefProblems(objectAt(file, 'resourceFieldRef'), at, true));
  } else problems.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  return [...problems, ...modeProblems(file, 'mode', field)];
}

/** Several sources in one volume: each file is there once. */
export function projectedProblems(volume: Fields, field: string): FieldProblem[] {
  const paths = new Set<string>();
  const taken = (path: string, owner: string): FieldProblem[] => {
    const isTwice = path !== '' && paths.has(path);
    paths.add(path);
    return isTwice ? [invalid(field, owner, 'conflicting duplicate paths')] : [];
  };
  return [
    ...modeProblems(volume, 'defaultMode', field),
    ...listAt(volume, 'sources').flatMap((source, index) => [
      ...sourceProblems(source, field, index),
      ...['secret', 'configMap'].flatMap((kind) => {
        const from = objectAt(source, kind);
        return listAt(from, 'items').flatMap((item) =>
          taken(textAt(item, 'path'), textAt(from, 'name')),
        );
      }),
      ...listAt(objectAt(source, 'downwardAPI'), 'items').flatMap((file) =>
        taken(textAt(file, 'path'), textAt(file, 'path')),
      ),
    ]),
  ];
}

function sourceProblems(source: Fields, field: string, index: number): FieldProblem[] {
  const at = `${field}.sources[${index}]`;
  const problems: FieldProblem[] = [];
  for (const kind of ['secret', 'configMap']) {
    if (source[kind] === undefined) continue;
    problems.push(...needed(objectAt(source, kind), 'name', `${at}.${kind}`));
    problems.push(...itemProblems(objectAt(source, kind), `${at}.${kind}`));
  }
  for (const file of listAt(objectAt(source, 'downwardAPI'), 'items'))
    problems.push(...fileProblems(file, `${at}.downwardAPI`));
  if (source.serviceAccountToken !== undefined)
    problems.push(...tokenProblems(objectAt(source, 'serviceAccountToken'), field, at));
  if (Object.keys(source).length > 1)
    problems.push(forbidden(at, 'may not specify more than 1 volume type per source'));
  return problems;
}

function tokenProblems(token: Fields, field: string, at: string): FieldProblem[] {
  const seconds = numberAt(token, 'expirationSeconds') ?? 0;
  const path = textAt(token, 'path');
  const limited = (why: string) =>
    invalid(`${at}.serviceAccountToken.expirationSeconds`, seconds, why);
  return [
    ...(seconds < 600 ? [limited('may not specify a duration less than 10 minutes')] : []),
    ...(seconds > 2 ** 32 ? [limited('may not specify a duration larger than 2^32 seconds')] : []),
    // The API leaves the position out of this path.
    ...(path === '' ? [required(`${field}.path`)] : unreservedPathProblems(path, `${field}.path`)),
  ];
}
