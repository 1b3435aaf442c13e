import { expect, test } from 'vitest';
import { CelAuthorizer } from './authorizer-functions.ts';
import { BudgetExceeded } from './budget.ts';
import { compileCel, evaluateCel, fromCel } from './environment.ts';

test.each<[string, unknown]>([
  ["'abc 123'.find('[0-9]+')", '123'],
  ["'none'.find('[0-9]+')", ''],
  ["'1, 22, 333'.findAll('[0-9]+')", ['1', '22', '333']],
  ["'1, 22, 333'.findAll('[0-9]+', 2)", ['1', '22']],
  ["isIP('10.0.0.1') && isIP('::1') && !isIP('10.0.0.256')", true],
  ["!isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0')", true],
  ["ip('2001:DB8::1') == ip('2001:db8:0:0::1')", true],
  ["string(ip('2001:db8:0:0::1'))", '2001:db8::1'],
  ["ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')", true],
  ["ip('127.0.0.1').family()", 4],
  ["ip('127.0.0.1').isLoopback() && ip('::1').isLoopback()", true],
  ["ip('0.0.0.0').isUnspecified() && ip('169.254.1.1').isLinkLocalUnicast()", true],
  ["ip('224.0.0.1').isLinkLocalMulticast() && ip('8.8.8.8').isGlobalUnicast()", true],
  ["cidr('192.168.0.0/24').containsIP('192.168.0.7')", true],
  ["cidr('192.168.0.0/24').containsIP(ip('192.168.1.7'))", false],
  ["cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')", true],
  ["cidr('192.168.0.0/16').containsCIDR(cidr('192.0.0.0/8'))", false],
  ["string(cidr('192.168.1.7/24').masked())", '192.168.1.0/24'],
  ["cidr('::1/128').prefixLength()", 128],
  ["cidr('10.0.0.9/8').ip() == ip('10.0.0.9')", true],
  ["isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0')", true],
  ["isSemver('1.2.3-rc.1+b') && !isSemver('v1.2') && isSemver('v1.2', true)", true],
  ["semver('1.2.3').isLessThan(semver('1.10.0'))", true],
  ["semver('1.0.0-alpha.2').compareTo(semver('1.0.0-alpha.10'))", -1],
  ["semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))", true],
  ["semver('v01.02', true).minor()", 2],
  ["format.dns1123Label().validate('ok').hasValue()", false],
  ["format.dns1123Label().validate('NO').hasValue()", true],
  ["format.named('uuid').value().validate('x').value()", ['does not match the UUID format']],
  ["format.named('nothing').hasValue()", false],
  ["quantity('1Gi').add(quantity('1Gi')).sub(1024).isLessThan(quantity('2Gi'))", true],
  ["quantity('1000m') == quantity('1')", true],
  ['[1, 2, 3].all(i, v, i < v)', true],
  ['[5, 6].exists(i, v, i == 1 && v == 6)', true],
  ['[5, 6].existsOne(i, v, v > 4)', false],
  ["{'a': 1, 'b': 2}.transformList(k, v, v > 1, k)", ['b']],
  ["{'a': 1, 'b': 2}.transformMap(k, v, v * 2)", { a: 2, b: 4 }],
  ["['x', 'y'].transformMapEntry(i, v, {v: i})", { x: 0, y: 1 }],
  ['[[1, 2], [3]].all(i, row, row.all(j, v, v > i + j))', true],
  ["'%s has %d'.format(['x', 3])", 'x has 3'],
  ['strings.quote("a\\"b")', '"a\\"b"'],
  ["optional.of(3).orValue(1) + {'a': 1}[?'b'].orValue(4)", 7],
])('%s', (expression, expected) => {
  expect(fromCel(evaluateCel(expression, {}))).toEqual(expected);
});

test('a wrong address or version is an error', () => {
  expect(() => evaluateCel("ip('x')", {})).toThrow('IP Address "x" parse error');
  expect(() => evaluateCel("cidr('x')", {})).toThrow('network address parse error');
  expect(() => evaluateCel("semver('1')", {})).toThrow('No Major.Minor.Patch');
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
    { group: 'apps', resource: 'deployments', namespace: 'n' },
  );
  const ask = (expression: string) => evaluateCel(expression, { authorizer });
  const place = "authorizer.group('apps').resource('deployments').namespace('n')";
  expect(ask(`${place}.check('get').allowed()`)).toBe(true);
  expect(ask(`${place}.check('delete').allowed()`)).toBe(false);
  expect(ask(`${place}.check('get').reason()`)).toBe('because');
  expect(ask("authorizer.requestResource.check('get').allowed()")).toBe(true);
  expect(ask("authorizer.path('/healthz').check('get').allowed()")).toBe(true);
  expect(
    ask(
      "authorizer.serviceAccount('n', 'x').group('apps').resource('deployments').check('get').allowed()",
    ),
  ).toBe(false);
});

test.each([
  'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))',
  'self.map(a, self.map(b, self.filter(c, c > b))).size() > 0',
  'self.all(i, a, self.all(j, b, self.all(k, c, a + b + c >= 0)))',
  'self.exists_one(a, self.exists_one(b, self.exists(c, a + b + c < 0)))',
])('a rule that goes on for ever is cut off: %s', (rule) => {
  const self = Array.from({ length: 2000 }, (_, index) => index);
  const start = performance.now();
  expect(() => evaluateCel(rule, { self })).toThrow(BudgetExceeded);
  expect(performance.now() - start).toBeLessThan(5000);
});

test('says what is wrong with an expression that is none', () => {
  expect(compileCel('1 +')).toBeInstanceOf(Error);
});
