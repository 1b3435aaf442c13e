import type { KubeObject } from '@waygate/schema';
import type { BackendReference, HttpRouteRule, RouteObject } from '../objects/gateway-api.ts';
import type { Ingress, IngressBackend } from '../objects/ingress.ts';
import { kindIdOf } from '../objects/kind-id.ts';
import type { KnativeIngress } from '../objects/knative-ingress.ts';
import type {
  KongConsumerResource,
  KongCustomEntityResource,
  KongPluginResource,
  KongServiceFacadeResource,
  StreamIngress,
} from '../objects/kong-resources.ts';
import { type ObjectId, objectId } from '../objects/object-id.ts';
import { annotation, annotationsOf, pluginReferences } from '../translate/annotations.ts';

/** The objects that this one does not work without, whether they exist or not. */
export function dependenciesOf(object: KubeObject, ingressClass: string): ObjectId[] {
  const kind = kindIdOf(object);
  const { namespace = '' } = object.metadata;
  const service = (name: string | undefined, where = namespace) =>
    name ? [objectId('Service', where, name)] : [];
  switch (kind) {
    case 'Ingress': {
      const { spec } = object as Ingress;
      const className = spec?.ingressClassName ?? ingressClass;
      const backends = [
        spec?.defaultBackend,
        ...(spec?.rules ?? []).flatMap(({ http }) =>
          (http?.paths ?? []).map((path) => path.backend),
        ),
      ];
      return [
        objectId('IngressClass', '', className),
        ...backends.flatMap((backend) => backendId(backend, namespace)),
        ...pluginIds(object),
      ];
    }
    case 'TCPIngress':
    case 'UDPIngress': {
      const rules = (object as StreamIngress).spec?.rules ?? [];
      return [
        ...rules.flatMap(({ backend }) => service(backend?.serviceName)),
        ...pluginIds(object),
      ];
    }
    case 'KnativeIngress': {
      const rules = (object as KnativeIngress).spec?.rules ?? [];
      const splits = rules.flatMap(({ http }) =>
        (http?.paths ?? []).flatMap((path) => path.splits ?? []),
      );
      return splits.flatMap(({ serviceName, serviceNamespace }) =>
        service(serviceName, serviceNamespace || namespace),
      );
    }
    case 'HTTPRoute':
    case 'GRPCRoute':
    case 'TCPRoute':
    case 'UDPRoute':
    case 'TLSRoute': {
      const rules = (object as RouteObject<HttpRouteRule>).spec?.rules ?? [];
      const references = rules.flatMap(({ backendRefs }): BackendReference[] => backendRefs ?? []);
      const extensions = rules.flatMap(({ filters }) =>
        (filters ?? []).flatMap(({ extensionRef }) =>
          extensionRef ? pluginId(namespace, extensionRef.name) : [],
        ),
      );
      return [
        ...references.flatMap(({ name, namespace: where }) => service(name, where ?? namespace)),
        ...pluginIds(object),
        ...extensions,
      ];
    }
    case 'Service':
      return [...pluginIds(object), ...policyId(object)];
    case 'KongServiceFacade':
      return [
        ...service((object as KongServiceFacadeResource).spec?.backendRef?.name),
        ...pluginIds(object),
        ...policyId(object),
      ];
    case 'KongPlugin':
    case 'KongClusterPlugin':
      return pluginSecrets(object as KongPluginResource, namespace);
    case 'KongConsumer':
      return [
        ...((object as KongConsumerResource).credentials ?? []).map((name) =>
          objectId('Secret', namespace, name),
        ),
        ...pluginIds(object),
      ];
    case 'KongConsumerGroup':
      return pluginIds(object);
    case 'KongCustomEntity': {
      const { parentRef } = (object as KongCustomEntityResource).spec ?? {};
      if (!parentRef) return [];
      return parentRef.kind === 'KongClusterPlugin'
        ? [objectId('KongClusterPlugin', '', parentRef.name)]
        : [objectId('KongPlugin', parentRef.namespace || namespace, parentRef.name)];
    }
    default:
      return [];
  }
}

function backendId(backend: IngressBackend | null | undefined, namespace: string): ObjectId[] {
  if (backend?.service) return [objectId('Service', namespace, backend.service.name)];
  if (backend?.resource?.kind !== 'KongServiceFacade') return [];
  return [objectId('KongServiceFacade', namespace, backend.resource.name)];
}

/** A plugin by name may be one of the namespace or one of the cluster. */
function pluginId(namespace: string, name: string): ObjectId[] {
  return [objectId('KongPlugin', namespace, name), objectId('KongClusterPlugin', '', name)];
}

function pluginIds(object: KubeObject): ObjectId[] {
  const own = object.metadata.namespace ?? '';
  return pluginReferences(annotationsOf(object)).flatMap(({ namespace, name }) =>
    pluginId(namespace ?? own, name),
  );
}

function policyId(object: KubeObject): ObjectId[] {
  const name = annotation(annotationsOf(object), 'upstream-policy');
  return name ? [objectId('KongUpstreamPolicy', object.metadata.namespace ?? '', name)] : [];
}

function pluginSecrets(plugin: KongPluginResource, namespace: string): ObjectId[] {
  const references = [
    plugin.configFrom?.secretKeyRef,
    ...(plugin.configPatches ?? []).map(({ valueFrom }) => valueFrom.secretKeyRef),
  ];
  return references.flatMap((reference) =>
    reference ? [objectId('Secret', reference.namespace ?? namespace, reference.name)] : [],
  );
}
