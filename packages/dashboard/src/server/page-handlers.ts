import { isObject } from '@waygate/text';
import { patiently } from '../access/api-patience.ts';
import { DashboardError } from '../dashboard-error.ts';
import { readJsonBody, textField } from '../http/request-body.ts';
import type { CommitPage } from '../protocol/changes.ts';
import type { TraceQuestion } from '../protocol/pages.ts';
import type { ShownObject } from '../protocol/reference.ts';
import { curlQuestion } from '../view/curl-line.ts';
import { needOf } from '../view/guarded.ts';
import { shownTrace } from '../view/shown-trace.ts';
import type { ApiCall, ApiHandler } from './api-call.ts';
import type { DashboardCore } from './dashboard-core.ts';
import type { MigrationEngine, PreviewEngine, TraceEngine } from './engines.ts';
import { actOn, objectPage } from './object-pages.ts';

export interface PageHandlersOptions {
  readonly core: DashboardCore;
  readonly trace?: TraceEngine | undefined;
  readonly preview?: PreviewEngine | undefined;
  readonly migration?: MigrationEngine | undefined;
}

/** Somebody waits for an object's page; some of what it asks is asked after the rest. */
const patienceMs = 10_000;

/** Those who answer for one thing at a time: an object, a change, a commit, a trace, a preview. */
export function pageHandlers(options: PageHandlersOptions): ReadonlyMap<string, ApiHandler> {
  const { core, trace, preview, migration } = options;
  return new Map<string, ApiHandler>([
    [
      'GET /api/objects/*/*/*/*/*',
      ({ parts, session, signal }) =>
        patiently(
          core.clock,
          patienceMs,
          (within) => objectPage(core, session.person, objectOfParts(parts), within),
          signal,
        ),
    ],
    ['GET /api/changes/*', (call) => changePage(core, call)],
    ['GET /api/commits/*', (call) => commitPage(core, call)],
    ['POST /api/actions', (call) => action(core, call)],
    ['POST /api/trace', (call) => traced(core, trace, call)],
    ['GET /api/refs', (call) => references(core, preview, call)],
    ['POST /api/preview', (call) => previewed(core, preview, call)],
    ['GET /api/migration', (call) => surveyed(core, migration, call)],
  ]);
}

async function changePage(core: DashboardCore, { parts, session }: ApiCall): Promise<unknown> {
  const rights = await core.rights.of(session.person);
  return core.journal.detail(parts[0] ?? '', rights) ?? missing('change');
}

async function commitPage(core: DashboardCore, { parts, session }: ApiCall): Promise<CommitPage> {
  const [commit = ''] = parts;
  const rights = await core.rights.of(session.person);
  const changes = core.journal.ofCommit(commit, rights);
  const [first] = changes;
  if (first === undefined) return missing('commit');
  const fetched = changes.find(({ change }) => change.kind === 'fetch');
  const author = fetched?.change.author;
  return {
    commit,
    ...(author === undefined ? {} : { author }),
    ...(fetched?.message === undefined ? {} : { message: fetched.message }),
    at: first.change.at,
    changes,
  };
}

async function action(core: DashboardCore, { request, session, signal }: ApiCall): Promise<object> {
  const body = await readJsonBody(request);
  const object = shownObject(body.object);
  await actOn(session.person, textField(body, 'action'), object, core.clock.now(), signal);
  return {};
}

async function traced(
  core: DashboardCore,
  engine: TraceEngine | undefined,
  { request, session, signal }: ApiCall,
): Promise<unknown> {
  if (engine === undefined) throw absent('no gateway is looked at here');
  const body = await readJsonBody(request);
  const headers = isObject(body.headers) ? body.headers : {};
  const question: TraceQuestion = curlQuestion({
    url: textField(body, 'url'),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ),
    ...(typeof body.method === 'string' && body.method !== '' ? { method: body.method } : {}),
  });
  const rights = await core.rights.of(session.person);
  const answer = await engine.trace(question, session.person, signal);
  return shownTrace(answer, (id) => core.hub.feed('routes').get(id), rights);
}

async function references(
  core: DashboardCore,
  engine: PreviewEngine | undefined,
  { url, session, signal }: ApiCall,
): Promise<unknown> {
  if (engine === undefined) throw absent('there are no previews here');
  const source = await sourceFor(core, url.searchParams.get('source') ?? '', session.person);
  return engine.references(source, session.person, signal);
}

async function previewed(
  core: DashboardCore,
  engine: PreviewEngine | undefined,
  { request, session, signal }: ApiCall,
): Promise<unknown> {
  if (engine === undefined) throw absent('there are no previews here');
  const body = await readJsonBody(request);
  const source = await sourceFor(core, textField(body, 'source'), session.person);
  const { person } = session;
  const namespaces = core.namespacesFor(await core.rights.of(person)) ?? [];
  return engine.preview(source, textField(body, 'ref'), person, namespaces, signal);
}

async function surveyed(
  core: DashboardCore,
  engine: MigrationEngine | undefined,
  { session, signal }: ApiCall,
): Promise<unknown> {
  if (engine === undefined) throw absent('nothing is migrated here');
  const rights = await core.rights.of(session.person);
  return engine.survey(session.person, core.namespacesFor(rights) ?? [], signal);
}

/** `NAMESPACE/NAME` of a GitRepository that the person may read. */
async function sourceFor(
  core: DashboardCore,
  text: string,
  person: ApiCall['session']['person'],
): Promise<ShownObject> {
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0)
    throw new DashboardError('WG_DASHBOARD_BAD_REQUEST', 'source must be NAMESPACE/NAME');
  const group = 'source.toolkit.fluxcd.io';
  const source = { group, version: 'v1', kind: 'GitRepository', namespace, name };
  const rights = await core.rights.of(person);
  return rights.allows(needOf(source)) ? source : missing('source');
}

/** GROUP/VERSION/KIND/NAMESPACE/NAME, with `core` and `-` for what is empty. */
function objectOfParts(parts: readonly string[]): ShownObject {
  const [group = '', version = '', kind = '', namespace = '', name = ''] = parts;
  return {
    group: group === 'core' ? '' : group,
    version,
    kind,
    namespace: namespace === '-' ? '' : namespace,
    name,
  };
}

function shownObject(value: unknown): ShownObject {
  const { group, version, kind, namespace, name } = isObject(value) ? value : {};
  for (const part of [group, version, kind, namespace, name])
    if (typeof part !== 'string')
      throw new DashboardError('WG_DASHBOARD_BAD_REQUEST', 'object does not say which');
  return { group, version, kind, namespace, name } as unknown as ShownObject;
}

function missing(what: string): never {
  throw new DashboardError('WG_DASHBOARD_NOT_FOUND', `there is no such ${what}, or not for you`);
}

function absent(message: string): DashboardError {
  return new DashboardError('WG_DASHBOARD_NOT_FOUND', message);
}
