import { expect, test } from 'vitest';
import { MemoryFiles } from '../command/memory-files.ts';
import { runHelm } from '../command/run-helm.ts';

test('Helm 3 calls the fields of dependencies as their file does, and leaves out what is empty', async () => {
  const files = new MemoryFiles();
  files.write(
    '/chart/Chart.yaml',
    'apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies:\n- {name: sub, version: 1.0.0, import-values: [up]}\n',
  );
  files.write('/chart/charts/sub/Chart.yaml', 'apiVersion: v2\nname: sub\nversion: 1.0.0\n');
  files.write('/chart/templates/a.yaml', 'x:\n{{ toYamlPretty .Chart.Dependencies | indent 2 }}\n');
  let out = '';
  await runHelm(['template', 'r', '/chart'], {
    helm: 3,
    cwd: '/',
    env: {},
    files,
    now: () => new Date(0),
    random: (length) => new Uint8Array(length),
    timeZone: 'UTC',
    writeOut: (text) => {
      out += text;
    },
    writeError: () => {},
  });
  expect(out.split('\n').slice(3, 9)).toEqual([
    '  - name: sub',
    '    version: 1.0.0',
    '    repository: ""',
    '    enabled: true',
    '    import-values:',
    '      - child: exports.up',
  ]);
});
