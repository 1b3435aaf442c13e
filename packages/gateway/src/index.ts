export type { RouterFlavor } from '@waygate/kong';
export type { ClientLimits } from './exchange/client-limits.ts';
export { Gateway, type GatewayAddresses } from './gateway.ts';
export { GatewayError } from './gateway-error.ts';
export type {
  AdminListenOptions,
  FurtherListener,
  GatewayOptions,
  ProxyListenOptions,
  RefusedListener,
  StreamListenOptions,
} from './gateway-options.ts';
export type { ListenAddress } from './listener/listening.ts';
export { loadPlugins } from './plugin/load-plugins.ts';
export {
  type AnyPlugin,
  type BodyStream,
  definePlugin,
  type PluginDefinition,
} from './plugin/plugin.ts';
export type { GatewayLog, PluginRuntime } from './plugin/plugin-runtime.ts';
export type { RequestContext } from './plugin/request-context.ts';
export { unrunnablePlugins } from './plugins/unrunnable-plugins.ts';
export { createRouters, type Routers } from './router/create-router.ts';
export {
  escapePath,
  isAcceptablePath,
  type NormalizedPath,
  normalizePath,
} from './router/request-path.ts';
export type {
  PathCaptures,
  RouteEntry,
  RouteMatch,
  RouteRequest,
  Router,
} from './router/route-match.ts';
export type { PluginStorage } from './storage/plugin-storage.ts';
export { kongVersion } from './version.ts';
export { workersForThisMachine } from './workers/worker-fleet.ts';
