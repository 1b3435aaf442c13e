import { plugin } from '../ingress/kind-row.ts';
import { crossingSuite, httpRoute, prefix, type Row } from './row.ts';

const rewrite = (path: object) => ({ filters: [{ type: 'URLRewrite', urlRewrite: { path } }] });
const toPrefix = (from: string, to: string) => [
  httpRoute([
    {
      ...prefix(from),
      ...rewrite({ type: 'ReplacePrefixMatch', replacePrefixMatch: to }),
    },
  ]),
];
const redirect = (requestRedirect: object) => ({
  filters: [{ type: 'RequestRedirect', requestRedirect }],
});
const url = (path: string, arrives: string) => ({ path, sees: { url: arrives } });

const rows: readonly Row[] = [
  {
    name: 'ReplacePrefixMatch / by /new',
    objects: toPrefix('/', '/new'),
    asks: [url('/', '/new'), url('/a/b', '/new/a/b'), url('/a/b?c=d', '/new/a/b?c=d')],
  },
  {
    name: 'ReplacePrefixMatch /old by /',
    objects: toPrefix('/old', '/'),
    asks: [
      url('/old', '/'),
      url('/old/', '/'),
      url('/old/a%20b?x=%20', '/a%20b?x=%20'),
      { path: '/older', status: 404, sees: 'none' },
    ],
  },
  {
    name: 'ReplacePrefixMatch / by /',
    objects: toPrefix('/', '/'),
    asks: [url('/', '/'), url('/a', '/a')],
  },
  {
    name: 'ReplacePrefixMatch /old by /new',
    objects: toPrefix('/old', '/new'),
    asks: [
      url('/old', '/new'),
      url('/old/', '/new/'),
      url('/old/a/b', '/new/a/b'),
      url('/old/%C3%A9', '/new/%C3%A9'),
      url('/old/a%2Fb', '/new/a%2Fb'),
    ],
  },
  {
    name: 'ReplacePrefixMatch with slashes at the ends',
    objects: toPrefix('/old/', '/new/'),
    asks: [url('/old/a', '/new/a'), url('/old', '/new')],
  },
  {
    name: 'ReplacePrefixMatch by nothing',
    objects: toPrefix('/old', ''),
    asks: [url('/old/a', '/a'), url('/old', '/')],
  },
  {
    name: 'ReplacePrefixMatch of several prefixes of one rule',
    objects: [
      httpRoute([
        {
          matches: ['/a', '/b'].map((value) => ({ path: { type: 'PathPrefix', value } })),
          ...rewrite({ type: 'ReplacePrefixMatch', replacePrefixMatch: '/new' }),
        },
      ]),
    ],
    asks: [url('/a/1', '/new/1'), url('/b/2', '/new/2'), { path: '/c', status: 404 }],
  },
  {
    name: 'ReplacePrefixMatch where the prefix reads as a pattern',
    objects: toPrefix('/v1.0', '/new'),
    asks: [url('/v1.0/a', '/new/a')],
  },
  {
    name: 'ReplaceFullPath',
    objects: [
      httpRoute([
        {
          ...prefix('/old'),
          ...rewrite({ type: 'ReplaceFullPath', replaceFullPath: '/full/path' }),
        },
      ]),
    ],
    asks: [url('/old', '/full/path'), url('/old/a?b=c', '/full/path?b=c')],
  },
  {
    name: 'URLRewrite of the host',
    objects: [
      httpRoute([{ filters: [{ type: 'URLRewrite', urlRewrite: { hostname: 'inner.test' } }] }]),
    ],
    asks: [{ path: '/x', sees: { url: '/x', headers: { host: 'inner.test' } } }],
  },
  {
    name: 'URLRewrite of host and path',
    objects: [
      httpRoute([
        {
          ...prefix('/old'),
          filters: [
            {
              type: 'URLRewrite',
              urlRewrite: {
                hostname: 'inner.test',
                path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' },
              },
            },
          ],
        },
      ]),
    ],
    asks: [{ path: '/old/x', sees: { url: '/x', headers: { host: 'inner.test' } } }],
  },
  {
    name: 'RequestHeaderModifier',
    objects: [
      httpRoute([
        {
          filters: [
            {
              type: 'RequestHeaderModifier',
              requestHeaderModifier: {
                set: [
                  { name: 'X-Set', value: 'set' },
                  { name: 'X-New', value: 'a:b' },
                ],
                add: [{ name: 'X-Add', value: 'more' }],
                remove: ['X-Remove'],
              },
            },
          ],
        },
      ]),
    ],
    asks: [
      {
        headers: { 'X-Set': 'before', 'X-Add': 'first', 'X-Remove': 'gone' },
        sees: {
          headers: { 'x-set': 'set', 'x-new': 'a:b', 'x-add': 'first, more', 'x-remove': null },
        },
      },
      { sees: { headers: { 'x-set': 'set', 'x-add': 'more' } } },
    ],
  },
  {
    name: 'ResponseHeaderModifier',
    objects: [
      httpRoute([
        {
          filters: [
            {
              type: 'ResponseHeaderModifier',
              responseHeaderModifier: {
                set: [
                  { name: 'X-Backend', value: 'hidden' },
                  { name: 'X-New', value: 'new' },
                ],
                add: [{ name: 'X-Two', value: 'c' }],
                remove: ['Content-Type'],
              },
            },
          ],
        },
      ]),
    ],
    asks: [
      {
        gets: { 'x-backend': 'hidden', 'x-new': 'new', 'x-two': 'a, b, c', 'content-type': null },
      },
    ],
  },
  {
    name: 'both header modifiers and a rewrite',
    objects: [
      httpRoute([
        {
          ...prefix('/old'),
          filters: [
            {
              type: 'RequestHeaderModifier',
              requestHeaderModifier: { set: [{ name: 'X-Set', value: 'set' }] },
            },
            {
              type: 'URLRewrite',
              urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } },
            },
            {
              type: 'ResponseHeaderModifier',
              responseHeaderModifier: { add: [{ name: 'X-New', value: 'new' }] },
            },
          ],
        },
      ]),
    ],
    asks: [
      {
        path: '/old/x',
        sees: { url: '/x', headers: { 'x-set': 'set' } },
        gets: { 'x-new': 'new' },
      },
    ],
  },
  {
    name: 'RequestRedirect to a host',
    objects: [httpRoute([redirect({ hostname: 'other.test' })])],
    asks: [
      {
        path: '/a/b?c=d',
        status: 302,
        sees: 'none',
        gets: { location: /^http:\/\/other\.test\/a\/b/ },
      },
    ],
  },
  {
    name: 'RequestRedirect with scheme, port and status',
    objects: [
      httpRoute([
        redirect({ scheme: 'https', hostname: 'other.test', port: 8443, statusCode: 301 }),
      ]),
    ],
    asks: [
      {
        path: '/a',
        status: 301,
        sees: 'none',
        gets: { location: 'https://other.test:8443/a' },
      },
    ],
  },
  {
    name: 'RequestRedirect to a full path',
    objects: [
      httpRoute([
        {
          ...prefix('/old'),
          ...redirect({
            hostname: 'other.test',
            path: { type: 'ReplaceFullPath', replaceFullPath: '/new' },
          }),
        },
      ]),
    ],
    asks: [
      { path: '/old/x', status: 302, sees: 'none', gets: { location: 'http://other.test/new' } },
      { path: '/other', status: 404, sees: 'none' },
    ],
  },
  {
    name: 'RequestRedirect as Kong before 3.9 has it',
    features: { supportRedirectPlugin: false },
    objects: [
      httpRoute([
        {
          ...prefix('/old'),
          ...redirect({ scheme: 'https', hostname: 'other.test', statusCode: 301 }),
        },
      ]),
    ],
    asks: [
      { path: '/old', status: 301, sees: 'none', gets: { location: 'https://other.test/old' } },
    ],
  },
  {
    name: 'ExtensionRef to a KongPlugin',
    objects: [
      plugin('end', 'request-termination', { status_code: 418, message: 'teapot' }),
      httpRoute([
        {
          filters: [
            {
              type: 'ExtensionRef',
              extensionRef: { group: 'configuration.konghq.com', kind: 'KongPlugin', name: 'end' },
            },
          ],
        },
      ]),
    ],
    asks: [{ status: 418, sees: 'none', says: /teapot/ }],
  },
  {
    name: 'timeouts of a rule',
    objects: [httpRoute([{ timeouts: { backendRequest: '100ms' } }])],
    asks: [
      { path: '/hang', status: 504 },
      { path: '/', sees: { url: '/' } },
    ],
  },
];

crossingSuite('filters', rows);
