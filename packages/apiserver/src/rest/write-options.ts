import type { Exchange } from '../http/exchange.ts';
import { isTrue } from '../http/request-info.ts';
import { invalidObject } from '../status/api-error.ts';
import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import type { FieldValidation } from './object-decoder.ts';

/** The options that all writes have in common. */
export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly isForced: boolean;
}

/** Reads and checks the options of a write; `kind` is the API's name for them. */
export function writeOptions(
  exchange: Exchange,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  isApply = false,
): WriteOptions {
  const { query } = exchange;
  const problems: FieldProblem[] = [];
  const force = query.get('force');
  if (kind === 'PatchOptions' && !isApply && force !== null) {
    problems.push({
      type: 'forbidden',
      field: 'force',
      detail: 'may not be specified for non-apply patch',
    });
  }
  const fieldManager = query.get('fieldManager') ?? '';
  if (isApply && fieldManager === '') {
    problems.push(required('fieldManager', 'is required for apply patch'));
  }
  problems.push(...fieldManagerProblems(fieldManager));
  problems.push(...dryRunProblems(query));
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(validation)) {
    problems.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (problems.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', problems);
  return {
    isDryRun: query.has('dryRun') && query.get('dryRun') === 'All',
    fieldManager: exchange.fieldManager(),
    fieldValidation: (validation === '' ? 'Warn' : validation) as FieldValidation,
    isForced: force !== null && isTrue(force),
  };
}

function fieldManagerProblems(manager: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (manager.length > 128) {
    problems.push({
      type: 'tooLong',
      field: 'fieldManager',
      detail: 'may not be more than 128 bytes',
    });
  }
  let at = 0;
  for (const char of manager) {
    if (/[\p{C}\p{Zl}\p{Zp}]/u.test(char) || (/\p{Zs}/u.test(char) && char !== ' ')) {
      const code = char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      const why = `invalid character U+${code} (at position ${at})`;
      problems.push(invalid('fieldManager', manager, why));
    }
    at += Buffer.byteLength(char);
  }
  return problems;
}

export function dryRunProblems(query: URLSearchParams): FieldProblem[] {
  const given = query.getAll('dryRun').filter((each) => each !== '');
  if (given.every((each) => each === 'All')) return [];
  return [notSupported('dryRun', given, ['All'])];
}
