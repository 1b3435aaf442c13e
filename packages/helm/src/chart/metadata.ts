import type { GoValue } from '../go/value.ts';

/** A maintainer of a chart. */
interface ChartMaintainer {
  name?: string;
  email?: string;
  url?: string;
}

/** A chart that another one needs: an entry of `dependencies`. */
export interface ChartDependency {
  name: string;
  /** A range of versions; a lock file has a single one. */
  version?: string;
  /** `https://…`, `oci://…`, `file://…`, `@alias`; empty for a chart that is in `charts/` already. */
  repository: string;
  condition?: string;
  tags?: string[];
  enabled?: boolean;
  /** Texts, or maps of `child` and `parent`. */
  'import-values'?: GoValue[];
  alias?: string;
}

/** What `Chart.yaml` says. Fields have their names there. */
export interface ChartMetadata {
  name: string;
  version: string;
  apiVersion: string;
  home?: string;
  sources?: string[];
  description?: string;
  keywords?: string[];
  maintainers?: ChartMaintainer[];
  icon?: string;
  condition?: string;
  tags?: string;
  appVersion?: string;
  deprecated?: boolean;
  annotations?: Record<string, string>;
  kubeVersion?: string;
  dependencies?: ChartDependency[];
  type?: string;
}

/** `Chart.lock`: the versions that a chart's dependencies were resolved to. */
export interface ChartLock {
  generated: string;
  digest: string;
  dependencies: ChartDependency[];
}
