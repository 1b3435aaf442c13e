import type { StreamIngress, StreamIngressRule } from '../objects/kong-resources.ts';
import type { RouteEntity, ServiceEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import { draftOf, newService, type ServiceClaim } from './service-claim.ts';
import { withStreamExpression } from './stream-expression.ts';
import { tagsOf } from './tags.ts';

/** TCPIngress: a port, or a port and an SNI, leads to a Service. UDPIngress: a port does. */
export function streamIngressClaims(
  ingress: StreamIngress,
  family: 'TCPIngress' | 'UDPIngress',
  options: ResolvedOptions,
): ServiceClaim[] {
  const { namespace = '' } = ingress.metadata;
  return (ingress.spec?.rules ?? []).flatMap((rule, index) => {
    const { serviceName: name = '', servicePort: port = 0 } = rule.backend ?? {};
    if (name === '') return [];
    const host = `${name}.${namespace}.${port}.svc`;
    const service =
      family === 'TCPIngress'
        ? newService(`${namespace}.${name}.${port}`, host, 'tcp', { port: 80 })
        : udpService(`${namespace}.${name}.${port}.udp`, host, port);
    const route = routeOf(ingress, family, rule, index);
    return [
      {
        serviceName: service.name,
        family,
        owner: ingress,
        parent: ingress,
        service,
        backends: [{ kind: 'Service', namespace, name, port: { by: 'number', number: port } }],
        routes: [
          draftOf(options.isExpressions ? withStreamExpression(route) : route, ingress, options),
        ],
      },
    ];
  });
}

/** Names end in `.udp`, since ports of both protocols may coincide. */
function udpService(name: string, host: string, port: number): ServiceEntity {
  return { name, host, protocol: 'udp', port };
}

function routeOf(
  ingress: StreamIngress,
  family: 'TCPIngress' | 'UDPIngress',
  rule: StreamIngressRule,
  index: number,
): RouteEntity {
  const isTcp = family === 'TCPIngress';
  const name = `${ingress.metadata.namespace ?? ''}.${ingress.metadata.name}.${index}`;
  return {
    name: isTcp ? name : `${name}.udp`,
    protocols: isTcp ? ['tcp', 'tls'] : ['udp'],
    destinations: [{ port: rule.port ?? 0 }],
    tags: tagsOf(ingress),
    ...(isTcp && rule.host && { snis: [rule.host] }),
  };
}
