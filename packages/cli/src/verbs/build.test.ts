import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

describe('waygate build', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'waygate-build-'));
    mkdirSync(join(directory, 'base'));
    mkdirSync(join(directory, 'top'));
    writeFileSync(join(directory, 'base/kustomization.yaml'), 'resources: [web.yaml]\n');
    writeFileSync(
      join(directory, 'base/web.yaml'),
      'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  type: ClusterIP\n',
    );
    writeFileSync(
      join(directory, 'top/kustomization.yaml'),
      'resources: [../base]\nnamePrefix: p-\n',
    );
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test('prints YAML on stdout', async () => {
    const result = await runInProcess(['build', 'top'], { cwd: directory });
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toBe(
      'apiVersion: v1\nkind: Service\nmetadata:\n  name: p-web\nspec:\n  type: ClusterIP\n',
    );
  });

  test('writes a file, or a file per resource', async () => {
    await runInProcess(['build', 'top', '-o', 'out.yaml'], { cwd: directory });
    expect(readFileSync(join(directory, 'out.yaml'), 'utf8')).toContain('name: p-web');
    mkdirSync(join(directory, 'out'));
    await runInProcess(['build', 'top', '-o', 'out'], { cwd: directory });
    expect(readdirSync(join(directory, 'out'))).toEqual(['v1_service_p-web.yaml']);
  });

  test('explains where each field came from', async () => {
    const result = await runInProcess(['build', 'top', '--explain', 'Service/p-web'], {
      cwd: directory,
    });
    const lines = result.stdout.split('\n');
    expect(lines.find((line) => line.startsWith('spec.type'))).toMatch(/base\/web\.yaml:6$/);
    expect(lines.find((line) => line.startsWith('metadata.name'))).toMatch(
      /PrefixTransformer \(.*top\/kustomization\.yaml\)$/,
    );
  });

  test('explains a resource by the name that it was written with', async () => {
    const explain = async (name: string) =>
      runInProcess(['build', 'top', '--explain', 'spec.type', '-r', name], { cwd: directory });
    const [former, current] = [await explain('svc/web'), await explain('svc/p-web')];
    expect(former.stdout).toBe(current.stdout);
    expect(former.stdout).toContain('spec.type');
  });

  test.each([
    'spec.template.spec.containers[name=web].image',
    'spec.template.spec.containers.0.image',
    'spec.template.spec.containers[0].image',
    'spec.template.spec.containers.[name=web].image',
  ])('explains a field of an element, whichever way it is asked for: %s', async (path) => {
    const at = join(directory, 'lists');
    mkdirSync(at);
    writeFileSync(join(at, 'kustomization.yaml'), 'resources: [web.yaml]\n');
    writeFileSync(
      join(at, 'web.yaml'),
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, annotations: {a.b/c: d}}\nspec:\n' +
        '  template:\n    spec:\n      containers:\n      - {name: web, image: first, args: [x, y]}\n' +
        '      - {name: a-side, image: second}\n',
    );
    const explain = async (field: string) =>
      runInProcess(['build', 'lists', '--explain', field, '-r', 'deploy/web'], { cwd: directory });
    expect((await explain(path)).stdout).toBe(
      'spec.template.spec.containers[name=web].image\n  first   lists/web.yaml:8\n',
    );
    // The second one is not the second by name.
    expect((await explain(path.replace(/name=web|0/, '1'))).stdout).toContain('second');
    expect((await explain('spec.template.spec.containers.0.args.1')).stdout).toContain('  y   ');
    expect((await explain('metadata.annotations.a\\.b/c')).stdout).toContain('  d   ');
    const beyond = await explain('spec.template.spec.containers.7');
    expect(beyond.stderr).toContain('has no field spec.template.spec.containers.7');
  });

  test('explains which line of which template a field of a chart came from', async () => {
    const chart = join(directory, 'chart/charts/web');
    mkdirSync(join(chart, 'templates'), { recursive: true });
    const files = {
      'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      'values.yaml': 'ports: [80, 81]\ntype: ClusterIP\n',
      'templates/_names.tpl': '{{- define "name" }}{{ .Release.Name }}-web{{ end }}\n',
      'templates/service.yaml': [
        'apiVersion: v1',
        'kind: Service',
        'metadata:',
        '  name: {{ include "name" . }}',
        'spec:',
        '  type: {{ .Values.type }}',
        '  ports:',
        '{{- range .Values.ports }}',
        '    - name: p{{ . }}',
        '      port: {{ . }}',
        '{{- end }}',
        '',
      ].join('\n'),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(chart, name), text);
    writeFileSync(
      join(directory, 'chart/kustomization.yaml'),
      'helmCharts: [{name: web, releaseName: r}]\nlabels: [{pairs: {team: a}}]\n',
    );
    const args = ['build', 'chart', '--enable-helm', '--explain', 'Service/r-web'];
    const { stdout, stderr } = await runInProcess(args, { cwd: directory });
    expect(stderr).toBe('');
    const line = (path: string) => stdout.split('\n').find((each) => each.startsWith(`${path} `));
    const template = 'chart/charts/web/templates/service.yaml';
    expect(line('metadata.name')).toContain(`${template}:4`);
    expect(line('spec.type')).toContain(`${template}:6`);
    expect(line('spec.ports[name=p81].port')).toContain(`${template}:10`);
    expect(line('metadata.labels.team')).toContain('LabelTransformer');
  });

  test('names a directory as it was given, where it cannot be built', async () => {
    const missing = await runInProcess(['build', 'nope'], { cwd: directory });
    expect(missing.stderr).toContain(
      `must build at directory: not a valid directory: evalsymlink failure on 'nope' : lstat ${directory}/nope: no such file or directory`,
    );
    const file = await runInProcess(['build', 'base/web.yaml'], { cwd: directory });
    expect(file.stderr).toContain(
      "must build at directory: 'base/web.yaml': file is not directory",
    );
  });

  test('fails with the place, and refuses what is remote', async () => {
    writeFileSync(join(directory, 'base/web.yaml'), 'a: [\n');
    const broken = await runInProcess(['build', 'top'], { cwd: directory });
    expect(broken.exitCode).toBe(1);
    expect(broken.stderr).toContain('base/web.yaml:');
    writeFileSync(
      join(directory, 'top/kustomization.yaml'),
      'resources: [https://github.com/org/repo]\n',
    );
    const remote = await runInProcess(['build', 'top'], { cwd: directory });
    expect(remote.exitCode).toBe(1);
    expect(remote.stderr).toContain('is remote');
    const unknown = await runInProcess(['build', 'base', '--explain', 'X/y'], { cwd: directory });
    expect(unknown.exitCode).not.toBe(0);
  });
});
