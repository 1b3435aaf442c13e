import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

const registration = '/apis/admissionregistration.k8s.io/v1';

test('a bound policy refuses what its expression does not hold for', async () => {
  const server = await startTestServer();
  try {
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'small' },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [''],
              apiVersions: ['v1'],
              operations: ['CREATE'],
              resources: ['configmaps'],
            },
          ],
        },
        validations: [{ expression: 'size(object.data) <= 1', message: 'one key at most' }],
      },
    };
    expect(
      (await server.request('POST', `${registration}/validatingadmissionpolicies`, policy)).status,
    ).toBe(201);
    const path = `/api/v1/namespaces/${await server.namespace()}/configmaps`;
    const large = { metadata: { name: 'large' }, data: { a: '1', b: '2' } };
    expect((await server.request('POST', `${path}?dryRun=All`, large)).status).toBe(201);
    const binding = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'everywhere' },
      spec: { policyName: 'small', validationActions: ['Deny'] },
    };
    await server.request('POST', `${registration}/validatingadmissionpolicybindings`, binding);
    const refused = await server.request('POST', path, large);
    expect(refused.status).toBe(422);
    expect((refused.body as { message: string }).message).toBe(
      `configmaps "large" is forbidden: ValidatingAdmissionPolicy 'small' with binding 'everywhere' denied request: one key at most`,
    );
    const small = { metadata: { name: 'small' }, data: { a: '1' } };
    expect((await server.request('POST', path, small)).status).toBe(201);
  } finally {
    await server.stop();
  }
});
