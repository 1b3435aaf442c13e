import type { ConfigMap } from '../../../objects/secret.ts';
import type { ObjectReader } from '../../../store/object-reader.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import { type HeaderValue, headersOf, isHeaderName, isHeaderValue } from '../proxying.ts';
import type { NginxSettings } from '../settings.ts';
import { resourceOf } from './resource.ts';

/** Headers of the answers: those of the Ingress's ConfigMap, and of the one for all. */
export function parseResponseHeaders(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
): HeaderValue[] {
  const forAll = headersOf(reader, settings.text('add-headers'));
  return [...forAll, ...customHeaders(namespace, read, settings, reader)];
}

/** Only names that the operator allows; one that is not closes the paths. */
function customHeaders(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
): HeaderValue[] {
  const annotation = 'custom-headers';
  const text = read.text(annotation);
  if (text === undefined) return [];
  // By its name alone it is not found.
  const found = text.includes('/') ? resourceOf(text, namespace, settings) : undefined;
  const data = found && reader.get<ConfigMap>('ConfigMap', found.namespace, found.name)?.data;
  if (!data) {
    read.deny(annotation, `there is no ConfigMap ${text} for it`);
    return [];
  }
  const allowed = settings.list('global-allowed-response-headers');
  for (const [name, value] of Object.entries(data)) {
    if (!isHeaderName(name) || !isHeaderValue(value)) {
      read.deny(annotation, `${JSON.stringify(name)} is no header that can be sent`);
      return [];
    }
    if (!allowed.includes(name)) {
      read.deny(annotation, `header ${name} is not in global-allowed-response-headers`);
      return [];
    }
  }
  return Object.entries(data).map(([name, value]) => ({ name, value }));
}
