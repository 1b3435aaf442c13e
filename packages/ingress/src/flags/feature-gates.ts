import { type FeatureGates, readGates } from '@waygate/runtime';
import type { TranslateFeatures } from '../translate/options.ts';

const featureOfGate: Readonly<Record<string, keyof TranslateFeatures>> = {
  FillIDs: 'fillIds',
  RewriteURIs: 'rewriteUris',
  KongServiceFacade: 'kongServiceFacade',
  KongCustomEntity: 'kongCustomEntity',
};

/** The feature gates of Kong Ingress Controller. */
export const controllerGates: FeatureGates = {
  acting: Object.keys(featureOfGate),
  withoutEffect: {
    GatewayAlpha: 'routes of the Gateway API are followed wherever the cluster knows them',
    FallbackConfiguration: 'a rejected object never keeps the others back',
    SanitizeKonnectConfigDumps: 'Konnect is not supported',
  },
};

/**
 * Reads feature gates of Kong Ingress Controller, each `name=true` or `name=false`.
 *
 * ```ts
 * featuresOfGates(['FillIDs=false', 'NoSuch=true']); // { features: { fillIds: false }, problems: ['there is no feature gate NoSuch'], warnings: [] }
 * ```
 */
export function featuresOfGates(
  gates: readonly string[],
  others?: readonly string[],
): {
  readonly features: TranslateFeatures;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
} {
  const { values, problems, warnings } = readGates(gates, controllerGates, others);
  const features: Record<string, boolean> = {};
  for (const [gate, value] of values) features[featureOfGate[gate]!] = value;
  return { features, problems, warnings };
}
