import type { Problem, TranslateOptions } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';

/** One case of a translation, as the files hold it. */
export interface TranslationCase {
  readonly id: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly inputs: readonly KubeObject[];
  readonly expect?: Readonly<Record<string, unknown>>;
  readonly events?: readonly string[];
  readonly known_bug?: boolean;
  readonly expect_panic?: boolean;
  readonly nondeterministic?: boolean;
}

/** The options that a case's settings stand for. */
export function optionsOf(settings: Readonly<Record<string, unknown>>): TranslateOptions {
  const flags = (settings.feature_flags ?? {}) as Record<string, boolean>;
  const text = (key: string) => (typeof settings[key] === 'string' ? settings[key] : undefined);
  const record = (key: string) => (settings[key] ?? {}) as Record<string, unknown>;
  return withoutUndefined({
    ingressClass: text('ingress-class'),
    kongVersion: text('kong-version'),
    isKongEnterprise: settings['kong-enterprise'] === true || flags.EnterpriseEdition === true,
    routerFlavor: flags.ExpressionRoutes === true ? 'expressions' : 'traditional_compatible',
    clusterDomain: text('cluster-domain'),
    workspace: text('workspace'),
    isDrainSupportEnabled: settings['enable-drain-support'] === true,
    pluginSchemas: record('plugin-schemas'),
    entitySchemas: record('entity-schemas'),
    features: withoutUndefined({
      fillIds: flags.FillIDs,
      rewriteUris: flags.RewriteURIs,
      kongServiceFacade: flags.KongServiceFacade,
      kongCustomEntity: flags.KongCustomEntity,
      combinedServicesFromDifferentHttpRoutes: flags.CombinedServicesFromDifferentHTTPRoutes,
      // The flags of a case are those of the translator itself, whose zero value is off.
      supportRedirectPlugin: flags.SupportRedirectPlugin ?? false,
    }),
  }) as TranslateOptions;
}

function withoutUndefined<T extends Record<string, unknown>>(record: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

/** Problems in the form in which cases list events. */
export function eventsOf(problems: readonly Problem[], reason: string): string[] {
  return problems
    .map(({ object, message }) => `${object.kind}: Warning ${reason} ${message}`)
    .sort();
}

export function featureOf(id: string, folder: string): string {
  const [first = '', second = ''] = id.split('/');
  return second === '' || first === folder ? first : `${first}/${second.split('@')[0]}`;
}
