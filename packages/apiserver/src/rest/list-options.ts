import type { Selector } from '@waygate/text';
import { isTrue } from '../http/request-info.ts';
import type { Resource } from '../resources/resource.ts';
import { isServedAsStored, readEntry } from '../resources/stored-object.ts';
import { type FieldTerm, fieldMatcher, parseFieldSelector } from '../selectors/field-selector.ts';
import { parseLabelSelector } from '../selectors/label-selector.ts';
import { badRequest, invalidObject } from '../status/api-error.ts';
import { type FieldProblem, forbidden, notSupported } from '../status/field-problem.ts';
import type { Entry } from '../storage/entry.ts';

export interface ListOptions {
  readonly labels: Selector;
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
  if (sendsInitialEvents !== undefined && match !== 'NotOlderThan') {
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

/** Whether an entry is in the selection; undefined when everything is. */
export function entryFilter(
  options: ListOptions,
  resource: Resource,
): ((entry: Entry) => boolean) | undefined {
  const { labels, fields } = options;
  const matchesFields = fieldMatcher(fields, resource);
  if (fields.length === 0) {
    if (labels.empty) return undefined;
    return (entry) => labels.matches(entry.labels);
  }
  // Names are known without a look into the object, and leave few to look into.
  const names = fields.filter((term) => term.field === 'metadata.name');
  const isNamed = (entry: Entry) =>
    names.every((term) => (term.value === entry.name) === term.isEqual);
  // Fields are those of the version of the request.
  const read = (entry: Entry) =>
    isServedAsStored(entry, resource) ? entry.object : readEntry(entry, resource);
  return (entry) => isNamed(entry) && labels.matches(entry.labels) && matchesFields(read(entry));
}
