import { describe, expect, test } from 'vitest';
import { build } from '../build.ts';
import { memoryFileSystem } from '../file-system/memory.ts';
import type { ProgramOutcome, ProgramRequest } from './plugin-context.ts';

const map = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;
const done = (stdout: string): ProgramOutcome => ({ exitCode: 0, stdout, stderr: '' });

async function run(
  files: Record<string, string>,
  answer: (request: ProgramRequest) => ProgramOutcome = () => done(''),
  rights = { functions: true, pluginHome: '/plugins' as string | undefined },
) {
  const asked: ProgramRequest[] = [];
  const programs = {
    ...rights,
    run: async (request: ProgramRequest) => {
      asked.push(request);
      return answer(request);
    },
  };
  const result = await build(memoryFileSystem(files), '/', { programs });
  const problems = result.problems.map(({ severity, message }) => `${severity}: ${message}`);
  const hasFailed = result.problems.some(({ severity }) => severity === 'error');
  return { asked, problems: problems.join('\n'), text: hasFailed ? '' : result.toYaml() };
}

describe('a function that is a program', () => {
  const config = (spec: string) =>
    `apiVersion: x/v1\nkind: Fn\nmetadata:\n  name: f\n  annotations:\n    config.kubernetes.io/function: |\n      ${spec}\nspec:\n  a: 1\n`;
  const exec = 'exec: {path: ./fn, args: [one, two], env: [A=b=c, =x, none]}';
  const generator = (spec: string) => ({
    'kustomization.yaml': 'generators: [f.yaml]\n',
    'f.yaml': config(spec),
  });
  const transformer = {
    'kustomization.yaml': 'resources: [a.yaml, b.yaml]\ntransformers: [f.yaml]\n',
    'a.yaml': map('a'),
    'b.yaml': map('b'),
    'f.yaml': config('exec: {path: ./fn}'),
  };
  const list = (...items: string[]) =>
    `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${items
      .map((item) => `- ${item.trimEnd().replaceAll('\n', '\n  ')}\n`)
      .join('')}`;

  test('gets its arguments, its environment and its configuration', async () => {
    const { asked, text } = await run(generator(exec), () => done(list(map('made'))));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ path: './fn', args: ['one', 'two'], env: { A: 'b=c' } });
    expect(asked[0]?.input).toContain('functionConfig:\n  apiVersion: x/v1\n');
    expect(asked[0]?.input).toContain('config.kubernetes.io/local-config: "true"');
    expect(text).toBe(map('made'));
  });

  test('gets resources and gives them back: some changed, some new, some gone', async () => {
    const { asked, text } = await run(transformer, () =>
      done(list(map('a', 'data:\n  k: v\n'), map('c'))),
    );
    expect(asked[0]?.input).toMatch(
      /^apiVersion: config.kubernetes.io\/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n {2}kind/,
    );
    expect(asked[0]?.input.match(/^- apiVersion/gm)).toHaveLength(2);
    expect(text).toContain('data:\n  k: v\n');
    expect(text).toContain('name: c');
    expect(text).not.toContain('name: b');
  });

  test('gives no resource twice', async () => {
    const { problems } = await run(transformer, () => done(list(map('a'), map('a'))));
    expect(problems).toContain(
      'plugin api: x/v1, kind: Fn, name: f generated duplicate resource: ',
    );
  });

  test('gets an empty list where there is nothing', async () => {
    const { 'f.yaml': fn } = transformer;
    const files = { 'kustomization.yaml': 'transformers: [f.yaml]\n', 'f.yaml': fn };
    const { asked } = await run(files, () => done(list(map('a'))));
    expect(asked[0]?.input).toContain('\nitems: []\nfunctionConfig:\n');
  });

  test('says what it thinks, and why it failed', async () => {
    const results = 'results:\n- {severity: error, message: bad}\n- {message: fine}\n- none\n';
    const warned = await run(generator(exec), () => done(`${list(map('a'))}${results}`));
    expect(warned.problems).toContain("function './fn': [error] bad");
    expect(warned.problems).toContain("function './fn': [info] fine");
    expect(warned.text).toBe(map('a'));
    const failed = await run(generator(exec), () => ({
      exitCode: 3,
      stdout: results,
      stderr: ' e\n',
    }));
    expect(failed.problems).toContain(
      "couldn't execute function: './fn': exit status 3: e\n[error] bad\n[info] fine",
    );
    const silent = await run(generator(exec), () => ({
      exitCode: 1,
      stdout: 'results: [',
      stderr: '',
    }));
    expect(silent.problems).toMatch(/exit status 1(\n|$)/);
  });

  test('is run only where programs may be', async () => {
    const rights = { functions: false, pluginHome: undefined };
    const { problems, asked } = await run(generator(exec), undefined, rights);
    expect(problems).toContain("must specify --enable-exec to run the function './fn'");
    expect(asked).toEqual([]);
  });

  test.each(['container: {image: x}', 'exec: {}', 'exec: {path: ""}', 'exec: [a]', 'text'])(
    '%s is none',
    async (spec) => {
      const { problems } = await run(generator(spec));
      expect(problems).toContain('function Fn: only functions with exec.path are run');
    },
  );

  test('marks what gets a hash, and how it is merged', async () => {
    const marked = (behavior: string) =>
      map(
        'made',
        `  annotations:\n    kustomize.config.k8s.io/needs-hash: "true"\n    kustomize.config.k8s.io/behavior: ${behavior}\n    kept: x\ndata:\n  k: v\n`,
      );
    const { text } = await run(generator(exec), () => done(list(marked('create'))));
    expect(text).toMatch(/name: made-\w{10}\n/);
    expect(text).toContain('annotations:\n    kept: x\n');
    const plain = map('made', '  annotations:\n    kustomize.config.k8s.io/behavior: merge\n');
    const base = {
      ...generator(exec),
      'kustomization.yaml': 'resources: [m.yaml]\ngenerators: [f.yaml]\n',
      'm.yaml': map('made', 'data:\n  old: x\n'),
    };
    const merged = await run(base, () => done(list(`${plain}data:\n  k: v\n`)));
    expect(merged.text).toBe(map('made', '').replace('kind', 'data:\n  k: v\n  old: x\nkind'));
  });
});

describe('a plugin of the older kind', () => {
  const files = (config: string, kind = 'generators') => ({
    'kustomization.yaml': `resources: [a.yaml]\n${kind}: [p.yaml]\n`,
    'a.yaml': map('a'),
    'p.yaml': config,
    'args.txt': ' three \n\nfour five\n',
  });
  const config = `apiVersion: x.example/v1\nkind: MyPlugin\nmetadata:\n  name: p\nargsOneLiner: one "t w o" 'x'y\nargsFromFile: args.txt\n`;

  test('is found by its version and kind, and gets its configuration', async () => {
    const { asked, text } = await run(files(config), () => done(map('made')));
    expect(asked).toMatchObject([
      {
        path: '/plugins/x.example/v1/myplugin/MyPlugin',
        args: ['one', 't w o', 'xy', 'three', 'four five'],
        input: '',
      },
    ]);
    expect(asked[0]?.configuration).toContain('kind: MyPlugin');
    expect(asked[0]?.env.KUSTOMIZE_PLUGIN_CONFIG_STRING).toBe(asked[0]?.configuration);
    expect(text).toContain('name: made');
    expect(text).toContain('name: a');
  });

  test('gets resources as documents', async () => {
    const { asked, text } = await run(files(config, 'transformers'), () => done(map('b')));
    expect(asked[0]?.input).toBe(map('a'));
    expect(text).toBe(map('b'));
  });

  test('that fails, has no home, or leads out of it is refused', async () => {
    const failed = await run(files(config), () => ({ exitCode: 2, stdout: '', stderr: 'why\n' }));
    expect(failed.problems).toContain(
      'failure in plugin /plugins/x.example/v1/myplugin/MyPlugin; exit status 2: why',
    );
    const homeless = await run(files(config), undefined, {
      functions: true,
      pluginHome: undefined,
    });
    expect(homeless.problems).toContain("unable to load external plugin 'MyPlugin'");
    for (const version of ['../x/v1', 'x/..', 'x\\y/v1', './v1']) {
      const { problems, asked } = await run(files(config.replace('x.example/v1', version)));
      expect(problems).toContain('unable to load external plugin');
      expect(asked).toEqual([]);
    }
  });
});

describe('a validator', () => {
  const files = {
    'kustomization.yaml': 'resources: [a.yaml]\nvalidators: [v.yaml]\n',
    'a.yaml': map('a'),
    'v.yaml': 'apiVersion: x/v1\nkind: V\nmetadata:\n  name: v\n',
  };

  test('may change nothing but one label', async () => {
    expect((await run(files, () => done(map('a')))).text).toBe(map('a'));
    const labelled = map('a', '  labels:\n    validated-by: v\n');
    expect((await run(files, () => done(labelled))).text).toBe(map('a'));
    const other = map('a', '  labels:\n    other: v\n');
    for (const changed of [other, map('b'), map('a', 'data:\n  k: v\n')])
      expect((await run(files, () => done(changed))).problems).toContain(
        "validator shouldn't modify the resource map",
      );
  });

  test('and what it did to a Secret is not shown', async () => {
    const secret = map('a', 'data:\n  k: aHVudGVyMg==\n').replace('ConfigMap', 'Secret');
    const { problems } = await run({ ...files, 'a.yaml': secret }, () =>
      done(secret.replace('k:', 'l:')),
    );
    expect(problems).toContain('-- ***');
    expect(problems).not.toContain('aHVudGVyMg==');
  });
});

describe('values that are added', () => {
  const config = (rest: string) =>
    `apiVersion: builtin\nkind: ValueAddTransformer\nmetadata: {name: v}\n${rest}`;
  const add = (rest: string) =>
    run({
      'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [v.yaml]\n',
      'a.yaml': map('a', 'data: {abs: /x/y, rel: x/y}\n'),
      'v.yaml': config(rest),
      't.yaml': 'targets: [{fieldPath: data/file}]\n',
    });

  test.each([
    ['value: v\ntargets: [{fieldPath: data/new}]\n', 'new: v'],
    ['value: v\ntargets: [{fieldPath: data/abs}]\n', 'abs: v'],
    ['value: v\ntargets: [{fieldPath: data/abs, filePathPosition: 1}]\n', 'abs: /v/x/y'],
    ['value: v\ntargets: [{fieldPath: data/abs, filePathPosition: 2}]\n', 'abs: /x/v/y'],
    ['value: v\ntargets: [{fieldPath: data/rel, filePathPosition: 1}]\n', 'rel: v/x/y'],
    ['value: v\ntargets: [{fieldPath: data/rel, filePathPosition: 9}]\n', 'rel: x/y/v'],
    ['value: v\ntargetFilePath: t.yaml\n', 'file: v'],
    ['value: v\ntargets: [{fieldPath: data/rel, selector: {kind: Secret}}]\n', 'rel: x/y'],
    ['value: v\ntargets: [{fieldPath: data/rel, selector: {kind: ConfigMap}}]\n', 'rel: v'],
  ])('%s', async (rest, wanted) => {
    expect((await add(rest)).text).toContain(wanted);
  });

  test.each([
    ['value: v\n', 'must specify at least one target'],
    ['value: v\ntargets: [{fieldPath: ""}]\n', 'fieldPath cannot be empty'],
    ['value: v\ntargets: [{fieldPath: data}]\n', 'wrong node kind'],
  ])('%s is refused', async (rest, message) => {
    expect((await add(rest)).problems).toContain(message);
  });
});

describe('vars', () => {
  const pod = `apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    command: ["$(NAME)", "a-$(NAME)-b", "$$(NAME)", "$(NO)", "$x", "$", "$(open", plain]
    env: [{name: A, value: $(PORT)}]
`;
  const vars = (list: string) =>
    run({
      'kustomization.yaml': `resources: [p.yaml, m.yaml]\nvars: [${list}]\n`,
      'p.yaml': pod,
      'm.yaml': map('m', 'data: {a: x}\nports: [{n: 5}, {n: 6}]\n'),
    });
  const name = '{name: NAME, objref: {apiVersion: v1, kind: ConfigMap, name: m}}';
  const port =
    '{name: PORT, objref: {apiVersion: v1, kind: ConfigMap, name: m}, fieldref: {fieldpath: "ports[1].n"}}';

  test('are put where they are named', async () => {
    const { text } = await vars(`${name}, ${port}`);
    expect(text).toContain(
      '- command:\n    - m\n    - a-m-b\n    - $(NAME)\n    - $(NO)\n    - $x\n    - $\n    - $(open\n    - plain\n',
    );
    expect(text).toContain('value: 6\n');
  });

  test.each([
    [name.replace('name: m', 'name: absent'), 'cannot be mapped to a field'],
    [`${name}, ${name}`, 'already'],
    [port.replace('ports[1].n', 'data.no'), 'not found in corresponding resource'],
  ])('%s is refused', async (list, message) => {
    const { problems } = await vars(list);
    expect(problems).toContain(message);
  });
});
