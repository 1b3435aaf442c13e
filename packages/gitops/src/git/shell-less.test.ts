import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askingScript, limitedCall, printingScript, wrapperScript } from './shell-less.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-shell-less-'));
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

function script(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, 0o700);
  return path;
}

describe.each([
  ['with a shell', true],
  ['without', false],
])('%s', (name, withShell) => {
  const hasTools = withShell || spawnSync('prlimit', ['--version']).status === 0;

  test.skipIf(!hasTools)('a file beyond the limit fails, and tells so', () => {
    const file = join(directory, `${name}.out`);
    const write = `require('fs').writeFileSync(${JSON.stringify(file)}, Buffer.alloc(10_000))`;
    const { command, args } = limitedCall(process.execPath, ['-e', write], 1_024, withShell);
    const { status, signal, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    expect(signal).toBeNull();
    expect(status).not.toBe(0);
    expect(stderr).toContain('EFBIG');
    expect(statSync(file).size).toBe(1_024);
  });

  test('a file is printed as it is', () => {
    const secret = join(directory, 'secret');
    writeFileSync(secret, 'a pass phrase\n');
    const path = script(`${name}-print`, printingScript(secret, withShell));
    expect(execFileSync(path, { encoding: 'utf8' })).toBe('a pass phrase\n');
  });
});

test('arguments and the exit code go through a wrapper as they are', () => {
  const words = ['-e', 'console.log(JSON.stringify(process.argv.slice(1))); process.exit(3)'];
  const path = script('wrapper', wrapperScript(process.execPath, [...words, "it's", '$HOME']));
  const { status, stdout } = spawnSync(path, ['a b', ''], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual(["it's", '$HOME', 'a b', '']);
  expect(status).toBe(3);
});

test('git is told who we are for one server only', () => {
  const file = join(directory, 'credentials');
  writeFileSync(file, "username=reader\npassword=a=b 'c'\n");
  const path = script('ask', askingScript(file, 'https://git.example.com:8443'));
  const ask = (prompt: string) => spawnSync(path, [prompt], { encoding: 'utf8' });
  expect(ask("Username for 'https://git.example.com:8443': ").stdout).toBe('reader\n');
  expect(ask("Password for 'https://reader@git.example.com:8443': ").stdout).toBe("a=b 'c'\n");
  for (const place of [
    'https://git.example.com',
    'https://evil.example/https://git.example.com:8443',
  ])
    expect(ask(`Password for '${place}': `)).toMatchObject({ status: 1, stdout: '' });
  expect(ask('Are you sure?').status).toBe(1);
});
