import { unknownNginxVariable } from '@waygate/kong';
import type { ConfigMap } from '../../../objects/secret.ts';
import type { ObjectReader } from '../../../store/object-reader.ts';
import type { PluginEntity } from '../../kong-state.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import { isHeaderValue } from '../proxying.ts';
import type { NginxSettings } from '../settings.ts';
import { resourceOf } from './resource.ts';

/** Variables that are known where there is a script. */
const ofScript =
  /\$(?:\{(?:document_root|fastcgi_script_name)\}|(?:document_root|fastcgi_script_name)\b)/g;

/** What an application behind `backend-protocol: FCGI` is told. */
export function parseFastCgi(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
): PluginEntity | undefined {
  const index = read.text('fastcgi-index');
  const params = paramsOf(namespace, read, settings, reader);
  if (read.text('backend-protocol')?.toLowerCase() !== 'fcgi') return undefined;
  // A ConfigMap that may not be used takes the index along, as in the original.
  const config = params === undefined ? {} : { ...(index !== undefined && { index }), params };
  return { name: 'fastcgi', config };
}

/** Undefined: the ConfigMap is one that may not be used. */
function paramsOf(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
): { readonly name: string; readonly value: string }[] | undefined {
  const annotation = 'fastcgi-params-configmap';
  const text = read.text(annotation);
  if (text === undefined) return [];
  const found = resourceOf(text, namespace, settings);
  if (found === undefined) {
    read.problem(annotation, 'a ConfigMap of another namespace is not used');
    return undefined;
  }
  const map = reader.get<ConfigMap>('ConfigMap', found.namespace, found.name);
  if (map === undefined) {
    read.deny(annotation, `there is no ConfigMap ${found.namespace}/${found.name} for it`);
    return [];
  }
  const pairs = Object.entries(map.data ?? {});
  for (const [name, value] of pairs) {
    const isKnown = unknownNginxVariable(value.replace(ofScript, '')) === undefined;
    if (!/^[A-Za-z0-9_.-]+$/.test(name) || !isHeaderValue(value) || !isKnown) {
      read.deny(annotation, `${JSON.stringify(name)} is no param that can be sent`);
      return [];
    }
  }
  return pairs.map(([name, value]) => ({ name, value }));
}
