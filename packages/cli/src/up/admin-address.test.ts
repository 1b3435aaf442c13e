import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminBeside, chosenAdmin } from './admin-address.ts';

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'waygate-admin-address-'));
  const make = (name: string, files: Record<string, string>): void => {
    mkdirSync(join(home, name));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(home, name, file), text);
  };
  make('stack', { 'admin-token': 'secret\n', 'ports.json': '{"admin":4711}' });
  make('foreign', { kubeconfig: '' });
  make('cut', { 'admin-token': 'secret\n', 'ports.json': '{"adm' });
  make('empty', { 'admin-token': '\n', 'ports.json': '{"admin":4711}' });
  make('unstarted', { 'admin-token': 'secret\n', 'ports.json': '{"admin":0}' });
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const stack = { url: 'http://127.0.0.1:4711', token: 'secret' };

describe('beside a kubeconfig', () => {
  test('by flag, and the flag alone counts', () => {
    const context = { cwd: home, env: { KUBECONFIG: 'stack/kubeconfig' } };
    expect(adminBeside('stack/kubeconfig', context)).toEqual(stack);
    expect(adminBeside('foreign/kubeconfig', context)).toBeUndefined();
  });

  test('by the environment, the first that is of a stack', () => {
    const both = ['foreign/kubeconfig', '', join(home, 'stack', 'kubeconfig')].join(delimiter);
    expect(adminBeside(undefined, { cwd: home, env: { KUBECONFIG: both } })).toEqual(stack);
    expect(adminBeside(undefined, { cwd: home, env: {} })).toBeUndefined();
  });

  test.each(['foreign', 'cut', 'empty', 'unstarted', 'nowhere'])('not in %s', (name) => {
    expect(adminBeside(`${name}/kubeconfig`, { cwd: home, env: {} })).toBeUndefined();
  });
});

describe('the token that was found is shown to nobody else', () => {
  test.each<[string | undefined, object]>([
    [undefined, stack],
    ['http://127.0.0.1:4711', stack],
    ['http://127.0.0.1:4711/', stack],
    ['http://localhost:4711', stack],
    ['http://127.0.0.1:4712', { url: 'http://127.0.0.1:4712' }],
    ['https://127.0.0.1:4711', { url: 'https://127.0.0.1:4711' }],
    ['http://kong.example:4711', { url: 'http://kong.example:4711' }],
    ['http://127.0.0.1:4711@evil.example', { url: 'http://127.0.0.1:4711@evil.example' }],
  ])('%s', (wanted, chosen) => {
    expect(chosenAdmin(wanted, stack)).toEqual(chosen);
  });

  test('without a stack, where decK looks', () => {
    expect(chosenAdmin(undefined, undefined)).toEqual({ url: 'http://localhost:8001' });
  });
});
