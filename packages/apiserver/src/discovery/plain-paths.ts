import type { TokenIssuer } from '../auth/token-issuer.ts';
import { answerJson } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { parseAccept } from '../http/negotiation.ts';
import type { Registry } from '../resources/registry.ts';
import { notAcceptable } from '../status/api-error.ts';
import { checksOf } from './health.ts';

const publicHour = { 'Cache-Control': 'public, max-age=3600' };

/** What verifiers of service account tokens ask for. */
export function openIdPaths(
  tokens: TokenIssuer,
  address: () => string,
): (exchange: Exchange) => boolean {
  return (exchange) => {
    const path = exchange.info.path.replace(/\/$/, '');
    if (path === '/.well-known/openid-configuration') {
      const document = {
        issuer: tokens.issuer,
        jwks_uri: `https://${address()}/openid/v1/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: tokens.methods(),
      };
      answerJson(exchange, 200, document, 'application/json', publicHour);
      return true;
    }
    if (path !== '/openid/v1/jwks') return false;
    const accepted = parseAccept(exchange.header('accept')).some(({ type }) =>
      ['application/jwk-set+json', '*/*', 'application/*'].includes(type),
    );
    if (!accepted) throw notAcceptable(['application/jwk-set+json']);
    answerJson(exchange, 200, tokens.keySet(), 'application/json', {
      ...publicHour,
      'Content-Type': 'application/jwk-set+json',
    });
    return true;
  };
}

/** The list of all paths, at the root. */
export function rootPaths(registry: Registry): (exchange: Exchange) => boolean {
  return (exchange) => {
    if (exchange.info.path !== '/') return false;
    const paths = new Set([
      '/.well-known/openid-configuration',
      '/api',
      '/api/v1',
      '/apis',
      '/apis/',
      '/flagz',
      '/metrics',
      '/metrics/slis',
      '/openapi/v2',
      '/openapi/v3',
      '/openapi/v3/',
      '/openid/v1/jwks',
      '/statusz',
      '/version',
    ]);
    for (const group of registry.groups()) {
      paths.add(`/apis/${group}`);
      for (const version of registry.versions(group)) paths.add(`/apis/${group}/${version}`);
    }
    for (const endpoint of ['healthz', 'livez', 'readyz']) {
      paths.add(`/${endpoint}`);
      for (const check of checksOf(endpoint)) paths.add(`/${endpoint}/${check}`);
    }
    answerJson(exchange, 200, { paths: [...paths].sort() });
    return true;
  };
}
