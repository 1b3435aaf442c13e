import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccessRule, type AccessWorld, startAccessWorld } from '../testing/access-world.ts';

let world: AccessWorld;
const group = 'admissionregistration.k8s.io';
const base = `/apis/${group}/v1`;

beforeAll(async () => {
  world = await startAccessWorld();
});

afterAll(() => world.stop());

const writer: AccessRule = { apiGroups: [group], resources: ['*'], verbs: ['*'] };
const core = (resources: string[], verbs: string[], resourceNames?: string[]): AccessRule => ({
  apiGroups: [''],
  resources,
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

const policy = (name: string, kind = 'Secret') => ({
  metadata: { name },
  spec: {
    failurePolicy: 'Ignore',
    paramKind: { apiVersion: 'v1', kind },
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['none.example.com'],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['nothings'],
        },
      ],
    },
    validations: [{ expression: 'true' }],
  },
});

const binding = (name: string, policyName: string, paramRef: object) => ({
  metadata: { name },
  spec: {
    policyName,
    validationActions: ['Deny'],
    paramRef: { parameterNotFoundAction: 'Deny', ...paramRef },
  },
});

test.each<[string, AccessRule[], boolean]>([
  ['none on Secrets', [], false],
  ['"get" on Secrets', [core(['secrets'], ['get'])], true],
  ['"list" on Secrets', [core(['secrets'], ['list'])], false],
  ['"get" on one Secret', [core(['secrets'], ['get'], ['a'])], false],
  ['"get" on ConfigMaps', [core(['configmaps'], ['get'])], false],
])('a policy with parameters and rights: %s → %s', async (_title, rules, isAllowed) => {
  const who = await world.user([writer, ...rules]);
  const name = world.fresh('policy');
  const verdict = await who.ask('POST', `${base}/validatingadmissionpolicies`, policy(name));
  expect(verdict.message).toBe(
    isAllowed
      ? ''
      : `ValidatingAdmissionPolicy.${group} "${name}" is invalid: spec.paramKind: Forbidden: user &{${who.name}  [system:authenticated] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`,
  );
  expect(verdict.code).toBe(isAllowed ? 201 : 422);
});

test.each<[string, AccessRule[], object, 'get' | 'list', boolean]>([
  ['nothing', [], { namespace: 'default', name: 'a' }, 'get', false],
  [
    '"get" on it',
    [core(['secrets'], ['get'], ['a'])],
    { namespace: 'default', name: 'a' },
    'get',
    true,
  ],
  [
    '"get" on another',
    [core(['secrets'], ['get'], ['b'])],
    { namespace: 'default', name: 'a' },
    'get',
    false,
  ],
  ['"get" on all for a selection', [core(['secrets'], ['get'])], { selector: {} }, 'list', false],
  ['"list" on all for a selection', [core(['secrets'], ['list'])], { selector: {} }, 'list', true],
])('a binding to a parameter with rights: %s', async (_title, rules, paramRef, verb, isAllowed) => {
  const policyName = world.fresh('policy');
  await world.admin.ask('POST', `${base}/validatingadmissionpolicies`, policy(policyName));
  const who = await world.user([writer, ...rules]);
  const name = world.fresh('binding');
  const verdict = await who.ask(
    'POST',
    `${base}/validatingadmissionpolicybindings`,
    binding(name, policyName, paramRef),
  );
  expect(verdict.message).toBe(
    isAllowed
      ? ''
      : `ValidatingAdmissionPolicyBinding.${group} "${name}" is invalid: spec.paramRef: Forbidden: user &{${who.name}  [system:authenticated] map[]} does not have "${verb}" permission on the object referenced by paramRef`,
  );
});

test('a binding to a policy that is not there wants all that it could name', async () => {
  const who = await world.user([writer, core(['*'], ['*'])]);
  const name = world.fresh('binding');
  const verdict = await who.ask(
    'POST',
    `${base}/validatingadmissionpolicybindings`,
    binding(name, 'not-there', { namespace: 'default', name: 'a' }),
  );
  expect(verdict.message).toContain(
    'unable to get policy not-there to determine minimum required permissions',
  );
});

test('what others gave stays when the rest is changed', async () => {
  const name = world.fresh('policy');
  const place = `${base}/validatingadmissionpolicies`;
  await world.admin.ask('POST', place, policy(name));
  const who = await world.user([writer]);
  const type = { 'Content-Type': 'application/merge-patch+json' };
  const same = await who.ask(
    'PATCH',
    `${place}/${name}`,
    { spec: { failurePolicy: 'Fail' } },
    type,
  );
  expect(same.code).toBe(200);
  const other = { spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } };
  expect((await who.ask('PATCH', `${place}/${name}`, other, type)).code).toBe(422);
});
