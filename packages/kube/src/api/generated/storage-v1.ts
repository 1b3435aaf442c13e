// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeList, type KubeObject } from '@waygate/schema';
import type * as coreV1 from './core-v1.ts';
import type * as metaV1 from './meta-v1.ts';

export interface CSIDriver extends KubeObject {
  apiVersion?: 'storage.k8s.io/v1';
  kind?: 'CSIDriver';
  spec: CSIDriverSpec;
}

export const CSIDriver = /* @__PURE__ */ defineKind<CSIDriver>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  scope: 'Cluster',
});

export type CSIDriverList = KubeList<CSIDriver>;

export interface CSIDriverSpec {
  attachRequired?: boolean;
  fsGroupPolicy?: string;
  nodeAllocatableUpdatePeriodSeconds?: number;
  podInfoOnMount?: boolean;
  preventPodSchedulingIfMissing?: boolean;
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  serviceAccountTokenInSecrets?: boolean;
  storageCapacity?: boolean;
  tokenRequests?: TokenRequest[];
  volumeLifecycleModes?: string[];
}

export interface CSINode extends KubeObject {
  apiVersion?: 'storage.k8s.io/v1';
  kind?: 'CSINode';
  spec: CSINodeSpec;
}

export const CSINode = /* @__PURE__ */ defineKind<CSINode>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  plural: 'csinodes',
  scope: 'Cluster',
});

export interface CSINodeDriver {
  allocatable?: VolumeNodeResources;
  name: string;
  nodeID: string;
  topologyKeys?: string[];
}

export type CSINodeList = KubeList<CSINode>;

export interface CSINodeSpec {
  drivers: CSINodeDriver[];
}

export interface CSIStorageCapacity extends KubeObject {
  apiVersion?: 'storage.k8s.io/v1';
  kind?: 'CSIStorageCapacity';
  capacity?: string;
  maximumVolumeSize?: string;
  nodeTopology?: metaV1.LabelSelector;
  storageClassName: string;
}

export const CSIStorageCapacity = /* @__PURE__ */ defineKind<CSIStorageCapacity>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  scope: 'Namespaced',
});

export type CSIStorageCapacityList = KubeList<CSIStorageCapacity>;

export interface StorageClass extends KubeObject {
  apiVersion?: 'storage.k8s.io/v1';
  kind?: 'StorageClass';
  allowVolumeExpansion?: boolean;
  allowedTopologies?: coreV1.TopologySelectorTerm[];
  mountOptions?: string[];
  parameters?: Record<string, string>;
  provisioner: string;
  reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain';
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
}

export const StorageClass = /* @__PURE__ */ defineKind<StorageClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  scope: 'Cluster',
});

export type StorageClassList = KubeList<StorageClass>;

export interface TokenRequest {
  audience: string;
  expirationSeconds?: number;
}

export interface VolumeAttachment extends KubeObject {
  apiVersion?: 'storage.k8s.io/v1';
  kind?: 'VolumeAttachment';
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}

export const VolumeAttachment = /* @__PURE__ */ defineKind<VolumeAttachment>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  scope: 'Cluster',
});

export type VolumeAttachmentList = KubeList<VolumeAttachment>;

export interface VolumeAttachmentSource {
  inlineVolumeSpec?: coreV1.PersistentVolumeSpec;
  persistentVolumeName?: string;
}

export interface VolumeAttachmentSpec {
  attacher: string;
  nodeName: string;
  source: VolumeAttachmentSource;
}

export interface VolumeAttachmentStatus {
  attachError?: VolumeError;
  attached: boolean;
  attachmentMetadata?: Record<string, string>;
  detachError?: VolumeError;
}

export interface VolumeAttributesClass extends KubeObject {
  apiVersion?: 'storage.k8s.io/v1';
  kind?: 'VolumeAttributesClass';
  driverName: string;
  parameters?: Record<string, string>;
}

export const VolumeAttributesClass = /* @__PURE__ */ defineKind<VolumeAttributesClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  scope: 'Cluster',
});

export type VolumeAttributesClassList = KubeList<VolumeAttributesClass>;

export interface VolumeError {
  errorCode?: number;
  message?: string;
  time?: string;
}

export interface VolumeNodeResources {
  count?: number;
}
