import { CelFailure, compileCel, jsonOfCel } from '@waygate/text';
import { expect, test } from 'vitest';
import {
  authorizerType,
  CelAccess,
  CelAuthorizer,
  resourceCheckType,
} from './authorizer-library.ts';
import { declarations } from './environment.ts';

function evaluate(
  text: string,
  variables: Record<string, CelAuthorizer | CelAccess> = {},
): unknown {
  const environment = declarations.with({
    authorizer: authorizerType,
    'authorizer.requestResource': resourceCheckType,
  });
  const checked = compileCel(text, environment);
  if ('issues' in checked) throw new Error(checked.issues);
  const program = checked.program(environment);
  if (program instanceof CelFailure) throw new Error(program.message);
  const { value } = program.evaluate((name) => variables[name]);
  if (value instanceof CelFailure) throw new Error(value.message);
  return jsonOfCel(value);
}

test.each<[string, unknown]>([
  ["format.dns1123Label().validate('ok').hasValue()", false],
  ["format.dns1123Label().validate('NO').hasValue()", true],
  ["format.dns1123LabelPrefix().validate('ok-').hasValue()", false],
  ["format.uri().validate('example.com').hasValue()", true],
  ["format.named('uuid').value().validate('x').value()", ['does not match the UUID format']],
  ["format.named('nothing').hasValue()", false],
  ["format.dns1123Label() == format.named('dns1123Label').value()", true],
  ["quantity('1Gi').add(quantity('1Gi')).sub(1024).isLessThan(quantity('2Gi'))", true],
  ["quantity('1000m') == quantity('1')", true],
  ["quantity('50M').compareTo(quantity('100M'))", -1],
  ["sign(quantity('-1'))", -1],
  ["quantity('1.5').isInteger()", false],
  ["quantity('2k').asInteger()", 2000],
  ["quantity('2500m').asApproximateFloat()", 2.5],
  ["isQuantity('200GB')", false],
])('%s', (expression, expected) => {
  expect(evaluate(expression)).toEqual(expected);
});

test.each([
  ["quantity('x')", 'quantities must match the regular expression'],
  ["quantity('1.5').asInteger()", 'cannot convert value to integer'],
  ["authorizer.path('')", 'path must not be empty'],
  ["'x'.validate('y')", "found no matching overload for 'validate'"],
])('%s fails', (expression, why) => {
  const authorizer = new CelAuthorizer(
    { authorize: () => ({ isAllowed: true, reason: '' }) },
    { username: 'x', uid: '', groups: [], extra: {} },
  );
  expect(() => evaluate(expression, { authorizer })).toThrow(why);
});

test('asks what somebody may do', () => {
  const authorizer = new CelAuthorizer(
    {
      authorize: ({ user, verb, group, resource, namespace, path, isResource }) => ({
        isAllowed: isResource
          ? user.username === 'jane' &&
            `${verb} ${group}/${resource} ${namespace}` === 'get apps/deployments n'
          : path === '/healthz',
        reason: 'because',
      }),
    },
    { username: 'jane', uid: '', groups: [], extra: {} },
  );
  const own = { group: 'apps', resource: 'deployments', namespace: 'n' };
  const request = new CelAccess('ResourceCheck', authorizer, own);
  const ask = (expression: string) =>
    evaluate(expression, { authorizer, 'authorizer.requestResource': request });
  const place = "authorizer.group('apps').resource('deployments').namespace('n')";
  expect(ask(`${place}.check('get').allowed()`)).toBe(true);
  expect(ask(`${place}.check('delete').allowed()`)).toBe(false);
  expect(ask(`${place}.check('get').reason()`)).toBe('because');
  expect(ask("authorizer.requestResource.check('get').allowed()")).toBe(true);
  expect(ask("authorizer.path('/healthz').check('get').allowed()")).toBe(true);
  const account = "authorizer.serviceAccount('n', 'x')";
  expect(ask(`${account}.group('apps').resource('deployments').check('get').allowed()`)).toBe(
    false,
  );
});
