import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import { sanitizeConfig } from './sanitize-config.ts';

const id = '11111111-2222-4333-8444-555555555555';
const hash = (text: string) => createHash('sha256').update(`salt${text}`).digest('hex');
const config = {
  _format_version: '3.0',
  _info: { select_tags: ['team-a'] },
  services: [
    {
      id,
      name: 'shop',
      host: 'shop.internal',
      port: 8080,
      protocol: 'https',
      tags: ['team-a'],
      routes: [{ name: 'all', paths: ['/private'], methods: ['GET'], protocols: ['http'] }],
      plugins: [{ name: 'key-auth', config: { key_names: ['x-secret'], key_in_header: true } }],
    },
  ],
  consumers: [
    {
      username: 'al@example.com',
      keyauth_credentials: [{ key: 'very-secret' }],
      basicauth_credentials: [{ username: 'al', password: '{vault://env/al}' }],
      groups: [{ name: 'gold' }],
    },
  ],
  plugins: [
    { name: 'rate-limiting', service: 'shop', config: { minute: 5, policy: 'local' } },
    { name: 'http-log', config: { http_endpoint: 'https://log.internal/x', headers: { a: 'b' } } },
  ],
  upstreams: [{ name: 'pool', targets: [{ target: '10.0.0.1:8000', weight: 1 }] }],
  certificates: [
    { id, cert: '-----BEGIN CERTIFICATE-----\nMII', key: 'k', snis: [{ name: 'a.b' }] },
  ],
} as unknown as DeclarativeConfig;

describe('sanitizeConfig', () => {
  it('hashes texts, and keeps what only says what an entity is', () => {
    expect(sanitizeConfig(config, 'salt')).toEqual({
      _format_version: '3.0',
      _info: { select_tags: [hash('team-a')] },
      services: [
        {
          id,
          name: hash('shop'),
          host: hash('shop.internal'),
          port: 8080,
          protocol: 'https',
          tags: [hash('team-a')],
          routes: [
            {
              name: hash('all'),
              paths: [`/redacted/path/${hash('/private')}`],
              methods: ['GET'],
              protocols: ['http'],
            },
          ],
          plugins: [
            { name: 'key-auth', config: { key_names: [hash('x-secret')], key_in_header: true } },
          ],
        },
      ],
      consumers: [
        {
          username: `email@${hash('al@example.com')}.redacted`,
          keyauth_credentials: [{ key: hash('very-secret') }],
          basicauth_credentials: [{ username: hash('al'), password: '{vault://env/al}' }],
          groups: [{ name: hash('gold') }],
        },
      ],
      plugins: [
        { name: 'rate-limiting', service: hash('shop'), config: { minute: 5, policy: 'local' } },
        {
          name: 'http-log',
          config: {
            http_endpoint: `https://${hash('https://log.internal/x')}.redacted`,
            headers: { a: hash('b') },
          },
        },
      ],
      upstreams: [
        { name: hash('pool'), targets: [{ target: `${hash('10.0.0.1')}:8000`, weight: 1 }] },
      ],
      certificates: [
        {
          id,
          cert: `-----BEGIN CERTIFICATE-----\n${hash('-----BEGIN CERTIFICATE-----\nMII')}\n-----END CERTIFICATE-----`,
          key: hash('k'),
          snis: [{ name: hash('a.b') }],
        },
      ],
    });
  });

  it('gives other hashes with another salt', () => {
    expect(sanitizeConfig(config, 'one')).not.toEqual(sanitizeConfig(config, 'two'));
  });

  it('hides the texts of an expression', () => {
    const routes = [{ name: 'r', expression: 'http.path ^= "/a" && http.host == "b"' }];
    const clean = sanitizeConfig({ routes } as unknown as DeclarativeConfig, 'salt');
    expect(clean.routes?.[0]).toMatchObject({
      expression: `http.path ^= "/redacted/path/${hash('/a')}" && http.host == "${hash('b')}"`,
    });
  });
});
