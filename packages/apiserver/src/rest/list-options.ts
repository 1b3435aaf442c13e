import type { DynamicObject } from '@waygate/schema';
import { isTrue } from '../http/request-info.ts';
import type { Resource } from '../resources/resource.ts';
import { type FieldTerm, fieldMatcher, parseFieldSelector } from '../selectors/field-selector.ts';
import { type LabelMatcher, parseLabelSelector } from '../selectors/label-selector.ts';
import { badRequest, invalidObject } from '../status/api-error.ts';
import { type FieldProblem, forbidden, notSupported } from '../status/field-problem.ts';

export interface ListOptions {
  readonly labels: LabelMatcher;
  readonly fields: readonly FieldTerm[];
  readonly limit: number;
  readonly continueToken: string;
  /** As given; empty when not. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly isWatch: boolean;
  readonly allowsBookmarks: boolean;
  readonly sendsInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

export function listOptions(query: URLSearchParams, isWatch: boolean): ListOptions {
  const sendInitialEvents = query.get('sendInitialEvents');
  const options: ListOptions = {
    limit: Math.max(0, integer(query, 'limit') ?? 0),
    timeoutSeconds: integer(query, 'timeoutSeconds'),
    labels: parseLabelSelector(query.get('labelSelector') ?? ''),
    fields: parseFieldSelector(query.get('fieldSelector') ?? ''),
    continueToken: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    isWatch,
    allowsBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendsInitialEvents: sendInitialEvents === null ? undefined : isTrue(sendInitialEvents),
  };
  const problems = isWatch ? watchProblems(options) : listProblems(options);
  if (problems.length > 0) {
    throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', problems);
  }
  return options;
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

function listProblems(options: ListOptions): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { resourceVersionMatch: match, resourceVersion } = options;
  if (match !== '') {
    if (resourceVersion === '') {
      problems.push(
        forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden unless resourceVersion is provided',
        ),
      );
    }
    if (options.continueToken !== '') {
      problems.push(
        forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden when continue is provided',
        ),
      );
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      problems.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      problems.push(
        forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
      );
    }
  }
  if (options.sendsInitialEvents !== undefined) {
    problems.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return problems;
}

function watchProblems(options: ListOptions): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { resourceVersionMatch: match, sendsInitialEvents } = options;
  if (sendsInitialEvents !== undefined && match === '') {
    problems.push(
      forbidden(
        'resourceVersionMatch',
        'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      ),
    );
  }
  if (match !== '') {
    if (sendsInitialEvents === undefined) {
      problems.push(
        forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      );
    }
    if (match !== 'NotOlderThan') {
      problems.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
    }
    if (options.continueToken !== '') {
      problems.push(
        forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden when continue is provided',
        ),
      );
    }
  }
  return problems;
}

/** Whether an object is in the selection; undefined when everything is. */
export function objectFilter(
  options: ListOptions,
  resource: Resource,
): ((object: Readonly<DynamicObject>) => boolean) | undefined {
  const matchesFields = fieldMatcher(options.fields, resource);
  if (options.fields.length === 0) {
    if (options.labels.isEmpty) return undefined;
    return (object) => options.labels.matches(object.metadata.labels);
  }
  return (object) => options.labels.matches(object.metadata.labels) && matchesFields(object);
}
