export { createRouters, type RouterPair } from './router/create-router.ts';
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
  RouterFlavor,
} from './router/route-match.ts';
