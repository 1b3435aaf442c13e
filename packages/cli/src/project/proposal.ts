import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ingress, KubeObject, Service } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { isBehind, type Workload, workloadOf } from '../workloads/workload.ts';

/** A Service, and what could stand in for it here. */
interface ProposedService {
  readonly name: string;
  /** Lines below its name. */
  readonly lines: readonly string[];
  /** What was found of it, for a comment. */
  readonly comment: string;
}

/** Writes a `waygate.yaml` for the Services of a project: each with a way that works at once. */
export function proposeProject(
  objects: readonly KubeObject[],
  directory: string,
  path: string | undefined,
): { readonly text: string; readonly services: readonly string[] } {
  const services = objects.filter(isPodService).map(withNamespace);
  const workloads = objects.map(withNamespace).flatMap((object) => workloadIn(object) ?? []);
  const names = services.map(({ metadata }) => metadata.name);
  const proposed = services.map((service) =>
    proposeService(
      service,
      workloads.find((workload) => isBehind(service, workload)),
      directory,
      names.indexOf(service.metadata.name) !== names.lastIndexOf(service.metadata.name),
    ),
  );
  const tried = firstPath(objects);
  const lines = [
    '# Read by `waygate up`. What stands in for each Service on this machine, one of:',
    '#   start: {command: npm run dev, directory: web, env: {}, port: 3000, ready: /healthz, restart: always}',
    '#   attach: 3000            what listens there already',
    '#   stub: echo              or {status: 200, body: hello}, or {recorded: answers.har}',
    ...(path === undefined ? [] : [`path: ${path}`]),
    proposed.length === 0 ? 'services: {}' : 'services:',
    ...proposed.flatMap(({ name, lines: below, comment }) => [
      `  ${name}:${comment === '' ? '' : ` # ${comment}`}`,
      ...below.map((line) => `    ${line}`),
    ]),
    ...(tried === undefined || tried === '/' ? [] : [`try: {path: ${JSON.stringify(tried)}}`]),
  ];
  return { text: `${lines.join('\n')}\n`, services: proposed.map(({ name }) => name) };
}

function proposeService(
  service: Service,
  workload: Workload | undefined,
  directory: string,
  needsNamespace: boolean,
): ProposedService {
  const { name = '', namespace = '' } = service.metadata;
  const shown = needsNamespace ? `${namespace}/${name}` : name;
  const ports = (workload?.template.spec?.containers ?? [])
    .flatMap((container) => container.ports ?? [])
    .map(({ containerPort }) => containerPort);
  const comment =
    workload === undefined
      ? ''
      : `${workload.kind} ${workload.name}${ports.length === 0 ? '' : `, port ${ports.join(', ')}`}`;
  const program = programOf(directory, name);
  if (program === undefined) return { name: shown, lines: ['stub: echo'], comment };
  const { command, below } = program;
  const lines = [
    'start:',
    `  command: ${command}`,
    ...(below === '' ? [] : [`  directory: ${below}`]),
  ];
  return { name: shown, lines, comment };
}

/** A program in the project that looks like the Service's: a package.json with a script for it. */
function programOf(
  directory: string,
  name: string,
): { readonly command: string; readonly below: string } | undefined {
  const places = [...groups.map((group) => join(group, name)), ...namedPlaces(directory, name), ''];
  for (const below of places) {
    const { scripts } = packageIn(join(directory, below));
    const script = ['dev', 'start'].find((each) => scripts.has(each));
    if (script !== undefined) return { command: `npm run ${script}`, below };
  }
  return undefined;
}

/** Where programs of a project lie beside one another. */
const groups = ['', 'apps', 'services', 'packages'];

/** Directories whose package.json has the name, as in `server/package.json` of `@team/shop`. */
function namedPlaces(directory: string, name: string): readonly string[] {
  return groups
    .flatMap((group) => directoriesIn(join(directory, group)).map((each) => join(group, each)))
    .filter((below) => packageIn(join(directory, below)).name?.replace(/^@[^/]*\//, '') === name);
}

function directoriesIn(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

function packageIn(place: string): { name?: string | undefined; scripts: ReadonlySet<string> } {
  const file = join(place, 'package.json');
  try {
    const value: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    const { name, scripts } = isObject(value) ? value : {};
    return {
      name: typeof name === 'string' ? name : undefined,
      scripts: new Set(isObject(scripts) ? Object.keys(scripts) : []),
    };
  } catch {
    // Not ours to complain about.
    return { scripts: new Set() };
  }
}

/** The first path that an Ingress without a host serves: what a first request can ask for. */
function firstPath(objects: readonly KubeObject[]): string | undefined {
  return objects
    .filter(isIngress)
    .flatMap(({ spec }) => spec?.rules ?? [])
    .filter(({ host }) => host === undefined)
    .flatMap(({ http }) => http?.paths ?? [])
    .flatMap(({ path = '/', pathType }) => (pathType === 'ImplementationSpecific' ? [] : [path]))
    .at(0);
}

function isIngress(object: KubeObject): object is Ingress {
  return object.kind === 'Ingress' && object.apiVersion === 'networking.k8s.io/v1';
}

function isPodService(object: KubeObject): object is Service {
  if (object.kind !== 'Service' || object.apiVersion !== 'v1') return false;
  const { spec } = object as Service;
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;
}

function workloadIn(object: KubeObject): Workload | undefined {
  const { kind, apiVersion } = object;
  if (apiVersion !== 'apps/v1') return undefined;
  if (kind !== 'Deployment' && kind !== 'StatefulSet' && kind !== 'DaemonSet') return undefined;
  return workloadOf(kind, object as Parameters<typeof workloadOf>[1]);
}

function withNamespace<T extends KubeObject>(object: T): T {
  if (object.metadata.namespace !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, namespace: 'default' } };
}
