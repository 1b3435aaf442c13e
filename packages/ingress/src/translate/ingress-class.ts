import type { KubeObject } from '@waygate/schema';
import type { Ingress, IngressClass, IngressClassParameters } from '../objects/ingress.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotationsOf, ingressClassAnnotation } from './annotations.ts';

const defaultClassAnnotation = 'ingressclass.kubernetes.io/is-default-class';

export function isDefaultClass(reader: ObjectReader, ingressClass: string): boolean {
  const object = reader.get<IngressClass>('IngressClass', '', ingressClass);
  return object !== undefined && annotationsOf(object)[defaultClassAnnotation] === 'true';
}

/** The annotation decides when it is there, then `spec.ingressClassName`, then the default class. */
export function isIngressOfClass(
  reader: ObjectReader,
  ingress: Ingress,
  ingressClass: string,
): boolean {
  const annotated = annotationsOf(ingress)[ingressClassAnnotation];
  if (annotated) return annotated === ingressClass;
  const named = ingress.spec?.ingressClassName;
  if (named !== undefined && named !== null) return named === ingressClass;
  return isDefaultClass(reader, ingressClass);
}

/** Kinds without a class field: the annotation, or nothing when the class is the default one. */
export function isObjectOfClass(
  reader: ObjectReader,
  object: KubeObject,
  ingressClass: string,
): boolean {
  const annotated = annotationsOf(object)[ingressClassAnnotation] ?? '';
  if (annotated === ingressClass) return true;
  return annotated === '' && isDefaultClass(reader, ingressClass);
}

/** What the class changes for all of its Ingresses; nothing when it has no parameters of ours. */
export function classParameters(
  reader: ObjectReader,
  ingressClass: string,
): { readonly isServiceUpstream: boolean; readonly hasLegacyRegexDetection: boolean } {
  const none = { isServiceUpstream: false, hasLegacyRegexDetection: false };
  const parameters = reader.get<IngressClass>('IngressClass', '', ingressClass)?.spec?.parameters;
  if (parameters?.kind !== 'IngressClassParameters') return none;
  if (parameters.apiGroup !== 'configuration.konghq.com') return none;
  if (!parameters.name || !parameters.namespace) return none;
  const object = reader.get<IngressClassParameters>(
    'IngressClassParameters',
    parameters.namespace,
    parameters.name,
  );
  return {
    isServiceUpstream: object?.spec?.serviceUpstream === true,
    hasLegacyRegexDetection: object?.spec?.enableLegacyRegexDetection === true,
  };
}
