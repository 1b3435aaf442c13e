import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const rule = {
  apiGroups: ['*'],
  apiVersions: ['*'],
  operations: ['CREATE'],
  resources: ['pods'],
};
const matchConstraints = { resourceRules: [rule] };
const validations = [{ expression: 'true' }];

test.each<[string, object, string]>([
  ['ValidatingAdmissionPolicy', {}, 'spec.matchConstraints: Required value'],
  [
    'ValidatingAdmissionPolicy',
    { matchConstraints, validations: [{ expression: ' ' }] },
    'spec.validations[0].expression: Required value: expression is not specified',
  ],
  [
    'ValidatingAdmissionPolicy',
    { matchConstraints, validations, variables: [{ name: 'a-b', expression: '1' }] },
    'spec.variables[0].name: Invalid value: "a-b": must be a valid CEL identifier',
  ],
  [
    'ValidatingAdmissionPolicy',
    { matchConstraints, validations, paramKind: { apiVersion: 'a/b/c', kind: 'X' } },
    'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ],
  [
    'ValidatingAdmissionPolicy',
    { matchConstraints: { resourceRules: [{ ...rule, resources: ['*', 'pods'] }] }, validations },
    `spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
  ],
  [
    'ValidatingAdmissionPolicyBinding',
    { policyName: 'p', validationActions: ['Deny', 'Deny'] },
    'spec.validationActions[1]: Duplicate value: "Deny"',
  ],
  [
    'ValidatingAdmissionPolicyBinding',
    { policyName: 'p', validationActions: ['Deny'], paramRef: {} },
    '[spec.paramRef: Required value: one of name or selector must be specified, spec.paramRef.parameterNotFoundAction: Required value]',
  ],
  [
    'MutatingAdmissionPolicy',
    { matchConstraints, mutations: [{ patchType: 'JSONPatch' }] },
    '[spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch, spec.reinvocationPolicy: Required value]',
  ],
])('%s %j', async (kind, spec, message) => {
  const plural = kind.endsWith('y')
    ? `${kind.toLowerCase().slice(0, -1)}ies`
    : `${kind.toLowerCase()}s`;
  const path = `/apis/admissionregistration.k8s.io/v1/${plural}`;
  const { status, body } = await server.request('POST', path, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'x' },
    spec,
  });
  expect(status).toBe(422);
  expect((body as { message: string }).message).toContain(message);
});
