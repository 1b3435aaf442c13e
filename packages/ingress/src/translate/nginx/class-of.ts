import type { Ingress, IngressClass } from '../../objects/ingress.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { annotationsOf, ingressClassAnnotation } from '../annotations.ts';
import type { ResolvedNginxOptions } from './options.ts';

/**
 * Whether an Ingress is one of ingress-nginx' class. The field decides alone when it is there; then the
 * annotation; an Ingress with neither counts only when the operator said so.
 */
export function isNginxIngress(
  reader: ObjectReader,
  ingress: Ingress,
  options: ResolvedNginxOptions,
): boolean {
  const named = ingress.spec?.ingressClassName;
  if (named) {
    const found = reader.get<IngressClass>('IngressClass', '', named);
    if (found?.spec?.controller === options.controllerClass) return true;
    return options.isClassByName && named === options.ingressClass;
  }
  const annotated = annotationsOf(ingress)[ingressClassAnnotation];
  if (annotated) return annotated === options.ingressClass;
  return options.watchesWithoutClass;
}

/** What must not be in a host, a path or the name of a Secret: it would read a controller's own files. */
const forbidden: readonly RegExp[] = [
  /\balias\s+[^;]*;/,
  /\broot\s+[^;]*;/,
  /\/etc\/(passwd|shadow|group|nginx|ingress-controller)/,
  /\/var\/run\/secrets/,
  /_by_lua/,
];

/** The first text of an Ingress that ingress-nginx does not serve. */
export function forbiddenText({ spec }: Ingress): string | undefined {
  const texts: (string | null | undefined)[] = [];
  for (const { host, http } of spec?.rules ?? [])
    texts.push(host, ...(http?.paths ?? []).map(({ path }) => path));
  for (const { hosts, secretName } of spec?.tls ?? []) texts.push(secretName, ...(hosts ?? []));
  return texts.find((text) => text && forbidden.some((pattern) => pattern.test(text))) ?? undefined;
}
