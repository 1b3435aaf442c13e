import type { RouterFlavor } from '@waygate/kong';
import type { Gateway } from '../objects/gateway-api.ts';
import {
  type NginxOptions,
  type ResolvedNginxOptions,
  resolveNginxOptions,
} from './nginx/options.ts';

export type { RouterFlavor };

/** Switches of single behaviours; the defaults are those of Kong Ingress Controller 3. */
export interface TranslateFeatures {
  /** Entities get ids that follow from their names, stable over restarts. */
  readonly fillIds?: boolean;
  /** Honours `konghq.com/rewrite`. */
  readonly rewriteUris?: boolean;
  readonly kongServiceFacade?: boolean;
  readonly kongCustomEntity?: boolean;
  /** Rules of different HTTPRoutes with the same backends share one Kong service. */
  readonly combinedServicesFromDifferentHttpRoutes?: boolean;
  /** Redirect filters become the plugin `redirect` (Kong 3.9) instead of a pair of older ones. */
  readonly supportRedirectPlugin?: boolean;
  /** The gateway has Waygate's own plugins for filters of HTTPRoutes that Kong cannot express. */
  readonly httpRoutePlugins?: boolean;
}

export interface TranslateOptions {
  /** `modern` is Kong Ingress Controller 3, `legacy` is 0.8: names, defaults and quirks of the time. */
  readonly naming?: 'modern' | 'legacy';
  readonly ingressClass?: string;
  /** The version of the gateway; decides which fields it knows. */
  readonly kongVersion?: string;
  readonly isKongEnterprise?: boolean;
  readonly routerFlavor?: RouterFlavor;
  /** Appended to `name.namespace.svc` of Services that are their own upstream. */
  readonly clusterDomain?: string;
  readonly workspace?: string;
  /** The value of `spec.controllerName` of the GatewayClasses that are ours. */
  readonly gatewayControllerName?: string;
  /** Terminating endpoints stay as targets of weight 0, so that their connections can end. */
  readonly isDrainSupportEnabled?: boolean;
  /**
   * Only routes that name a Gateway of our class as their parent. Off for files, which may show the
   * routes alone.
   */
  readonly onlyAttachedRoutes?: boolean;
  /**
   * The address that a Gateway has to itself, if each has one: then its routes are served there only, on
   * the ports of the listeners that take them. For the expressions router.
   */
  readonly gatewayAddress?: (gateway: Gateway) => string | undefined;
  /** A host that a namespace has in its rules is its own: rules of others for it are left out. */
  readonly isolatesHosts?: boolean;
  readonly features?: TranslateFeatures;
  /** Ingresses of ingress-nginx' class are served as it does; without this they are not ours. */
  readonly nginx?: NginxOptions;
  /** Plugin schemas by name, to fill defaults (legacy only; a gateway of today does it itself). */
  readonly pluginSchemas?: Readonly<Record<string, unknown>>;
  /** Schemas of custom entities by type; what is missing falls back to those that we know. */
  readonly entitySchemas?: Readonly<Record<string, unknown>>;
  /** The time that certificates are checked against. */
  readonly now?: () => Date;
}

/** Options with every default filled in. */
export interface ResolvedOptions {
  readonly naming: 'modern' | 'legacy';
  readonly ingressClass: string;
  readonly kongVersion: readonly [major: number, minor: number, patch: number];
  readonly isKongEnterprise: boolean;
  readonly isExpressions: boolean;
  readonly clusterDomain: string;
  readonly workspace: string;
  readonly gatewayControllerName: string;
  readonly isDrainSupportEnabled: boolean;
  readonly onlyAttachedRoutes: boolean;
  readonly gatewayAddress: ((gateway: Gateway) => string | undefined) | undefined;
  readonly isolatesHosts: boolean;
  readonly features: Required<TranslateFeatures>;
  readonly nginx: ResolvedNginxOptions | undefined;
  readonly pluginSchemas: Readonly<Record<string, unknown>>;
  readonly entitySchemas: Readonly<Record<string, unknown>>;
  readonly now: () => Date;
}

export function resolveOptions(options: TranslateOptions = {}): ResolvedOptions {
  const naming = options.naming ?? 'modern';
  const kongVersion = parseVersion(
    options.kongVersion ?? (naming === 'legacy' ? '2.0.0' : '3.9.1'),
  );
  const features = options.features ?? {};
  return {
    naming,
    ingressClass: options.ingressClass ?? 'kong',
    kongVersion,
    isKongEnterprise: options.isKongEnterprise ?? false,
    isExpressions: options.routerFlavor === 'expressions',
    clusterDomain: options.clusterDomain ?? '',
    workspace: options.workspace ?? '',
    gatewayControllerName: options.gatewayControllerName ?? 'konghq.com/kic-gateway-controller',
    isDrainSupportEnabled: options.isDrainSupportEnabled ?? false,
    onlyAttachedRoutes: options.onlyAttachedRoutes ?? false,
    // The other router cannot tell requests by the address that they came to.
    gatewayAddress: options.routerFlavor === 'expressions' ? options.gatewayAddress : undefined,
    isolatesHosts: options.isolatesHosts ?? false,
    features: {
      fillIds: features.fillIds ?? true,
      rewriteUris: features.rewriteUris ?? false,
      kongServiceFacade: features.kongServiceFacade ?? false,
      kongCustomEntity: features.kongCustomEntity ?? true,
      combinedServicesFromDifferentHttpRoutes:
        features.combinedServicesFromDifferentHttpRoutes ?? false,
      httpRoutePlugins: features.httpRoutePlugins ?? false,
      supportRedirectPlugin: features.supportRedirectPlugin ?? isAtLeast(kongVersion, 3, 9),
    },
    nginx: options.nginx && resolveNginxOptions(options.nginx),
    pluginSchemas: options.pluginSchemas ?? {},
    entitySchemas: options.entitySchemas ?? {},
    now: options.now ?? (() => new Date()),
  };
}

/** Reads `3.9.1`, `0.36-2-enterprise-edition`, `2.8.1.4`: what is missing or not a number is 0. */
function parseVersion(text: string): [number, number, number] {
  const [major, minor, patch] = text.split(/[.-]/u).map((part) => Number.parseInt(part, 10) || 0);
  return [major ?? 0, minor ?? 0, patch ?? 0];
}

export function isAtLeast(
  version: readonly [number, number, number],
  major: number,
  minor: number,
): boolean {
  return version[0] > major || (version[0] === major && version[1] >= minor);
}
