import { describe, expect, it } from 'vitest';
import { findRouteExpressionError } from './route-expression.ts';

describe('findRouteExpressionError', () => {
  it('points at a backreference', () => {
    expect(findRouteExpressionError({ paths: ['~/(a)\\1'] })).toBe(
      [
        'Router Expression failed validation:  --> 1:14',
        '  |',
        '1 | (http.path ~ r#"^/(a)\\1"#)',
        '  |              ^----------^',
        '  |',
        '  = regex parse error:',
        '    ^/(a)\\1',
        '         ^^',
        'error: backreferences are not supported',
      ].join('\n'),
    );
  });

  it.each([
    [['~/x(?!a)'], 'look-around'],
    [['~/x(?<=a)b'], 'invalid capture group character'],
    [['~/x(?>a)'], 'unrecognized flag'],
  ])('refuses %j', (paths, message) => {
    expect(findRouteExpressionError({ paths })).toContain(message);
  });

  it('accepts what both engines know', () => {
    expect(findRouteExpressionError({ paths: ['/a', '~/b/(?<id>\\d+)$'] })).toBeUndefined();
  });

  it('refuses a header without values', () => {
    expect(findRouteExpressionError({ headers: { 'x-a': [] } })).toContain('expected term');
  });
});
