import { expect, it } from 'vitest';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import { findDiagnostics, parseDiagnosticCodes } from './diagnostics.ts';

const routes = { routes: [{ name: 'r', paths: ['/a/\\d+'] }] };
const groups = {
  plugins: [{ name: 'rate-limiting-advanced', config: { consumer_groups: ['g'] } }],
};
const login = { services: [{ name: 's', plugins: [{ name: 'openid-connect', config: {} }] }] };

it.each([
  ['a path', routes, '3.9.1', [['route-regex-path-format', 'warning']]],
  ['a path for Kong 2', routes, '2.8.0', []],
  ['groups', groups, '3.4.0.0', [['rla-consumer-groups-deprecated', 'error']]],
  ['groups before', groups, '3.3.1', []],
  ['a nested plugin', login, '3.9.1', [['oidc-missing-required-config', 'error']]],
])('finds %s', (_what, config, version, wanted) => {
  const found = findDiagnostics(config as DeclarativeConfig, version);
  expect(found.map(({ code, severity }) => [code, severity])).toEqual(wanted);
});

it('takes warnings for errors and errors for warnings, errors first', () => {
  const code = 'route-regex-path-format';
  const severity = (policy: object) =>
    findDiagnostics(routes as DeclarativeConfig, '3.9.1', policy)[0]?.severity;
  expect(severity({ errors: [code] })).toBe('error');
  expect(severity({ errors: [code], warnings: [code] })).toBe('error');
  const [group] = findDiagnostics(groups as DeclarativeConfig, '3.4.0', {
    warnings: ['rla-consumer-groups-deprecated'],
  });
  expect(group?.severity).toBe('warning');
});

it('reads a list of codes', () => {
  expect(parseDiagnosticCodes(' route-regex-path-format, ,route-regex-path-format')).toEqual({
    codes: ['route-regex-path-format'],
  });
  expect(parseDiagnosticCodes('constructor').problem).toContain(
    'unknown diagnostic code: constructor',
  );
});
