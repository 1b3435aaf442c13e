import type { TranslateFeatures } from '../translate/options.ts';

const featureOfGate: Readonly<Record<string, keyof TranslateFeatures>> = {
  FillIDs: 'fillIds',
  RewriteURIs: 'rewriteUris',
  KongServiceFacade: 'kongServiceFacade',
  KongCustomEntity: 'kongCustomEntity',
};

const gatesWithoutEffect: ReadonlySet<string> = new Set([
  'GatewayAlpha',
  'FallbackConfiguration',
  'SanitizeKonnectConfigDumps',
]);

/** Reads feature gates of Kong Ingress Controller, each `name=true` or `name=false`. */
export function featuresOfGates(gates: readonly string[]): {
  readonly features: TranslateFeatures;
  readonly problems: readonly string[];
} {
  const features: Record<string, boolean> = {};
  const problems: string[] = [];
  for (const gate of gates) {
    const [name = '', value = ''] = gate.split('=');
    if (Object.hasOwn(featureOfGate, name)) features[featureOfGate[name]!] = value === 'true';
    else if (!gatesWithoutEffect.has(name)) problems.push(`there is no feature gate ${name}`);
  }
  return { features, problems };
}
