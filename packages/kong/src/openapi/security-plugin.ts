import { isStateObject, type StateObject, textsOf } from '../rewrite/state-document.ts';
import { listOf, type OpenApiDocument, refuse } from './openapi-document.ts';

/**
 * The plugin `openid-connect` for the security that a document or an operation asks for; what is
 * inherited where it asks for none. Kong has no plugin for one of several, nor for all of several.
 */
export function securityPlugin(
  document: OpenApiDocument,
  owner: StateObject,
  inherited: StateObject | undefined,
  ignoresErrors: boolean,
): StateObject | undefined {
  const requirements = listOf(owner, 'security').filter(isStateObject);
  const [requirement = {}] = requirements;
  const names = Object.keys(requirement);
  if (requirements.length === 0) return inherited;
  const complain = (message: string): StateObject | undefined =>
    ignoresErrors ? inherited : refuse(message);
  if (requirements.length > 1) return complain('only a single security-requirement is supported');
  if (names.length === 0) return inherited;
  if (names.length > 1) {
    return complain('within a security-requirement only a single security-scheme is supported');
  }
  const name = names[0] as string;
  const schemes = document.components.securitySchemes;
  const scheme = document.resolve(isStateObject(schemes) ? schemes[name] : undefined);
  if (scheme === undefined)
    return complain(`no security-schemes with name '${name}' found in components`);
  const type = String(scheme.type).replace(/[_-]/g, '').toLowerCase();
  if (type !== 'openidconnect')
    return complain(`only security-schemes of type 'openIdConnect' are supported`);
  return pluginFor(document, scheme, listOf(requirement, name).map(String));
}

function pluginFor(
  document: OpenApiDocument,
  scheme: StateObject,
  scopes: readonly string[],
): StateObject {
  const key = 'x-kong-security-openid-connect';
  const plugin = document.directive(scheme, key) ?? {};
  const config = plugin.config ?? {};
  if (!isStateObject(config)) refuse(`expected 'config' of '${key}' to be an object`);
  const given = textsOf(config, 'scopes_required', key) ?? [];
  plugin.config = config;
  plugin.name = 'openid-connect';
  config.scopes_required = [...new Set([...given, ...scopes])].sort();
  const { openIdConnectUrl: issuer } = scheme;
  // What is said for Kong wins over what the service behind it says of itself.
  if (typeof issuer === 'string' && issuer !== '') config.issuer ??= issuer;
  return plugin;
}
