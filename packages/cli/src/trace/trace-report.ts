import type { RouteEntry } from '@waygate/gateway';
import type { UnservedRoute } from '@waygate/ingress';
import { unservedLine } from '@waygate/ingress';
import { table } from '../cluster-option.ts';
import type { CommitTrace } from './commit-trace.ts';
import { type Mismatch, type PassedRoute, shown } from './explain-routes.ts';
import type { GatewayTrace } from './gateway-trace.ts';
import type { MissingTargets } from './missing-targets.ts';
import type { TracedRequest } from './traced-request.ts';

/** A request's way through the gateway, and the way back to the commits. */
interface Trace {
  readonly request: TracedRequest;
  readonly gateway: GatewayTrace;
  readonly commits: readonly CommitTrace[];
  /** Why there is no target, where that is so. */
  readonly missing?: MissingTargets | undefined;
  /** Routes that would take the request if anybody served them. */
  readonly unserved?: readonly UnservedRoute[];
}

/** How many of the routes that did not get the request are shown. */
const shownRoutes = 5;

/** A trace as data that can be printed. */
export function traceData(trace: Trace, showsAll: boolean) {
  const { request, gateway, commits, missing, unserved = [] } = trace;
  const { match, plugins, consumerPlugins, targets, passed } = gateway;
  return {
    request: request.line,
    ...(match === undefined
      ? {}
      : {
          route: nameOf(match.entry),
          upstreamPath: match.upstreamPath,
          ...(match.entry.service === undefined ? {} : { service: addressOf(match.entry) }),
        }),
    plugins: plugins.map(({ name, scope }) => ({ name, scope })),
    consumerPlugins,
    targets,
    ...(missing === undefined ? {} : { missingTargets: missing }),
    commits,
    passed: (showsAll ? passed : passed.slice(0, shownRoutes)).map(({ entry, mismatches }) => ({
      route: nameOf(entry),
      mismatches,
    })),
    ...(unserved.length === 0
      ? {}
      : {
          unserved: unserved.map(({ object: { kind, metadata }, field, message, fix }) => ({
            object: `${kind} ${metadata.namespace}/${metadata.name}`,
            field,
            message,
            fix,
          })),
        }),
  };
}

/** A trace for people: from the request down to the target, and from the objects back to the commit. */
export function traceText(trace: Trace, showsAll: boolean): string {
  const { request, gateway, commits } = trace;
  const lines = [request.line, ''];
  if (gateway.match === undefined) lines.push('No route takes this request: the answer is 404.');
  else lines.push(table(wayRows(gateway, trace.missing)));
  if (commits.length > 0) lines.push(...commitLines(commits));
  else if (gateway.match !== undefined)
    lines.push('', 'The route has no k8s-* tags: it was not made by an ingress controller.');
  lines.push(...unservedLines(trace.unserved ?? []));
  lines.push(...passedLines(gateway.passed, showsAll));
  return lines.join('\n');
}

function unservedLines(unserved: readonly UnservedRoute[]): string[] {
  if (unserved.length === 0) return [];
  const what =
    unserved.length === 1
      ? 'Would take it, but is not served:'
      : 'Would take it, but are not served:';
  return ['', what, ...unserved.map((route) => `  ${unservedLine(route)}`)];
}

function wayRows(
  { match, plugins, consumerPlugins, targets, isWithoutTargets }: GatewayTrace,
  missing: MissingTargets | undefined,
): string[][] {
  if (match === undefined) return [];
  const { entry, upstreamPath } = match;
  const rows = [['route', `${nameOf(entry)}  ${conditionsOf(entry)}`]];
  for (const { name, scope } of plugins) rows.push(['plugin', `${name}  (${scope})`]);
  if (consumerPlugins > 0) rows.push(['', `and ${consumerPlugins} more for certain consumers`]);
  if (entry.service === undefined) rows.push(['service', 'none, or not enabled']);
  else rows.push(['service', `${addressOf(entry)}${upstreamPath}`]);
  for (const { target, weight, health } of targets)
    rows.push(['target', `${target}  weight ${weight}  ${health}`]);
  if (missing !== undefined) rows.push(['target', missing.message], ['', `→ ${missing.fix}`]);
  else if (isWithoutTargets) rows.push(['target', 'no targets: the answer is 503']);
  return rows;
}

/** The objects, by what brought them: most came with one commit. */
function commitLines(commits: readonly CommitTrace[]): string[] {
  const byOrigin = new Map<string, CommitTrace[]>();
  for (const commit of commits) {
    const origin = originLine(commit);
    byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), commit]);
  }
  return [...byOrigin].flatMap(([origin, those]) => {
    const rows = those.map(({ object, file = '' }) => {
      const place = object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
      return [`  ${object.kind} ${place}`, file];
    });
    return ['', origin, table(rows)];
  });
}

function originLine({ kustomization, source, revision, stopped }: CommitTrace): string {
  const parts: string[] = [];
  if (revision !== undefined)
    parts.push(`${revision.includes('sha1:') ? 'commit' : 'revision'} ${revision}`);
  if (source !== undefined) {
    const from = source.url === undefined ? '' : ` (${source.url})`;
    parts.push(`${source.kind} ${source.namespace}/${source.name}${from}`);
  }
  if (kustomization !== undefined)
    parts.push(`Kustomization ${kustomization.namespace}/${kustomization.name}`);
  if (stopped !== undefined) parts.push(stopped);
  return `from ${parts.join(', ')}`;
}

function passedLines(passed: readonly PassedRoute[], showsAll: boolean): string[] {
  if (passed.length === 0) return [];
  const nearest = showsAll ? passed : passed.slice(0, shownRoutes);
  const lines = ['', 'Other routes:'];
  for (const { entry, mismatches } of nearest)
    lines.push(`  ${nameOf(entry)}: ${reasonOf(mismatches)}`);
  const more = passed.length - nearest.length;
  if (more > 0) lines.push(`  and ${more} more (--all shows them)`);
  return lines;
}

function reasonOf(mismatches: readonly Mismatch[]): string {
  if (mismatches.length === 0) return 'matches too, but comes later';
  const fields = mismatches.map(({ field, wanted }) => `${field} ${wanted}`);
  return `does not match ${fields.join(', ')}`;
}

export function nameOf({ route }: RouteEntry): string {
  return route.name ?? route.id;
}

/** What a route asks of a request, in short. */
export function conditionsOf({ route }: RouteEntry): string {
  const { expression } = route as { readonly expression?: string | null };
  if (typeof expression === 'string' && expression !== '') return expression;
  const parts: string[] = [];
  for (const field of ['hosts', 'paths', 'methods', 'headers', 'snis'] as const) {
    const value = route[field];
    if (value !== undefined && value !== null && Object.keys(value).length > 0)
      parts.push(`${field} ${shown(value)}`);
  }
  return parts.join(', ');
}

export function addressOf({ service }: RouteEntry): string {
  return `${service?.protocol ?? 'http'}://${service?.host ?? ''}:${service?.port ?? 80}`;
}
