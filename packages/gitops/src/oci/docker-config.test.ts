import { expect, test } from 'vitest';
import { DockerConfig } from './docker-config.ts';

const config = DockerConfig.of([
  {
    '.dockerconfigjson': JSON.stringify({
      auths: {
        'https://index.docker.io/v1/': { username: 'hub', password: 'p' },
        'ghcr.io': { auth: Buffer.from('me:pass:word').toString('base64') },
        'ghcr.io/team': { username: 'team', password: 'p' },
        '*.example.com': { identitytoken: 'identity' },
        'token.example.org:5000': { registrytoken: 'registry' },
        'broken.example.net': { auth: 'no colon' },
      },
    }),
  },
  { '.dockercfg': JSON.stringify({ 'old.example.net': { username: 'old', password: 'p' } }) },
  { other: 'not a pull secret' },
]);

test.each([
  ['index.docker.io', 'library/nginx', { kind: 'password', username: 'hub', password: 'p' }],
  ['ghcr.io', 'org/app', { kind: 'password', username: 'me', password: 'pass:word' }],
  ['ghcr.io', 'team/app', { kind: 'password', username: 'team', password: 'p' }],
  ['ghcr.io', 'teams/app', { kind: 'password', username: 'me', password: 'pass:word' }],
  ['a.example.com', 'app', { kind: 'identityToken', token: 'identity' }],
  ['a.b.example.com', 'app', undefined],
  ['token.example.org:5000', 'app', { kind: 'registryToken', token: 'registry' }],
  ['token.example.org', 'app', undefined],
  ['old.example.net', 'app', { kind: 'password', username: 'old', password: 'p' }],
  ['broken.example.net', 'app', undefined],
  ['evil-ghcr.io', 'org/app', undefined],
])('%s/%s', (registry, repository, credentials) => {
  expect(config.credentialsFor(registry, repository)).toEqual(credentials);
});

test('what cannot be read is told without what is in it', () => {
  expect(() => DockerConfig.of([{ '.dockerconfigjson': '{"auths": secret' }])).toThrow(
    /^the image pull secret is no docker configuration$/,
  );
});
