import { describe, expect, it } from 'vitest';
import { api, convert, plugins, routes, services } from '../../test/openapi-document.ts';

describe('security', () => {
  const oidc = (config?: object) => ({
    type: 'openIdConnect',
    openIdConnectUrl: 'https://issuer',
    ...(config === undefined ? {} : { 'x-kong-security-openid-connect': { config } }),
  });
  const text = (security: object[], more: object = {}) =>
    api('t', {
      security: [{ main: ['top'] }],
      components: {
        securitySchemes: {
          main: oidc({ scopes_required: ['z', 'a'], issuer: 'https://ours' }),
          other: oidc(),
          key: { type: 'apiKey', in: 'header', name: 'apikey' },
        },
      },
      paths: { '/a': { get: {} }, '/b': { get: { security } } },
      ...more,
    });

  it('becomes a plugin only when asked', () => {
    expect(JSON.stringify(convert(text([{ other: ['s'] }])))).not.toContain('openid-connect');
    const document = convert(text([{ other: ['s'] }]), { generateSecurity: true });
    expect(plugins(services(document)[0])).toEqual([
      {
        name: 'openid-connect',
        config: { scopes_required: ['a', 'top', 'z'], issuer: 'https://ours' },
      },
    ]);
    expect(routes(document).map((route) => plugins(route))).toEqual([
      [],
      [{ name: 'openid-connect', config: { scopes_required: ['s'], issuer: 'https://issuer' } }],
    ]);
  });

  it.each([
    [[{ main: [] }, { other: [] }], 'only a single security-requirement is supported'],
    [[{ main: [], other: [] }], 'only a single security-scheme is supported'],
    [[{ none: [] }], "no security-schemes with name 'none' found in components"],
    [[{ key: [] }], "only security-schemes of type 'openIdConnect' are supported"],
  ])('that Kong has no plugin for is refused: %j', (security, message) => {
    expect(() => convert(text(security), { generateSecurity: true })).toThrow(message);
    const passed = convert(text(security), { generateSecurity: true, ignoreSecurityErrors: true });
    expect(plugins(services(passed)[0])).toMatchObject([{ name: 'openid-connect' }]);
    expect(routes(passed).map((route) => plugins(route))).toEqual([[], []]);
  });
});
