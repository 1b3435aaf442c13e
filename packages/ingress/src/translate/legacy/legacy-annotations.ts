import type { KubeObject } from '@waygate/schema';
import type { Ingress } from '../../objects/ingress.ts';
import { type Annotations, annotationsOf } from '../annotations.ts';

/** The value of an annotation under its present name, or else under the deprecated one. */
export function legacyAnnotation(annotations: Annotations, key: string): string | undefined {
  const present = `konghq.com/${key}`;
  if (Object.hasOwn(annotations, present)) return annotations[present];
  return annotations[deprecatedName(key)];
}

function deprecatedName(key: string): string {
  if (key === 'plugins') return 'plugins.konghq.com';
  return key === 'override' ? 'configuration.konghq.com' : `configuration.konghq.com/${key}`;
}

/**
 * An object without a class belongs to the class `kong`, and to no other. The field of Ingresses came
 * later than this scheme; where it is used it is meant.
 */
export function isOfLegacyClass(
  object: KubeObject,
  ingressClass: string,
  annotation = 'kubernetes.io/ingress.class',
): boolean {
  const named = (object as Ingress).spec?.ingressClassName;
  const annotated = annotationsOf(object)[annotation] || (named ?? '');
  return annotated === ingressClass || (annotated === '' && ingressClass === 'kong');
}

/** The pattern of the time: some alternatives have no end, so that `tcpx` passes. */
const protocol = /^(?:https?$|grpc$|grpcs|tcp|tls$)/u;

export function isLegacyProtocol(text: string): boolean {
  return protocol.test(text);
}
