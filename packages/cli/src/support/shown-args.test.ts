import { expect, test } from 'vitest';
import { isSecretVariable, shownArgs } from './shown-args.ts';

test.each<[string, string[], string[]]>([
  ['what is no secret', ['controller', '--log-format=json'], ['controller', '--log-format=json']],
  ['one word', ['--kong-admin-token=abc'], ['--kong-admin-token=***']],
  [
    'two words',
    ['--kong-admin-token', 'abc', '--log-level', 'info'],
    ['--kong-admin-token', '***', '--log-level', 'info'],
  ],
  ['a header', ['--kong-admin-header=x-key:abc'], ['--kong-admin-header=***']],
  ['one dash', ['-token=abc', '-token', 'abc'], ['-token=***', '-token', '***']],
  ['a value with an equals sign', ['--kong-admin-token=a=b'], ['--kong-admin-token=***']],
  ['a flag without its value', ['--kong-admin-token', '--yes'], ['--kong-admin-token', '--yes']],
  ['a value that begins with a dash', ['--token', '-abc', '-v'], ['--token', '***', '-v']],
  ['a file', ['--admission-webhook-key-file=/x'], ['--admission-webhook-key-file=/x']],
  ['the name of a Secret', ['--admission-webhook-secret=x'], ['--admission-webhook-secret=x']],
])('a command line with %s', (_what, args, shown) => {
  expect(shownArgs(args)).toEqual(shown);
});

test.each([
  ['CONTROLLER_KONG_ADMIN_TOKEN', true],
  ['OTEL_EXPORTER_OTLP_HEADERS', true],
  ['CONTROLLER_KONG_ADMIN_HEADER', true],
  ['KONG_PG_PASSWORD', true],
  ['POD_NAMESPACE', false],
  ['CONTROLLER_KONG_ADMIN_TOKEN_FILE', false],
])('the variable %s is a secret: %s', (name, isSecret) => {
  expect(isSecretVariable(name)).toBe(isSecret);
});
