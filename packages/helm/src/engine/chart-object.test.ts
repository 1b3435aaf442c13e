import { expect, test } from 'vitest';
import { MemoryFiles } from '../command/memory-files.ts';
import { runHelm } from '../command/run-helm.ts';

const chart = `apiVersion: v2
name: a
version: 1.0.0
dependencies:
- {name: sub, version: 1.0.0}
- {name: sub, version: 1.0.0, alias: two, import-values: [up]}
`;

async function rendered(template: string, helm: 3 | 4): Promise<string[]> {
  const files = new MemoryFiles();
  files.write('/chart/Chart.yaml', chart);
  files.write('/chart/charts/sub/Chart.yaml', 'apiVersion: v2\nname: sub\nversion: 1.0.0\n');
  files.write('/chart/templates/a.yaml', `x: |\n${template}`);
  let out = '';
  await runHelm(['template', 'r', '/chart'], {
    helm,
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
  return out
    .split('\n')
    .slice(3)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

test.each([
  [3, '[]interface {}(nil)', '[]string(nil)'],
  [4, '[]interface {}{}', '[]interface {}{}'],
] as const)(
  'Helm %s shows %s and %s for lists that a Chart.yaml does not have',
  async (helm, values, tags) => {
    const line = '  {{ printf "%#v %#v" .ImportValues .Tags }}\n';
    expect(await rendered(`{{ range .Chart.Dependencies }}${line}{{ end }}`, helm)).toEqual([
      `${values} ${tags}`,
      `[]interface {}{map[string]string{"child":"exports.up", "parent":"."}} ${tags}`,
    ]);
  },
);

test('what a Chart.yaml does not have is not in its TOML', async () => {
  const toml = await rendered('{{ toToml .Chart | indent 2 }}\n', 3);
  const first = toml.indexOf('[[Dependencies]]');
  expect(toml.slice(first, first + 7)).toEqual([
    '[[Dependencies]]',
    'Name = "sub"',
    'Version = "1.0.0"',
    'Repository = ""',
    'Condition = ""',
    'Enabled = true',
    'Alias = ""',
  ]);
});
