import type { ConnectionConfig } from '@waygate/kube';
import { describe, expect, test } from 'vitest';
import { accessOf } from './cluster-access.ts';

const config: ConnectionConfig = {
  server: 'https://one.example',
  namespace: 'shop',
  tls: { caData: 'ca', certificateData: 'certificate', keyData: 'key' },
};

describe('a cluster as the kubeconfig has it', () => {
  test.each([
    ['nothing given', {}, config],
    [
      'another server',
      { server: 'https://two.example' },
      { ...config, server: 'https://two.example' },
    ],
    [
      'another authority',
      { certificateAuthority: 'ca.pem' },
      { ...config, tls: { ...config.tls, caData: undefined, caFile: 'ca.pem' } },
    ],
    [
      'any certificate',
      { insecureSkipTlsVerify: true },
      { ...config, tls: { ...config.tls, insecureSkipTlsVerify: true } },
    ],
    [
      'somebody else',
      { as: 'ada', asGroup: ['dev', 'ops'] },
      { ...config, impersonation: { user: 'ada', groups: ['dev', 'ops'] } },
    ],
  ])('with %s', (_, flags, wanted) => {
    expect(accessOf(config, flags)).toEqual(wanted);
  });

  test('with another token', async () => {
    const { credentials } = accessOf(config, { token: 'secret' });
    expect(await credentials?.get()).toEqual({ token: 'secret' });
  });

  test('groups without a user are refused', () => {
    expect(() => accessOf(config, { asGroup: ['dev'] })).toThrow('go with --as');
  });
});
