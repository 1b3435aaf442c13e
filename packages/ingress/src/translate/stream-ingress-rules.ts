import type { StreamIngress } from '../objects/kong-resources.ts';
import { annotationsOf } from './annotations.ts';
import type { RouteEntity, ServiceEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import { newService, type ServiceClaim } from './service-claim.ts';
import { withStreamExpression } from './stream-expression.ts';
import { tagsOf } from './tags.ts';

/** TCPIngress: a port, or a port and an SNI, leads to a Service. */
export function tcpIngressClaims(ingress: StreamIngress, options: ResolvedOptions): ServiceClaim[] {
  return (ingress.spec?.rules ?? []).flatMap((rule, index) => {
    const name = rule.backend?.serviceName ?? '';
    const port = rule.backend?.servicePort ?? 0;
    if (name === '') return [];
    const { namespace = '' } = ingress.metadata;
    const serviceName = `${namespace}.${name}.${port}`;
    const route: RouteEntity = {
      name: `${namespace}.${ingress.metadata.name}.${index}`,
      protocols: ['tcp', 'tls'],
      destinations: [{ port: rule.port ?? 0 }],
      tags: tagsOf(ingress),
    };
    if (rule.host) route.snis = [rule.host];
    return [
      claim(ingress, 'TCPIngress', name, port, route, options, {
        ...newService(serviceName, `${name}.${namespace}.${port}.svc`, 'tcp', { port: 80 }),
      }),
    ];
  });
}

/** UDPIngress: a port leads to a Service. Names end in `.udp`, since ports of both protocols may coincide. */
export function udpIngressClaims(ingress: StreamIngress, options: ResolvedOptions): ServiceClaim[] {
  return (ingress.spec?.rules ?? []).flatMap((rule, index) => {
    const name = rule.backend?.serviceName ?? '';
    const port = rule.backend?.servicePort ?? 0;
    if (name === '') return [];
    const { namespace = '' } = ingress.metadata;
    const route: RouteEntity = {
      name: `${namespace}.${ingress.metadata.name}.${index}.udp`,
      protocols: ['udp'],
      destinations: [{ port: rule.port ?? 0 }],
      tags: tagsOf(ingress),
    };
    return [
      claim(ingress, 'UDPIngress', name, port, route, options, {
        name: `${namespace}.${name}.${port}.udp`,
        host: `${name}.${namespace}.${port}.svc`,
        protocol: 'udp',
        port,
      }),
    ];
  });
}

function claim(
  ingress: StreamIngress,
  family: 'TCPIngress' | 'UDPIngress',
  name: string,
  port: number,
  route: RouteEntity,
  options: ResolvedOptions,
  service: ServiceEntity,
): ServiceClaim {
  return {
    serviceName: service.name,
    family,
    owner: ingress,
    parent: ingress,
    service,
    backends: [
      {
        kind: 'Service',
        namespace: ingress.metadata.namespace ?? '',
        name,
        port: { by: 'number', number: port },
      },
    ],
    routes: [
      {
        entity: options.isExpressions ? withStreamExpression(route) : route,
        annotations: annotationsOf(ingress),
        source: ingress,
        isExpression: options.isExpressions,
      },
    ],
  };
}
