import { expect, test } from 'vitest';
import type { RouteEntity } from './kong-state.ts';
import { applyRouteAnnotations } from './route-annotations.ts';
import type { RouteDraft } from './service-claim.ts';

type Fields = Partial<RouteEntity>;
const rows: readonly [
  annotations: Record<string, string>,
  fields: Fields,
  options?: { readonly entity?: Fields; readonly isExpression?: true; readonly without?: string },
][] = [
  [{}, {}],
  [{ 'strip-path': 'TRUE' }, { strip_path: true }],
  [{ 'strip-path': 'False' }, { strip_path: false }],
  [{ 'strip-path': '1' }, {}],
  [{ 'preserve-host': 'true' }, { preserve_host: true }],
  [{ 'preserve-host': 'no' }, {}],
  [{ 'request-buffering': 'FALSE' }, { request_buffering: false }],
  [{ 'response-buffering': '1' }, { response_buffering: true }],
  [{ 'request-buffering': 'x', 'response-buffering': 'x' }, {}],
  [{ protocols: 'http' }, { protocols: ['http'] }],
  [{ protocols: 'http,smtp' }, {}],
  [
    { protocols: 'http,smtp' },
    { protocols: ['http'] },
    { entity: { protocols: ['http', 'smtp'] } },
  ],
  [{}, {}, { entity: { protocols: ['smtp'] }, without: 'protocols' }],
  [{}, { protocols: ['udp'] }, { entity: { protocols: ['udp'] } }],
  [{ 'https-redirect-status-code': '301' }, { https_redirect_status_code: 301 }],
  [{ 'https-redirect-status-code': '303' }, {}],
  [{ 'https-redirect-status-code': 'x' }, {}],
  [
    { 'ingress.kubernetes.io/force-ssl-redirect': 'true' },
    { https_redirect_status_code: 302, protocols: ['https'] },
  ],
  [
    { 'ingress.kubernetes.io/force-ssl-redirect': 'true', 'https-redirect-status-code': '308' },
    { https_redirect_status_code: 308, protocols: ['grpcs'] },
    { entity: { protocols: ['grpc'] }, without: 'strip_path' },
  ],
  [
    { 'ingress.kubernetes.io/force-ssl-redirect': 'true' },
    { https_redirect_status_code: 302, protocols: ['http', 'https'] },
    { entity: { protocols: ['grpc', 'http'] }, without: 'strip_path' },
  ],
  [{ protocols: 'grpc,grpcs' }, { protocols: ['grpc', 'grpcs'] }, { without: 'strip_path' }],
  [{ protocols: 'grpc,http' }, { protocols: ['http', 'https'] }, { without: 'strip_path' }],
  [{ protocols: 'grpc' }, { protocols: ['grpc'], strip_path: false }, { isExpression: true }],
  [{ 'regex-priority': '7' }, { regex_priority: 7 }],
  [{ 'regex-priority': 'x' }, {}],
  [{ 'regex-priority': '7', methods: 'get', snis: 'a' }, {}, { isExpression: true }],
  [{ methods: 'get,POST' }, { methods: ['GET', 'POST'] }],
  [{ methods: 'get,p0st' }, {}],
  [{ methods: '' }, {}],
  [{ snis: 'a.test,b.test' }, { snis: ['a.test', 'b.test'] }],
  [{ snis: 'a b' }, {}],
  [
    { 'host-aliases': 'b.test,a.test' },
    { hosts: ['a.test', 'b.test'] },
    { entity: { hosts: ['a.test'] } },
  ],
  [{ 'host-aliases': 'b.test' }, { hosts: ['b.test'] }],
  [{ 'host-aliases': 'a b' }, { hosts: ['a.test'] }, { entity: { hosts: ['a.test'] } }],
  [{ 'headers.x-a': '1,2' }, { headers: { 'x-a': ['1', '2'] } }],
  [{ 'path-handling': 'v1' }, { path_handling: 'v1' }],
  [{ 'path-handling': 'x' }, {}],
];

test.each(rows)('%j: %j', (annotations, fields, { entity = {}, isExpression, without } = {}) => {
  const plain: RouteEntity = { name: 'r', strip_path: false };
  const route: RouteEntity = { ...plain, ...entity };
  applyRouteAnnotations({
    entity: route,
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [
        key.includes('/') ? key : `konghq.com/${key}`,
        value,
      ]),
    ),
    isExpression: isExpression ?? false,
  } as RouteDraft);
  const expected: Record<string, unknown> = { ...plain, ...entity, ...fields };
  if (without !== undefined) delete expected[without];
  expect(route).toEqual(expected);
});
