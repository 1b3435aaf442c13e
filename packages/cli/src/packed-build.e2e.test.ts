import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const packed = at('../dist/bundle/build.cjs');
const loader = new URL('../bin/packed-script.js', import.meta.url).href;

/** Runs a packed build in a process of its own: what V8 accepts depends on the process's flags. */
const runner = `
const { loadScript, setBuildFlags } = await import(${JSON.stringify(loader)});
const [path, directory] = process.argv.slice(1);
setBuildFlags();
const { script, exports } = loadScript(path);
process.exitCode = await exports.main(['build', directory], exports.processContext());
process.stderr.write(String(script.cachedDataRejected));
`;

test('what every verb loads is no room: version costs what node does', () => {
  const bundle = at('../dist/bundle');
  const core =
    readdirSync(bundle).find((name) => /^core-.*\.js$/.test(name)) ?? expect.fail('core');
  expect(readFileSync(join(bundle, core), 'utf8')).not.toMatch(/from ["']@waygate/);
});

describe('the packed build', () => {
  let root = '';
  const expected = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: a-web\n';

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'waygate-packed-'));
    writeFileSync(join(root, 'kustomization.yaml'), 'resources: [web.yaml]\nnamePrefix: a-\n');
    writeFileSync(join(root, 'web.yaml'), 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n');
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const run = (script: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', runner, script, root], {
      encoding: 'utf8',
    });

  const codeOf = (script: string): string =>
    `${script}.${process.versions.v8}-${process.arch}.code`;

  it('starts with the code that V8 made of it', () => {
    expect(existsSync(codeOf(packed))).toBe(true);
    const { stdout, stderr } = run(packed);
    expect(stdout).toBe(expected);
    expect(stderr).toBe('false');
  });

  it.each([
    ['without code', undefined, 'undefined'],
    ['with code that is none', 'not code at all', 'true'],
  ])('runs %s all the same', (_, code, rejected) => {
    const copy = join(root, 'copy.cjs');
    copyFileSync(packed, copy);
    if (code !== undefined) writeFileSync(codeOf(copy), code);
    const { stdout, stderr } = run(copy);
    expect(stdout).toBe(expected);
    expect(stderr).toBe(rejected);
  });

  it('prints what the modules print', () => {
    const program = at('../bin/waygate.js');
    const { stdout } = spawnSync(process.execPath, [program, 'build', root], { encoding: 'utf8' });
    expect(stdout).toBe(expected);
  });
});

test('charts are rendered by a script that starts with its code, and alike without it', () => {
  const root = mkdtempSync(join(tmpdir(), 'waygate-packed-'));
  try {
    mkdirSync(join(root, 'templates'));
    writeFileSync(join(root, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
    // It loads what is loaded only where it is used.
    writeFileSync(
      join(root, 'templates/a.yaml'),
      'sum: {{ sha256sum "a" }}\nname: {{ (genCA "a" 1).Cert | len | lt 100 }}\n',
    );
    const script = at('../dist/bundle/helm.cjs');
    const code = `${script}.${process.versions.v8}-${process.arch}.code`;
    expect(existsSync(code)).toBe(true);
    const program = at('../bin/waygate.js');
    const args = ['template', 'web', root];
    const packed = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
    const modules = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `const { main, processContext } = await import(${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)});
         process.exitCode = await main(process.argv.slice(1), processContext());`,
        ...args,
      ],
      { encoding: 'utf8' },
    );
    expect(packed.stderr).toBe('');
    expect(packed.stdout).toContain('name: true');
    expect(packed.stdout).toBe(modules.stdout);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('what the packed script imports only where it is used is found', () => {
  const program = at('../bin/waygate.js');
  // Port 1 of loopback answers nobody: to know that, the network was asked.
  const args = ['template', 'web', 'web', '--repo', 'http://127.0.0.1:1'];
  const { stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  expect(stderr).toContain('connection refused');
  expect(stderr).not.toContain('Warning');
});
