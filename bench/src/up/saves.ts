import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../benchmark.ts';
import { type RunningStack, type Stage, startStack, until } from './stage.ts';

/** The ways in which editors and tools save. Each brings the number from the file into the gateway's answers. */
const ways: Readonly<Record<string, (project: string, mark: number) => void>> = {
  'in place': (project, mark) => writeFileSync(join(project, 'app.yaml'), manifests(mark)),
  'by rename': (project, mark) => {
    writeFileSync(join(project, '.app.yaml.swp'), manifests(mark));
    renameSync(join(project, '.app.yaml.swp'), join(project, 'app.yaml'));
  },
  'by git checkout': (project, mark) =>
    git(project, 'checkout', '-q', mark % 2 === 0 ? 'even' : 'odd'),
  'a thousand files at once': (project, mark) => {
    mkdirSync(join(project, 'more'), { recursive: true });
    for (let index = 0; index < 1000; index += 1)
      writeFileSync(join(project, `more/notes-${index}.txt`), `${mark}\n`);
    writeFileSync(join(project, 'app.yaml'), manifests(mark));
  },
  // Last, as they stay: what it takes to apply them is the API's and the apply's, and no goal of a save.
  'a thousand changed objects': (project, mark) => {
    mkdirSync(join(project, 'objects'), { recursive: true });
    for (let index = 0; index < 1000; index += 1)
      writeFileSync(join(project, `objects/settings-${index}.yaml`), configMap(index, mark));
    writeFileSync(join(project, 'app.yaml'), manifests(mark));
  },
};

const withoutGoal = 'a thousand changed objects';

/**
 * From the save until the gateway answers by it. How long a thousand files take to write is the disk's, so the goal is
 * counted from the last write; what somebody waits who began with the first is beside it.
 */
export async function measureSaves(
  stage: Stage,
  times: number,
  log: (line: string) => void,
): Promise<Row[]> {
  const project = join(stage.home, 'saved');
  prepare(project);
  const stack = await startStack(stage, project, '--watch');
  const rows: Row[] = [];
  try {
    let mark = 1;
    await until(() => answers(stack, 1));
    for (const [name, save] of Object.entries(ways)) {
      const hasGoal = name !== withoutGoal;
      const took: number[] = [];
      const wrote: number[] = [];
      for (let index = 0; index < (hasGoal ? times : 5); index += 1) {
        mark = 3 - mark;
        const saved = performance.now();
        save(project, mark);
        wrote.push(performance.now() - saved);
        await until(() => answers(stack, mark), 2);
        took.push(performance.now() - saved);
      }
      log(`${name}: ${took.map(Math.round).join(' ')}; writing ${wrote.map(Math.round).join(' ')}`);
      const after = took.map((ms, index) => ms - (wrote[index] ?? 0));
      const slow = at(after, 0.99);
      const goal = hasGoal && { goal: { text: 'under 300 ms', isMet: slow < 300 } };
      rows.push(
        { name: `last write to gateway, ${name}, p99`, unit: 'ms', ours: slow, ...goal },
        { name: '… and median', unit: 'ms', ours: at(after, 0.5) },
        { name: '… from the first write, p99', unit: 'ms', ours: at(took, 0.99) },
      );
    }
    return rows;
  } finally {
    await stack.stop();
  }
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

function configMap(index: number, mark: number): string {
  return `apiVersion: v1
kind: ConfigMap
metadata: {name: settings-${index}}
data: {mark: "${mark}"}
`;
}

function prepare(project: string): void {
  mkdirSync(project);
  git(project, 'init', '-q', '-b', 'odd');
  for (const [branch, mark] of [
    ['even', 2],
    ['odd', 1],
  ] as const) {
    git(project, 'checkout', '-q', '-B', branch);
    writeFileSync(join(project, 'app.yaml'), manifests(mark));
    git(project, 'add', 'app.yaml');
    git(
      project,
      '-c',
      'user.name=bench',
      '-c',
      'user.email=bench@localhost',
      'commit',
      '-qm',
      branch,
    );
  }
}

function git(project: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: project, stdio: 'ignore' });
}

async function answers({ gateway }: RunningStack, mark: number): Promise<boolean> {
  const response = await fetch(`${gateway}/mark`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 420 + mark;
}

/** Nothing stands behind the route: a plugin answers, with a status that tells the save. */
function manifests(mark: number): string {
  return `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: {name: answer}
plugin: request-termination
config: {status_code: ${420 + mark}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, annotations: {konghq.com/plugins: answer}}
spec:
  ingressClassName: kong
  rules:
  - http:
      paths:
      - {path: /mark, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}
`;
}
