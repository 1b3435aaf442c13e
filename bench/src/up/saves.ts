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
};

/** From the save until the gateway answers by it. */
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
      const times99: number[] = [];
      for (let index = 0; index < times; index += 1) {
        mark = 3 - mark;
        const saved = performance.now();
        save(project, mark);
        await until(() => answers(stack, mark), 2);
        times99.push(performance.now() - saved);
      }
      times99.sort((a, b) => a - b);
      log(`${name}: ${times99.map(Math.round).join(' ')}`);
      const slow = times99[Math.ceil(times99.length * 0.99) - 1]!;
      const goal = { text: 'under 300 ms', isMet: slow < 300 };
      rows.push({ name: `save to gateway, ${name}, p99`, unit: 'ms', ours: slow, goal });
    }
    return rows;
  } finally {
    await stack.stop();
  }
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
