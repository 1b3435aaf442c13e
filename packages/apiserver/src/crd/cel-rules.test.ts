import { describe, expect, test } from 'vitest';
import { evaluateCel } from '../cel/environment.ts';
import { celProblems } from './cel-rules.ts';

describe('the functions that Kubernetes adds to CEL', () => {
  test.each([
    ["self.matches('^a+$')", { self: 'aaa' }, true],
    ["self.matches('^(a+)+$')", { self: `${'a'.repeat(5000)}!` }, false],
    ["'%s has %d'.format([self.name, self.size])", { self: { name: 'a', size: 3 } }, 'a has 3'],
    ['self.isSorted()', { self: [1, 2, 2, 3] }, true],
    ['self.isSorted()', { self: ['b', 'a'] }, false],
    ['self.sum() == 6', { self: [1, 2, 3] }, true],
    ['self.min() == 1 && self.max() == 3', { self: [2, 1, 3] }, true],
    ["self.indexOf('b') == 1 && self.lastIndexOf('b') == 2", { self: ['a', 'b', 'b'] }, true],
    ['sets.contains(self, [2])', { self: [1, 2] }, true],
    ["quantity(self).isLessThan(quantity('1Gi'))", { self: '512Mi' }, true],
    ["quantity('1.5').isInteger()", {}, false],
    ["quantity('2k').asInteger() == 2000", {}, true],
    ["quantity('50M').add(quantity('50M')).compareTo(quantity('100M')) == 0", {}, true],
    ["isQuantity('200GB')", {}, false],
    ["isURL('https://example.com:80/') && !isURL('example.com')", {}, true],
    ["url('https://u@[::1]:80/a?x=1').getHostname() == '::1'", {}, true],
    ["url('https://example.com:80/').getHostname() == 'example.com'", {}, true],
    ["url('https://example.com:80/').getPort() == '80'", {}, true],
    ["url('/path?k=a&k=b').getQuery()['k'].size() == 2", {}, true],
    ["base64.encode(b'hello') == 'aGVsbG8='", {}, true],
    ["self.?name.orValue('none')", { self: {} }, 'none'],
  ])('%s', (expression, context, expected) => {
    expect(evaluateCel(expression, context)).toBe(expected);
  });

  test('what cannot be evaluated is said in the words of the rule', () => {
    const schema = { 'x-kubernetes-validations': [{ rule: 'self.matches(1)' }] };
    const [problem] = celProblems('a', undefined, schema, 'spec');
    expect(problem?.detail).toContain('matches(');
    expect(problem?.detail).not.toContain('LinearTime');
  });
});
