import type { KubeObject } from '@waygate/schema';

export interface Service extends KubeObject {
  spec?: {
    type?: string;
    externalName?: string;
    clusterIP?: string;
    clusterIPs?: string[];
    externalIPs?: string[];
    ports?: ServicePort[] | null;
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

export interface ServicePort {
  name?: string;
  port: number;
  targetPort?: number | string;
  protocol?: string;
  appProtocol?: string | null;
}

/** `discovery.k8s.io/v1` EndpointSlice. */
export interface EndpointSlice extends KubeObject {
  addressType?: string;
  ports?:
    | {
        name?: string | null;
        port?: number | null;
        protocol?: string | null;
        appProtocol?: string | null;
      }[]
    | null;
  endpoints?: Endpoint[] | null;
}

interface Endpoint {
  addresses?: string[] | null;
  conditions?: {
    ready?: boolean | null;
    serving?: boolean | null;
    terminating?: boolean | null;
  } | null;
  targetRef?: { kind?: string; namespace?: string; name?: string } | null;
}

/** The older core/v1 Endpoints, which the legacy scheme reads. */
export interface Endpoints extends KubeObject {
  subsets?: EndpointSubset[] | null;
}

interface EndpointSubset {
  addresses?: { ip: string }[] | null;
  notReadyAddresses?: { ip: string }[] | null;
  ports?: { name?: string; port: number; protocol?: string }[] | null;
}
