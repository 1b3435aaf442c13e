// Made by `npm run docs`: change scripts/kube-types.mjs, or the facts that it reads.
import { defineKind, type KubeList, type KubeObject } from '@waygate/schema';
import type * as coreV1 from './core-v1.ts';

export interface Event extends KubeObject {
  apiVersion?: 'events.k8s.io/v1';
  kind?: 'Event';
  action?: string;
  deprecatedCount?: number;
  deprecatedFirstTimestamp?: string;
  deprecatedLastTimestamp?: string;
  deprecatedSource?: coreV1.EventSource;
  eventTime: string;
  note?: string;
  reason?: string;
  regarding?: coreV1.ObjectReference;
  related?: coreV1.ObjectReference;
  reportingController?: string;
  reportingInstance?: string;
  series?: EventSeries;
  type?: string;
}

export const Event = /* @__PURE__ */ defineKind<Event>({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
});

export type EventList = KubeList<Event>;

export interface EventSeries {
  count: number;
  lastObservedTime: string;
}
