import { Random } from './random.ts';

/** A directory and what `create` is told in it. */
export interface CreateScript {
  readonly files: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

/** What may lie in the directory: manifests, what only looks like one, and directories with their own file. */
const candidates: readonly (readonly [string, string])[] = [
  ['a.yaml', configMap('a')],
  ['b.yml', `${configMap('b')}---\n${configMap('c')}`],
  ['c.json', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"j"}}\n'],
  ['values.yaml', 'replicas: 2\n'],
  ['broken.yaml', 'a: [\n'],
  ['empty.yaml', ''],
  ['notes.txt', 'nothing\n'],
  ['.hidden.yaml', configMap('h')],
  ['base/kustomization.yaml', 'resources: [x.yaml]\n'],
  ['base/x.yaml', configMap('x')],
  ['deep/er/d.yaml', configMap('d')],
  ['deep/e.yaml', configMap('e')],
  ['over/kustomization.yml', 'resources: [../base]\n'],
];

const flags: readonly (readonly string[])[] = [
  ['--autodetect'],
  ['--autodetect', '--recursive'],
  ['--recursive'],
  ['--resources', 'a.yaml'],
  ['--resources', 'a.yaml,base'],
  ['--resources', 'none.yaml'],
  ['--resources', 'a.yaml,a.yaml'],
  ['--namespace', 'stage'],
  ['--namespace', '1234'],
  ['--nameprefix', 'acme-'],
  ['--namesuffix', '-v2'],
  ['--labels', 'app:web,tier:front'],
  ['--labels', 'app'],
  ['--labels', 'a:b:c'],
  ['--annotations', 'note:true,on:off'],
  ['--annotations', 'note:'],
  ['extra'],
  ['--nothing'],
];

/** The same directory and words for the same seed. */
export function randomCreate(seed: number): CreateScript {
  const random = new Random(seed);
  const files = candidates.filter(() => random.below(2) === 0);
  const isSecond = random.below(12) === 0;
  const words = Array.from({ length: random.below(4) }, () => random.pick(flags)).flat();
  return {
    files: Object.fromEntries([
      ...files,
      ...(isSecond ? [['kustomization.yaml', 'resources: []\n'] as const] : []),
    ]),
    words,
  };
}
