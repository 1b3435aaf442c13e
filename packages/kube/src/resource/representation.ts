import { apiVersionOf, type Kind, type KubeObject, type ListMeta } from '@waygate/schema';

/** An object of which only the metadata was asked for. */
export interface PartialObjectMetadata extends KubeObject {
  apiVersion?: string;
  kind?: string;
}

/** Rows as `kubectl get` shows them. */
export interface Table {
  apiVersion?: string;
  kind?: string;
  metadata: ListMeta;
  columnDefinitions: {
    name: string;
    type: string;
    format: string;
    description: string;
    priority: number;
  }[];
  rows: { cells: unknown[]; object?: PartialObjectMetadata }[];
}

/** The form in which the server is asked to answer. */
export interface Representation {
  readonly acceptObject: string;
  readonly acceptList: string;
  /** What list items are, which do not say it themselves. */
  readonly apiVersion: string;
  readonly kind: string;
}

export function wholeObjects(kind: Kind<KubeObject>): Representation {
  return {
    acceptObject: 'application/json',
    acceptList: 'application/json',
    apiVersion: apiVersionOf(kind.group, kind.version),
    kind: kind.kind,
  };
}

const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

export const onlyMetadata: Representation = {
  acceptObject: partial,
  acceptList: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  apiVersion: 'meta.k8s.io/v1',
  kind: 'PartialObjectMetadata',
};

export const tableAccept =
  'application/json;as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;g=meta.k8s.io;v=v1beta1,application/json';
