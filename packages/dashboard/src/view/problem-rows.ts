import { createHash } from 'node:crypto';
import type { ProblemRow, Severity } from '../protocol/problems.ts';
import type { Origin, ShownObject } from '../protocol/reference.ts';
import type { GatewayModel } from './gateway-model.ts';
import { everything, type Guarded, type Need, needOf } from './guarded.ts';
import { objectKey } from './object-key.ts';
import { fixOf } from './problem-fix.ts';
import { originParts, serviceHealth, tagsOf } from './route-row.ts';
import { badCondition, type SeenObject } from './seen-object.ts';

/** Something that a controller could not do with an object, as it told it. */
export interface ReportedProblem {
  readonly object: ShownObject;
  readonly field?: string;
  readonly message: string;
  readonly severity?: Severity;
  /** What to do about it, where that is known. */
  readonly fix?: string;
  /** When it was first told, where that is known. */
  readonly since?: number;
}

/** What is wrong with an object, by its own conditions. */
export function objectProblems(
  seen: SeenObject,
  origin: Origin | undefined,
): readonly Guarded<ProblemRow>[] {
  if (seen.isSuspended) return [];
  const { object, conditions } = seen;
  const rows: ProblemRow[] = [];
  const bad = badCondition(seen);
  const add = (type: string, row: Omit<ProblemRow, 'id' | 'object' | 'since'>, at = 0): void => {
    const id = `${seen.key}/${type}`;
    rows.push({ id, object, since: at, ...row, ...(origin === undefined ? {} : { origin }) });
  };
  if (bad !== undefined) {
    const fix = fixOf(bad.reason);
    const row = {
      severity: 'blocked' as const,
      message: bad.message ?? bad.reason ?? `${bad.type} is ${bad.status}`,
      effect: effectOf(seen),
      ...(fix === undefined ? {} : { fix }),
    };
    add('Ready', row, bad.at);
  }
  const drift = conditions.find(({ type, status }) => type === 'Drifted' && status === 'True');
  if (drift !== undefined) {
    const message = drift.message ?? 'objects differ from what was applied';
    const fix = 'Bring the change into the source, or take the annotation waygate.dev/drift away.';
    add('Drifted', { severity: 'warning', message, fix }, drift.at);
  }
  return rows.map((item) => guardedProblem(item));
}

function effectOf({ stage }: SeenObject): string {
  if (stage === 'source') return 'New revisions do not come in; what was applied stays in force.';
  if (stage === 'kustomization') return 'Changes are not applied; what was applied stays in force.';
  return 'The gateway goes on with what it had of it, or without it.';
}

/** What a controller told of objects. */
export function reportedProblem(
  problem: ReportedProblem,
  origin: Origin | undefined,
): Guarded<ProblemRow> {
  const { object, field, message, severity = 'blocked', fix, since = 0 } = problem;
  const digest = createHash('sha256').update(`${field} ${message}`).digest('hex').slice(0, 12);
  return guardedProblem({
    id: `${objectKey(object)}/reported/${digest}`,
    severity,
    object,
    ...(field === undefined ? {} : { field }),
    message,
    effect: 'The gateway goes on with what it had of it, or without it.',
    ...(fix === undefined ? {} : { fix }),
    since,
    ...(origin === undefined ? {} : { origin }),
  });
}

/** Whether the requests of a service can be answered. */
export function serviceProblems(
  model: GatewayModel,
  id: string,
  needs: readonly Need[],
  objectOf: (tags: readonly string[]) => ShownObject | undefined,
): readonly Guarded<ProblemRow>[] {
  const service = model.services.get(id);
  const routes = model.routesOf(id);
  if (service === undefined || routes.size === 0) return [];
  const targets = model.targetsOf(service);
  const { health, reason } = serviceHealth(model, service, targets);
  if (health !== 'degraded' || reason === undefined) return [];
  const isPartial = / of /.test(reason);
  const object = objectOf(tagsOf(service));
  // In the same order for whoever asks, however they came to know of them.
  const names = [...routes]
    .map((route) => model.routes.get(route)?.name ?? route)
    .sort()
    .slice(0, 3);
  const more = routes.size > names.length ? ` and ${routes.size - names.length} more` : '';
  const item: ProblemRow = {
    id: `service/${id}`,
    severity: isPartial ? 'warning' : 'outage',
    ...(object === undefined ? {} : { object }),
    message: `${service.name ?? id}: ${reason}`,
    effect: isPartial
      ? 'The other targets get all requests.'
      : `Requests to ${names.join(', ')}${more} are answered with 503.`,
    fix: isPartial
      ? 'Look at the target that is not healthy.'
      : 'Are there ready Pods behind the Service? Do its selector and port fit them?',
    since: 0,
  };
  return [{ item, needs: [...new Set([...needs, ...(object ? [needOf(object)] : [])])] }];
}

/** The gateway itself cannot be read, or does not take what it is sent. */
export function gatewayProblem(fault: string, message: string, since: number): Guarded<ProblemRow> {
  const item: ProblemRow = {
    id: `gateway/${fault}`,
    severity: 'blocked',
    message,
    effect:
      fault === 'read'
        ? 'What is shown of the gateway is as it was; whether it serves is not known here.'
        : 'Changes do not reach the gateway; it goes on with the configuration that it has.',
    fix: 'Is the Admin API reachable, and what does its log say?',
    since,
  };
  return { item, needs: [everything] };
}

function guardedProblem(item: ProblemRow): Guarded<ProblemRow> {
  const parts = item.origin === undefined ? [] : originParts<ProblemRow>(item.origin);
  return { item, needs: [needOf(item.object)], ...(parts.length === 0 ? {} : { parts }) };
}

const severities: readonly Severity[] = ['outage', 'blocked', 'warning'];

/**
 * Worst first, and of the same weight the oldest first.
 *
 * ```ts
 * const old = { id: 'a', severity: 'warning' as const, message: 'no endpoints', since: 1 };
 * const worse = { id: 'b', severity: 'outage' as const, message: 'the gateway is down', since: 2 };
 * [old, worse].toSorted((left, right) => compareProblems(left, right)).map(({ id }) => id); // ['b', 'a']
 * ```
 */
export function compareProblems(left: ProblemRow, right: ProblemRow): number {
  const bySeverity = severities.indexOf(left.severity) - severities.indexOf(right.severity);
  return bySeverity || left.since - right.since || (left.id < right.id ? -1 : 1);
}
