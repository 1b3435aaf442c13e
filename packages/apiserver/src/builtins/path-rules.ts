import { type FieldProblem, invalid } from '../status/field-problem.ts';

export function backstepProblems(path: string, field: string): FieldProblem[] {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}

/** A path inside of the volume. */
export function descendingPathProblems(path: string, field: string): FieldProblem[] {
  return [
    ...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []),
    ...backstepProblems(path, field),
  ];
}

/** One that no volume has for itself: the names that start with two dots are kubelet's. */
export function unreservedPathProblems(path: string, field: string): FieldProblem[] {
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return [
    ...descendingPathProblems(path, field),
    ...(isReserved ? [invalid(field, path, "must not start with '..'")] : []),
  ];
}
