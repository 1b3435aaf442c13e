import type { GatewayOptions } from '../gateway-options.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { AnyPlugin, PluginDefinition } from '../plugin/plugin.ts';
import { acl } from './acl.ts';
import { acme } from './acme.ts';
import { addressFilter } from './address-filter.ts';
import { canary } from './balancing/canary.ts';
import { cookieAffinity } from './balancing/cookie-affinity.ts';
import { upstreamHash } from './balancing/upstream-hash.ts';
import { basicAuth } from './basic-auth.ts';
import { botDetection } from './bot-detection.ts';
import { clientCertificate } from './client-certificate.ts';
import { awsLambda } from './cloud/aws-lambda.ts';
import { azureFunctions } from './cloud/azure-functions.ts';
import { correlationId } from './correlation-id.ts';
import { cors } from './cors.ts';
import { errorPages } from './error-pages/error-pages.ts';
import { externalAuth } from './external-auth/external-auth.ts';
import { functionPlugin } from './functions/function-plugins.ts';
import { httpRouteBackends } from './gateway-api/http-route-backends.ts';
import { httpRouteCors } from './gateway-api/http-route-cors.ts';
import { httpRouteListeners } from './gateway-api/http-route-listeners.ts';
import { httpRouteMirror } from './gateway-api/http-route-mirror.ts';
import { httpRouteRedirect } from './gateway-api/http-route-redirect.ts';
import { httpRouteRetry } from './gateway-api/http-route-retry.ts';
import { grpcGateway } from './grpc-gateway.ts';
import { grpcWeb } from './grpc-web.ts';
import { hmacAuth } from './hmac-auth.ts';
import { htpasswdAuth } from './htpasswd/htpasswd-auth.ts';
import { ipRestriction } from './ip-restriction.ts';
import { jwt } from './jwt.ts';
import { keyAuth } from './key-auth.ts';
import { ldapAuth } from './ldap/ldap-auth.ts';
import { connectionLimit } from './limits/connection-limit.ts';
import { requestRate } from './limits/request-rate.ts';
import { responseRate } from './limits/response-rate.ts';
import { fileLog, httpLog, tcpLog } from './log-plugins.ts';
import { datadog } from './logs/datadog.ts';
import { loggly, syslog, udpLog } from './logs/datagram-logs.ts';
import { statsd } from './logs/statsd.ts';
import { zipkin } from './logs/zipkin.ts';
import { corsNginx } from './nginx/cors-nginx.ts';
import { fastCgi } from './nginx/fastcgi.ts';
import { nginxGzip } from './nginx/nginx-gzip.ts';
import { nginxMetrics } from './nginx/nginx-metrics.ts';
import { nginxProxy } from './nginx/nginx-proxy.ts';
import { nginxReturn } from './nginx/nginx-return.ts';
import { nginxServer } from './nginx/nginx-server.ts';
import { nginxSnippet } from './nginx/nginx-snippet.ts';
import { nginxStatus } from './nginx/nginx-status.ts';
import { proxySsl } from './nginx/proxy-ssl.ts';
import { oauth2 } from './oauth2.ts';
import { opentelemetry } from './opentelemetry.ts';
import { prometheus } from './prometheus.ts';
import { proxyCache } from './proxy-cache.ts';
import { proxyProtocol } from './proxy-protocol.ts';
import { rateLimiting } from './rate-limiting.ts';
import { redirect } from './redirect.ts';
import { requestSizeLimiting } from './request-size-limiting.ts';
import { requestTermination } from './request-termination.ts';
import { requestTransformer } from './request-transformer.ts';
import { responseRatelimiting } from './response-ratelimiting.ts';
import { responseTransformer } from './response-transformer.ts';
import { session } from './session.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { trafficMirror } from './traffic-mirror.ts';
import { unsupportedPlugins } from './unsupported-plugins.ts';

type PluginOptions = Pick<GatewayOptions, 'isFileAccessAllowed' | 'random' | 'plugins' | 'syslog'>;

/** Where the daemon of the machine listens, if it does. */
const defaultSyslog = { host: '127.0.0.1', port: 514 };

/** All plugins by name: Kong's, and those of the user, which win. */
export function pluginMap(
  options: PluginOptions,
  metrics: GatewayMetrics,
): ReadonlyMap<string, PluginDefinition<unknown>> {
  const plugins = [...builtInPlugins(options, metrics), ...(options.plugins ?? [])];
  return new Map(
    plugins.map((plugin) => [plugin.name, plugin as unknown as PluginDefinition<unknown>]),
  );
}

/** Kong's plugins. Made anew for each gateway, since some hold state. */
function builtInPlugins(options: PluginOptions, metrics: GatewayMetrics): readonly AnyPlugin[] {
  const run = [
    acl,
    acme(),
    addressFilter,
    awsLambda(),
    azureFunctions(),
    basicAuth,
    botDetection,
    canary,
    clientCertificate,
    connectionLimit(),
    cookieAffinity,
    correlationId(),
    cors,
    corsNginx,
    datadog(),
    errorPages(),
    externalAuth(),
    fastCgi,
    fileLog(options.isFileAccessAllowed ?? false),
    functionPlugin('pre', options.random ?? Math.random),
    functionPlugin('post', options.random ?? Math.random),
    grpcGateway,
    grpcWeb,
    hmacAuth,
    htpasswdAuth(),
    httpLog(),
    httpRouteBackends(options.random),
    httpRouteCors,
    httpRouteListeners,
    httpRouteMirror(options.random),
    httpRouteRedirect,
    httpRouteRetry,
    ipRestriction,
    jwt,
    keyAuth,
    ldapAuth(),
    loggly(),
    nginxGzip,
    nginxMetrics(metrics),
    nginxProxy,
    nginxReturn,
    nginxServer,
    nginxSnippet,
    nginxStatus(metrics),
    oauth2(),
    opentelemetry(options.random ?? Math.random),
    prometheus(metrics),
    proxyCache(),
    proxyProtocol,
    proxySsl,
    rateLimiting(),
    redirect,
    requestRate(),
    requestSizeLimiting,
    requestTermination,
    requestTransformer,
    responseRate,
    responseRatelimiting(),
    responseTransformer,
    session(),
    standardWebhooks,
    statsd(),
    syslog(options.syslog ?? defaultSyslog),
    tcpLog(),
    trafficMirror(),
    udpLog(),
    upstreamHash,
    zipkin(options.random ?? Math.random),
  ];
  const names = new Set(run.map((plugin) => plugin.name));
  return [...run, ...unsupportedPlugins(names)];
}
