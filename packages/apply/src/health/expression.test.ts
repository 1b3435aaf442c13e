import { describe, expect, test } from 'vitest';
import { compileExpression, ExpressionBudget } from './expression.ts';

const object = { status: { phase: 'Ready', count: 3n, names: ['a', 'b'], missing: null } };

describe('an expression', () => {
  test.each([
    `'abc'.charAt(1) == 'b' && 'abc'.charAt(3) == ''`,
    `'a-b-c'.replace('-', '+') == 'a+b+c'`,
    `'a-b-c'.replace('-', '+', 1) == 'a+b-c' && 'a-b'.replace('-', '+', 0) == 'a-b'`,
    `'ab'.replace('', '_', 2) == '_a_b'`,
    `'abc'.reverse() == 'cba'`,
    `strings.quote('a"b') == '"a\\\\"b"'`,
    `'%s has %d, %.2f, %x, %b %%'.format(['it', 3, 1.5, 255, true]) == 'it has 3, 1.50, ff, 1 %'`,
    `'%s'.format([['a', 'b']]) == '[a, b]'`,
    `'%e'.format([1234.5]) == '1.234500e+03'`,
    `base64.decode(base64.encode(b'hello')) == b'hello'`,
    `status.names.join(',').split(',').size() == 2`,
    `status.phase.matches('^Re.*y$') && !'x.matches(y)'.matches('^z')`,
    `status.?nothing.orValue('none') == 'none'`,
    `sets.contains(status.names, ['a'])`,
    `status.phase.lowerAscii() == 'ready' // status.phase.matches('no')`,
  ])('%s holds', (text) => {
    expect(compileExpression(text).evaluate(object)).toBe(true);
  });

  test.each([
    [`'a'.charAt(5) == 'a'`, 'index out of range'],
    [`'%d'.format(['a']) == 'a'`, 'can only be used on integers'],
    [`'%d'.format([]) == 'a'`, 'out of range'],
    [`'a'.matches('(') `, 'matches|missing'],
    [`status.phase`, 'as boolean'],
  ])('%s cannot be evaluated', (text, said) => {
    expect(() => compileExpression(text).evaluate(object)).toThrow(new RegExp(said));
  });

  test('takes no longer for a hostile expression and a long text', () => {
    const hostile = compileExpression(`text.matches('^(a+)+$')`);
    const started = process.cpuUsage();
    expect(hostile.evaluate({ text: `${'a'.repeat(5000)}!` })).toBe(false);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });

  const many = { list: Array.from({ length: 2000 }, (_, index) => index) };

  test('is stopped when it costs more than it may, and says how much that is', () => {
    const nested = compileExpression('list.all(a, list.all(b, list.all(c, a + b + c >= 0)))');
    expect(() => nested.evaluate(many)).toThrow(/costs more than the 200000 units/);
  });

  test('shares what the expressions of one reconciliation may cost', () => {
    const once = compileExpression('list.all(a, a >= 0)');
    const budget = new ExpressionBudget(30_000);
    expect(once.evaluate(many, budget)).toBe(true);
    expect(() => {
      for (let round = 0; round < 10; round += 1) once.evaluate(many, budget);
    }).toThrow(/expressions of one reconciliation may cost 30000 units together/);
    expect(once.evaluate(many)).toBe(true);
  });

  test('a field may be called as a type is', () => {
    const secret = { type: 'Opaque', list: [1], count: 1 };
    expect(compileExpression(`type == 'Opaque' && list.size() == 1`).evaluate(secret)).toBe(true);
    expect(compileExpression('type(count) == int').evaluate({ count: 1 })).toBe(true);
  });

  test('names a variable that does not exist by all that was asked of it', () => {
    expect(() => compileExpression('foo.bar == 1').evaluate({})).toThrow(
      "failed to evaluate the CEL expression 'foo.bar == 1': no such attribute(s): foo.bar",
    );
  });
});
