import { expect, test } from 'vitest';
import { unknownNginxVariable } from './nginx-variable.ts';

test.each([
  ['', undefined],
  [`plain $ text \${}`, `\${}`],
  [`$scheme://$http_host\${request_uri}`, undefined],
  ['$1 $9 $http_x_any $cookie_a $arg_b', undefined],
  ['a $nobody $scheme', '$nobody'],
  [`\${schemes}`, `\${schemes}`],
  ['$http_', '$http_'],
  ['$constructor', '$constructor'],
])('%j: %s', (text, unknown) => {
  expect(unknownNginxVariable(text)).toBe(unknown);
});
