import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunResult, runInProcess } from '../run-in-process.ts';

const state =
  '# ours\nservices:\n- name: shop\n  host: shop\n  routes:\n  - name: all\n    paths: [/]\n';

describe('waygate file', () => {
  let directory = '';
  const path = (name: string): string => join(directory, name);
  const run = (...words: string[]): Promise<RunResult> =>
    runInProcess(['file', ...words], { cwd: directory });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'waygate-file-verb-'));
    writeFileSync(path('kong.yaml'), state);
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('prints the file with tags, its keys in order', async () => {
    expect(await run('add-tags', '-s', 'kong.yaml', '--selector', 'services[*]', 'a', 'b')).toEqual(
      {
        exitCode: 0,
        stderr: '',
        stdout:
          'services:\n- host: shop\n  name: shop\n  routes:\n  - name: all\n    paths:\n    - /\n  tags:\n  - a\n  - b\n',
      },
    );
    expect(readFileSync(path('kong.yaml'), 'utf8')).toBe(state);
  });

  it('writes files that only the owner reads, over the one that it read too', async () => {
    expect(await run('add-tags', '-s', 'kong.yaml', '-o', 'new.yaml', 'a')).toMatchObject({
      exitCode: 0,
    });
    expect(statSync(path('new.yaml')).mode & 0o777).toBe(0o600);
    expect(await run('remove-tags', '-s', 'new.yaml', '-o', 'new.yaml', 'a')).toMatchObject({
      exitCode: 0,
    });
    expect(await run('list-tags', '-s', 'new.yaml')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('makes a declarative file of an OpenAPI document', async () => {
    writeFileSync(
      path('api.yaml'),
      'openapi: 3.0.0\ninfo: {title: Shop}\nx-kong-tags: [a]\npaths: {/x: {get: {}}}\n',
    );
    const flags = ['--no-id', '--select-tag', 'b,c', '--uuid-base', 'Web'];
    expect(await run('openapi2kong', '-s', 'api.yaml', ...flags)).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: [
        '_format_version: "3.0"',
        ...['services:', '- host: localhost', '  name: web', '  path: /', '  plugins: []'],
        ...['  port: 443', '  protocol: https', '  routes:', '  - methods:', '    - GET'],
        ...['    name: web_x_get', '    paths:', '    - ~/x$', '    plugins: []'],
        ...['    regex_priority: 200', '    strip_path: false', '    tags:', '    - b', '    - c'],
        ...['  tags:', '  - b', '  - c', 'upstreams: []', ''],
      ].join('\n'),
    });
    expect(await run('openapi2kong', '-s', 'kong.yaml')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("failed converting OpenAPI spec 'kong.yaml'; "),
    });
  });

  it('makes manifests for Kong Ingress Controller, and tells what they do not do', async () => {
    writeFileSync(path('all.yaml'), `${state}plugins:\n- name: prometheus\n`);
    const { exitCode, stdout, stderr } = await run('kong2kic', '-s', 'all.yaml', '--ingress');
    expect(exitCode).toBe(0);
    expect(stdout.match(/^kind: .*$/gm)).toEqual([
      ...['kind: KongClusterPlugin', 'kind: Ingress', 'kind: Service'],
    ]);
    expect(stderr).toContain('Warning: KongClusterPlugin prometheus is on nothing yet');
    expect(await run('kong2kic', '-s', 'all.yaml', '--kic-version', '4')).toMatchObject({
      exitCode: 64,
    });
  });

  it.each([
    ['merge', 'kong.yaml', '--konnect-token', 'x'],
    ['openapi2kong', '-s', 'kong.yaml', '--konnect-addr', 'https://x'],
    ['validate', 'kong.yaml', '--konnect-control-plane-name', 'x'],
    ['kong2tf', '-s', 'kong.yaml'],
  ])('refuses Konnect with the reason: %s', async (...words) => {
    expect(await run(...words)).toMatchObject({
      exitCode: 64,
      stdout: '',
      stderr: expect.stringContaining('Konnect, which is not a Kong with an Admin API'),
    });
  });

  it('never leaves half of a file that it writes over itself, by a link too', async () => {
    symlinkSync('kong.yaml', path('link.yaml'));
    const before = openSync(path('kong.yaml'), 'r');
    try {
      const words = ['add-tags', '-s', 'link.yaml', '-o', 'link.yaml', 'a'];
      expect(await run(...words)).toMatchObject({ exitCode: 0, stderr: '' });
      // Who reads the old one still has all of it: another took its place.
      expect(readFileSync(before, 'utf8')).toBe(state);
    } finally {
      closeSync(before);
    }
    expect(readlinkSync(path('link.yaml'))).toBe('kong.yaml');
    expect(readFileSync(path('kong.yaml'), 'utf8')).toContain('tags:');
    expect(readdirSync(directory).sort()).toEqual(['kong.yaml', 'link.yaml']);
  });

  it('says which file it cannot write, and leaves none', async () => {
    const { exitCode, stderr } = await run(
      'add-tags',
      '-s',
      'kong.yaml',
      '-o',
      'gone/out.yaml',
      'a',
    );
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('gone/out.yaml');
    expect(readdirSync(directory)).toEqual(['kong.yaml']);
  });

  it('lists tags line by line, and as JSON', async () => {
    writeFileSync(path('kong.yaml'), 'services: [{tags: [b, a]}]\n');
    expect(await run('list-tags', '-s', 'kong.yaml')).toMatchObject({ stdout: 'a\nb\n' });
    expect(await run('list-tags', '-s', 'kong.yaml', '--format', 'json')).toMatchObject({
      stdout: '{\n  "tags": [\n    "a",\n    "b"\n  ]\n}\n',
    });
  });

  it('patches by flags and by files, in this order', async () => {
    writeFileSync(
      path('p.yaml'),
      'patches: [{selectors: ["$.services[*]"], values: {port: 81}, remove: [host]}]\n',
    );
    const { stdout } = await run(
      'patch',
      '-s',
      'kong.yaml',
      '--selector',
      '$.services[*]',
      '--value',
      'port:80',
      '--format',
      'json',
      'p.yaml',
    );
    expect(JSON.parse(stdout)).toEqual({
      services: [{ name: 'shop', port: 81, routes: [{ name: 'all', paths: ['/'] }] }],
    });
  });

  it('adds plugins, merges, renders and namespaces', async () => {
    expect(
      await run('add-plugins', '-s', 'kong.yaml', '--config', '{"name":"cors"}', '-o', 'kong.yaml'),
    ).toMatchObject({ exitCode: 0 });
    writeFileSync(path('other.yaml'), '_format_version: "3.0"\nplugins: [{name: acl}]\n');
    expect(await run('merge', 'kong.yaml', 'other.yaml', '-o', 'all.yaml')).toMatchObject({
      exitCode: 0,
    });
    expect(await run('namespace', '-s', 'all.yaml', '-p', '/team', '-o', 'all.yaml')).toMatchObject(
      { exitCode: 0 },
    );
    expect(await run('render', 'all.yaml')).toMatchObject({
      stderr: '',
      stdout:
        '_format_version: "3.0"\nplugins:\n- name: cors\n- name: acl\nservices:\n- host: shop\n  name: shop\n  routes:\n  - name: all\n    paths:\n    - /team/\n',
    });
  });

  it('fails on what breaks a rule, and only on that', async () => {
    writeFileSync(
      path('rules.yaml'),
      'rules: {host: {given: "$.services[*].host", severity: error, then: {function: pattern, functionOptions: {match: "[.]"}}}}\n',
    );
    expect(await run('lint', '-s', 'kong.yaml', 'rules.yaml')).toEqual({
      exitCode: 1,
      stderr: '',
      stdout:
        'Linting Violations: 1\nFailures: 1\n\n[error][4:9] host: "shop" must match the pattern "[.]"\n',
    });
    writeFileSync(path('kong.yaml'), 'services: [{host: shop.example}]\n');
    expect(await run('lint', '-s', 'kong.yaml', 'rules.yaml')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
  });

  it.each<[readonly string[], string]>([
    [['add-tags', '-s', 'gone.yaml', 'a'], 'cannot read gone.yaml: ENOENT'],
    [['remove-tags', '-s', 'kong.yaml'], 'no tags to remove'],
    [['list-tags', '-s', 'kong.yaml', '--selector', '['], 'is not a valid JSONpath expression'],
    [['patch', '-s', 'kong.yaml', '--value', 'a:1'], '--selector and --value are given together'],
    [['add-plugins', '-s', 'kong.yaml', '--config', '{'], '--config {: yaml: '],
    [['namespace', '-s', 'kong.yaml'], 'at least one of --path-prefix, --host or --clear-hosts'],
    [['namespace', '-s', 'kong.yaml', '-p', 'x'], "invalid path-prefix 'x'"],
    [['lint', '-s', 'kong.yaml', 'kong.yaml'], 'kong.yaml: rules is not an object'],
  ])('refuses %j', async (words, message) => {
    const { stderr, stdout, exitCode } = await run(...words);
    expect(stderr).toContain(message);
    expect({ stdout, failed: exitCode !== 0 }).toEqual({ stdout: '', failed: true });
  });
});
