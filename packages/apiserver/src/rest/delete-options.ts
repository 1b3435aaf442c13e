import { isObject } from '@waygate/text';
import { JsonProblem, parseJson } from '../decode/json-text.ts';
import { decodeBody, noObject } from '../decode/request-body.ts';
import type { Exchange } from '../http/exchange.ts';
import { isTrue } from '../http/request-info.ts';
import { badRequest, invalidObject } from '../status/api-error.ts';
import { type FieldProblem, invalid, notSupported } from '../status/field-problem.ts';
import { dryRunProblems } from './write-options.ts';

type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

export interface DeleteOptions {
  readonly isDryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** Nothing asked for: what controllers mean that delete an object. */
export const plainDeletion: DeleteOptions = {
  isDryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  uid: undefined,
  resourceVersion: undefined,
};

/** Reads the options of a deletion from its body or, without one, from the query. */
export async function deleteOptions(exchange: Exchange): Promise<DeleteOptions> {
  const text = await exchange.bodyText();
  const { query } = exchange;
  if (text === '') return checked(fromQuery(query), query);
  const value = decoded(text, exchange.contentType);
  const kind = value.kind;
  if (kind !== undefined && kind !== 'DeleteOptions' && kind !== '') {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(value.apiVersion ?? '')} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const preconditions = isObject(value.preconditions) ? value.preconditions : {};
  const dryRun = Array.isArray(value.dryRun) ? value.dryRun.map(String) : [];
  // Kubernetes looks at the body alone then; that somebody asks for a dry run is heeded here in either place.
  const given = dryRun.length > 0 ? dryRun : query.getAll('dryRun');
  const params = new URLSearchParams(given.map((each): [string, string] => ['dryRun', each]));
  return checked(
    {
      isDryRun: params.getAll('dryRun').includes('All'),
      gracePeriodSeconds: numberOf(value.gracePeriodSeconds ?? query.get('gracePeriodSeconds')),
      propagationPolicy: policyOf(
        value.propagationPolicy ?? query.get('propagationPolicy'),
        value.orphanDependents ?? query.get('orphanDependents'),
      ),
      uid: textOf(preconditions.uid),
      resourceVersion: textOf(preconditions.resourceVersion),
      hasBothPolicies:
        value.propagationPolicy !== undefined && value.orphanDependents !== undefined,
      rawPolicy: textOf(value.propagationPolicy),
    },
    params,
  );
}

function decoded(text: string, contentType: string): Record<string, unknown> {
  if (contentType === 'application/json') {
    try {
      const value = parseJson(text);
      if (!isObject(value)) throw new JsonProblem(noObject(value));
    } catch (error) {
      if (!(error instanceof JsonProblem)) throw error;
      throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    }
  }
  return decodeBody(text, contentType, 'DeleteOptions').value;
}

interface RawOptions extends DeleteOptions {
  readonly hasBothPolicies: boolean;
  readonly rawPolicy: string | undefined;
}

function fromQuery(query: URLSearchParams): RawOptions {
  return {
    isDryRun: query.getAll('dryRun').includes('All'),
    gracePeriodSeconds: secondsOf(query.get('gracePeriodSeconds') ?? ''),
    propagationPolicy: policyOf(query.get('propagationPolicy'), query.get('orphanDependents')),
    uid: undefined,
    resourceVersion: undefined,
    hasBothPolicies: query.has('propagationPolicy') && query.has('orphanDependents'),
    rawPolicy: query.get('propagationPolicy') ?? undefined,
  };
}

function checked(options: RawOptions, dryRun: URLSearchParams): DeleteOptions {
  const problems: FieldProblem[] = [];
  if (options.hasBothPolicies) {
    problems.push(
      invalid(
        'propagationPolicy',
        options.rawPolicy ?? '',
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  }
  const raw = options.rawPolicy;
  if (raw !== undefined && raw !== '' && !['Orphan', 'Background', 'Foreground'].includes(raw)) {
    problems.push(
      notSupported('propagationPolicy', raw, ['Foreground', 'Background', 'Orphan', 'nil']),
    );
  }
  problems.push(...dryRunProblems(dryRun));
  if (problems.length > 0) {
    throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', problems);
  }
  return options;
}

function policyOf(policy: unknown, orphan: unknown): PropagationPolicy | undefined {
  if (policy === 'Orphan' || policy === 'Background' || policy === 'Foreground') return policy;
  if (orphan === true || (typeof orphan === 'string' && isTrue(orphan))) return 'Orphan';
  if (orphan === false || orphan === 'false') return 'Background';
  return undefined;
}

function secondsOf(text: string): number | undefined {
  if (text === '' || /^[+-]?\d+$/.test(text)) return numberOf(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function numberOf(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
