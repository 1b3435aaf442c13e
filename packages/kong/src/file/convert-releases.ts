import { isObject } from '@waygate/text';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject } from '../entity/entities.ts';
import {
  changePlugins,
  type PluginChange,
  replaceField,
  setWhereMissing,
} from './change-plugins.ts';
import type { Conversion } from './convert-config.ts';

/** Plugins of Kong Enterprise whose Redis is named by nodes since 3.10, and by addresses before. */
const redisPlugins: ReadonlySet<string> = new Set([
  'ai-rate-limiting-advanced',
  'graphql-proxy-cache-advanced',
  'graphql-rate-limiting-advanced',
  'proxy-cache-advanced',
  'rate-limiting-advanced',
]);

/** Plugins that call a model, whose address is whole since 3.10, and a path before. */
const modelPlugins: ReadonlySet<string> = new Set([
  'ai-proxy',
  'ai-proxy-advanced',
  'ai-rag-injector',
  'ai-request-transformer',
  'ai-response-transformer',
  'ai-semantic-cache',
  'ai-semantic-prompt-guard',
]);

const changeFor310: PluginChange = (name, config, tell) => {
  let result = config;
  const replace = (path: string, to: string, isList = false) => {
    const listed = (value: JsonObject[string]) =>
      isList && !Array.isArray(value) ? [value ?? null] : (value ?? null);
    const changed = replaceField(result, path, to, listed);
    if (changed === undefined) return;
    tell(isList ? `${path} becomes a list` : `${path} becomes ${to}`);
    result = changed;
  };
  if (name === 'ai-rate-limiting-advanced') {
    replace('llm_providers.window_size', 'window_size', true);
    replace('llm_providers.limit', 'limit', true);
  }
  if (redisPlugins.has(name)) {
    replace('redis.cluster_addresses', 'cluster_nodes');
    replace('redis.sentinel_addresses', 'sentinel_nodes');
  }
  if (modelPlugins.has(name)) replace('model.options.upstream_path', 'upstream_url');
  return result;
};

/** Turns a configuration for Kong Enterprise 3.4 into one for 3.10: fields of plugins that have new names. */
export function convertTo310(config: DeclarativeConfig): Conversion {
  const changes: string[] = [];
  return { config: changePlugins(config, changeFor310, changes), changes };
}

/** Plugins that pass credentials on unless told otherwise, until 3.14 turned that round. */
const credentialPlugins: ReadonlySet<string> = new Set([
  'basic-auth',
  'hmac-auth',
  'key-auth',
  'key-auth-enc',
  'ldap-auth',
  'ldap-auth-advanced',
  'oauth2',
  'oauth2-introspection',
  'vault-auth',
]);

const oauthOfRegistry = 'schema_registry.confluent.authentication.oauth2_client.ssl_verify';
const kafka = ['security.ssl_verify', oauthOfRegistry];
const redis = ['redis.ssl_verify'];
const vectors = ['vectordb.pgvector.ssl_verify', 'vectordb.redis.ssl_verify'];
const solace = ['session.ssl_validate_certificate'];

/** By plugin, the fields by which certificates are not checked unless told otherwise, until 3.14. */
const verifyFields: Readonly<Record<string, readonly string[]>> = {
  ace: ['rate_limiting.redis.ssl_verify'],
  acme: ['storage_config.redis.ssl_verify'],
  'ai-aws-guardrails': ['ssl_verify'],
  'ai-azure-content-safety': ['ssl_verify'],
  'ai-proxy-advanced': vectors,
  'ai-rag-injector': vectors,
  'ai-rate-limiting-advanced': redis,
  'ai-semantic-cache': vectors,
  'ai-semantic-prompt-guard': vectors,
  'ai-semantic-response-guard': vectors,
  'aws-lambda': ['ssl_verify'],
  'azure-functions': ['https_verify'],
  'basic-auth': ['brute_force_protection.redis.ssl_verify'],
  confluent: kafka,
  'confluent-consume': kafka,
  datakit: ['resources.cache.redis.ssl_verify'],
  'forward-proxy': ['https_verify'],
  'graphql-proxy-cache-advanced': redis,
  'graphql-rate-limiting-advanced': redis,
  'header-cert-auth': ['ssl_verify'],
  'http-log': ['ssl_verify'],
  'jwt-signer': ['access_token_endpoints_ssl_verify', 'channel_token_endpoints_ssl_verify'],
  'kafka-consume': [...kafka, `topics.${oauthOfRegistry}`],
  'kafka-log': kafka,
  'kafka-upstream': kafka,
  'ldap-auth': ['verify_ldap_host'],
  'ldap-auth-advanced': ['verify_ldap_host'],
  'mtls-auth': ['ssl_verify'],
  'openid-connect': [
    'ssl_verify',
    'cluster_cache_redis.ssl_verify',
    'redis.ssl_verify',
    'session_memcached_ssl_verify',
  ],
  'proxy-cache-advanced': redis,
  'rate-limiting': redis,
  'rate-limiting-advanced': redis,
  'request-callout': ['cache.redis.ssl_verify', 'callouts.request.http_opts.ssl_verify'],
  'response-ratelimiting': redis,
  saml: redis,
  'service-protection': redis,
  'solace-consume': solace,
  'solace-log': solace,
  'solace-upstream': solace,
  'tcp-log': ['ssl_verify'],
  'upstream-oauth': ['client.ssl_verify', 'cache.redis.ssl_verify'],
};

const changeFor314: PluginChange = (name, config, tell) => {
  let result = config;
  const set = (path: string) => {
    const changed = setWhereMissing(result, path, false);
    if (changed === undefined) return;
    tell(`${path} becomes false, which is the default no longer`);
    result = changed;
  };
  if (credentialPlugins.has(name)) set('hide_credentials');
  for (const path of verifyFields[name] ?? []) set(path);
  if (name !== 'datakit' || !Array.isArray(result.nodes)) return result;
  const nodes = result.nodes.map((node) =>
    isObject(node) && node.type === 'call' && !Object.hasOwn(node, 'ssl_verify')
      ? { ...node, ssl_verify: false }
      : node,
  );
  return { ...result, nodes };
};

const tlsProtocols: ReadonlySet<unknown> = new Set([
  'https',
  'tls',
  'grpcs',
  'wss',
  'tls_passthrough',
]);

/**
 * Turns a configuration for Kong Enterprise 3.10 into one for 3.14 that does the same there: what was the
 * default, and is no longer, is said.
 */
export function convertTo314(config: DeclarativeConfig): Conversion {
  const changes: string[] = [];
  const withProtocols = <Route extends { readonly name?: unknown; readonly protocols?: unknown }>(
    route: Route,
  ): Route => {
    if (route.protocols !== undefined && route.protocols !== null) return route;
    changes.push(
      `route ${String(route.name)}: protocols becomes http and https, the default before`,
    );
    return { ...route, protocols: ['http', 'https'] };
  };
  const services = config.services?.map((service) => {
    const routes = service.routes?.map(withProtocols);
    const { tls_verify } = service as { readonly tls_verify?: unknown };
    const isUnsaid = tls_verify === undefined && tlsProtocols.has(service.protocol);
    if (isUnsaid)
      changes.push(`service ${service.name}: tls_verify becomes false, the default before`);
    return {
      ...service,
      ...(routes === undefined ? {} : { routes }),
      ...(isUnsaid ? { tls_verify: false } : {}),
    };
  });
  const routes = config.routes?.map(withProtocols);
  const said = {
    ...config,
    ...(services === undefined ? {} : { services }),
    ...(routes === undefined ? {} : { routes }),
  };
  return { config: changePlugins(said, changeFor314, changes), changes };
}
