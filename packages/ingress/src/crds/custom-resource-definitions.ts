import { kongConsumer, kongConsumerGroup, kongCredential } from './consumer-definitions.ts';
import type { CustomResourceDefinition } from './definition.ts';
import { kongCustomEntity, kongLicense, kongVault } from './entity-definitions.ts';
import { ingressClassParameters, tcpIngress, udpIngress } from './ingress-definitions.ts';
import { kongClusterPlugin, kongPlugin } from './plugin-definitions.ts';
import { kongIngress, kongServiceFacade, kongUpstreamPolicy } from './upstream-definitions.ts';

/**
 * The definitions of all kinds of Kong that the controller reads, sorted by name. They accept what
 * Kong Ingress Controller's accept. `deploy/crds` holds the same as YAML.
 */
export const customResourceDefinitions: readonly CustomResourceDefinition[] = [
  ingressClassParameters,
  kongClusterPlugin,
  kongConsumer,
  kongConsumerGroup,
  kongCredential,
  kongCustomEntity,
  kongIngress,
  kongLicense,
  kongPlugin,
  kongServiceFacade,
  kongUpstreamPolicy,
  kongVault,
  tcpIngress,
  udpIngress,
].sort((left, right) => ((left.metadata.name ?? '') < (right.metadata.name ?? '') ? -1 : 1));
