import type { Service } from '../../../objects/service.ts';
import type { ObjectReader } from '../../../store/object-reader.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import type { NginxBackend } from '../parsed-ingress.ts';
import type { NginxSettings } from '../settings.ts';

/** Whose pages stand for errors. */
export interface ErrorSettings {
  readonly codes: readonly number[];
  /** Whether the codes are the Ingress's own, and not those for all. */
  readonly isOwn: boolean;
  /** Answers errors, and requests for a Service without endpoints. */
  readonly backend: NginxBackend | undefined;
  /** Whether errors of the backend count, beside the gateway's own. */
  readonly intercepts: boolean;
}

export function parseErrors(
  namespace: string,
  read: AnnotationReader,
  settings: NginxSettings,
  reader: ObjectReader,
): ErrorSettings {
  const own = read.list('custom-http-errors');
  const codes = (own ?? settings.list('custom-http-errors')).map(Number);
  return {
    codes: codes.filter((code) => code >= 300 && code <= 599),
    isOwn: own !== undefined,
    backend: defaultBackend(namespace, read, reader),
    intercepts: !(
      read.bool('disable-proxy-intercept-errors') ?? settings.bool('disable-proxy-intercept-errors')
    ),
  };
}

/** A Service of the same namespace, at the first of its ports. */
function defaultBackend(
  namespace: string,
  read: AnnotationReader,
  reader: ObjectReader,
): NginxBackend | undefined {
  const service = read.text('default-backend');
  if (service === undefined) return undefined;
  const object = reader.get<Service>('Service', namespace, service);
  const port = object?.spec?.ports?.[0]?.port;
  if (port === undefined) {
    read.problem('default-backend', `there is no Service ${namespace}/${service}`);
    return undefined;
  }
  return { namespace, service, port: String(port) };
}
