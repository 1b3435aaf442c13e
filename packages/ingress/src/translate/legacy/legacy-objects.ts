import type { KubeObject } from '@waygate/schema';
import type { Ingress, IngressBackend, IngressTls } from '../../objects/ingress.ts';

/** An Ingress of `extensions/v1beta1` or `networking.k8s.io/v1beta1`. */
export interface LegacyIngress extends KubeObject {
  spec?: {
    backend?: LegacyBackend | null;
    rules?:
      | {
          host?: string | null;
          http?: { paths?: { path?: string | null; backend: LegacyBackend }[] | null } | null;
        }[]
      | null;
    tls?: IngressTls[] | null;
  };
}

export interface LegacyBackend {
  serviceName?: string;
  servicePort?: number | string;
}

/**
 * An Ingress as the older APIs had it. Of today's API the backends are written as then; the type of
 * a path was not known, and paths count as they are.
 */
export function legacyIngressOf(object: Ingress | LegacyIngress): LegacyIngress {
  const spec = object.spec as Ingress['spec'] & LegacyIngress['spec'];
  const isOfToday =
    spec?.defaultBackend ??
    (spec?.rules ?? []).some((rule) =>
      (rule.http?.paths ?? []).some(({ backend }) => (backend as IngressBackend | null)?.service),
    );
  if (!isOfToday) return object as LegacyIngress;
  const { defaultBackend, rules } = (object as Ingress).spec ?? {};
  return {
    ...object,
    spec: {
      ...(defaultBackend?.service ? { backend: legacyBackendOf(defaultBackend) } : {}),
      tls: spec?.tls ?? [],
      rules: (rules ?? []).map(({ host, http }) => ({
        host: host ?? '',
        http: {
          paths: (http?.paths ?? []).map(({ path, backend }) => ({
            path: path ?? '',
            backend: legacyBackendOf(backend),
          })),
        },
      })),
    },
  };
}

function legacyBackendOf(backend: IngressBackend | null | undefined): LegacyBackend {
  const { name = '', port } = backend?.service ?? {};
  return { serviceName: name, servicePort: port?.number ?? port?.name ?? 0 };
}
