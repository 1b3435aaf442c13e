import type { Ingress } from '../objects/ingress.ts';
import { compareText, creationOf, keyOf } from '../objects/reference.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { AnnotationReader } from '../translate/nginx/annotation-reader.ts';
import { forbiddenText, isNginxIngress } from '../translate/nginx/class-of.ts';
import { gateOf } from '../translate/nginx/gates.ts';
import { parseLocation } from '../translate/nginx/location-settings.ts';
import type { ResolvedNginxOptions } from '../translate/nginx/options.ts';
import { type NginxSettings, readSettings } from '../translate/nginx/settings.ts';
import { ProblemList } from '../translate/problem.ts';
import { denied, type Verdict } from './credential-secret.ts';

/**
 * Judges an Ingress of ingress-nginx' class as its own webhook does, in the same order. What only this
 * gateway does otherwise is no reason to refuse it: it is said in a warning.
 */
export function nginxVerdict(
  ingress: Ingress,
  reader: ObjectReader,
  options: ResolvedNginxOptions,
): Verdict {
  const settings = readSettings(reader, options.configMap);
  const problems = new ProblemList();
  const read = new AnnotationReader(ingress, options.annotationsPrefix, problems);
  const refusal =
    catchAllProblem(ingress, options) ??
    inspectionProblem(ingress, options) ??
    pathTypeProblem(ingress, settings) ??
    snippetProblem(read, settings, options) ??
    gateOf(read, settings) ??
    valueProblem(ingress, read, settings, reader, options) ??
    overlapProblem(ingress, reader, options);
  if (refusal !== undefined) return denied(refusal);
  const warnings = problems.items.map(({ message }) => message);
  return { isAllowed: true, message: '', ...(warnings.length > 0 && { warnings }) };
}

function catchAllProblem({ spec }: Ingress, options: ResolvedNginxOptions): string | undefined {
  return options.isCatchAllDisabled && spec?.defaultBackend
    ? 'spec.defaultBackend makes a catch-all Ingress, and --disable-catch-all is set: take it out'
    : undefined;
}

function inspectionProblem(ingress: Ingress, options: ResolvedNginxOptions): string | undefined {
  const text = options.isDeepInspecting ? forbiddenText(ingress) : undefined;
  return text === undefined ? undefined : `invalid value found: ${JSON.stringify(text)}`;
}

/** Characters of regular expressions make sense only where a path may be one. */
function pathTypeProblem({ spec }: Ingress, settings: NginxSettings): string | undefined {
  if (!settings.bool('strict-validate-path-type')) return undefined;
  for (const { http } of spec?.rules ?? []) {
    for (const { path, pathType } of http?.paths ?? []) {
      const isPlain = !path || /^\/[A-Za-z0-9._\-/]*$/.test(path);
      if (!isPlain && (pathType === 'Exact' || pathType === 'Prefix'))
        return `path ${JSON.stringify(path)} cannot be used with pathType ${pathType}`;
    }
  }
  return undefined;
}

function snippetProblem(
  read: AnnotationReader,
  settings: NginxSettings,
  { annotationsPrefix }: ResolvedNginxOptions,
): string | undefined {
  if (settings.bool('allow-snippet-annotations')) return undefined;
  const name = read.names().find((one) => one.endsWith('-snippet'));
  return name === undefined
    ? undefined
    : `${annotationsPrefix}/${name} annotation cannot be used: allow-snippet-annotations is off`;
}

/** A value for which the Ingress would be left out. */
function valueProblem(
  ingress: Ingress,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
  options: ResolvedNginxOptions,
): string | undefined {
  parseLocation(ingress, read, settings, reader, options);
  return read.invalid === undefined
    ? undefined
    : `annotation ${options.annotationsPrefix}/${read.invalid} contains invalid value`;
}

/** An older Ingress has one of its paths. */
function overlapProblem(
  ingress: Ingress,
  reader: ObjectReader,
  options: ResolvedNginxOptions,
): string | undefined {
  const canary = `${options.annotationsPrefix}/canary`;
  // A canary has no paths of its own.
  const isCanary = (one: Ingress) => one.metadata.annotations?.[canary] !== undefined;
  if (isCanary(ingress)) return undefined;
  const created = creationOf(ingress);
  const isOlder = (one: Ingress) => created === '' || compareText(creationOf(one), created) <= 0;
  const others = reader
    .list<Ingress>('Ingress')
    .filter(
      (one) =>
        keyOf(one) !== keyOf(ingress) &&
        !isCanary(one) &&
        isOlder(one) &&
        isNginxIngress(reader, one, options),
    );
  for (const { host, path } of placesOf(ingress)) {
    const owner = others.find((one) =>
      placesOf(one).some((place) => place.host === host && place.path === path),
    );
    if (owner !== undefined)
      return `host ${JSON.stringify(host)} and path ${JSON.stringify(path)} is already defined in ingress ${keyOf(owner)}`;
  }
  return undefined;
}

function placesOf({ spec }: Ingress): { readonly host: string; readonly path: string }[] {
  return (spec?.rules ?? []).flatMap(({ host, http }) =>
    (http?.paths ?? []).map(({ path }) => ({ host: host || '_', path: path || '/' })),
  );
}
