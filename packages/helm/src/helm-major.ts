/** Whose rules count: Helm 3's or Helm 4's. */
export type HelmMajor = 3 | 4;
