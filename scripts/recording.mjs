// `npm run recording`: plays a minute with Waygate for real, on a copy of the example, and draws what the
// terminal showed as an animated SVG for the README. Ports and directories are made the same every time, and
// waits are cut short; every other character is what the programs printed.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { terminalSvg, typingSeconds } from './recording/terminal-svg.mjs';
import { root, setUp } from './setup.mjs';

setUp({ quiet: true });
const program = join(root, 'packages/cli/bin/waygate.js');
const home = mkdtempSync(join(tmpdir(), 'waygate-recording-'));
const project = join(home, 'shop');
const routes = join(project, 'base/routes.yaml');
const git = (...words) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], {
    cwd: project,
    encoding: 'utf8',
  });

cpSync(join(root, 'examples/shop'), project, { recursive: true });
git('init', '-q', '-b', 'main');
git('add', '-A');
git('commit', '-qm', 'The shop');
const up = spawn(process.execPath, [program, 'up', project, '--data-dir', join(home, 'state')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let said = '';
up.stdout.on('data', (chunk) => {
  said += chunk;
});
const steps = [];
let clock = 0.4;
try {
  await until(() => said.includes('What changes'));
  const ports = portsOf(said);
  const gateway = `http://127.0.0.1:${ports.Gateway}`;
  await until(async () => (await fetch(`${gateway}/catalog`).catch(() => undefined))?.ok);
  await until(() => / created$/m.test(said));
  type('waygate up shop &');
  show(1.2, summaryOf(said));
  type('curl localhost:8000/catalog');
  show(0.3, run('curl', ['-s', `${gateway}/catalog`]));
  const before = said.length;
  writeFileSync(
    routes,
    readFileSync(routes, 'utf8')
      .replace(/weight: 90$/m, 'weight: 70')
      .replace(/weight: 10$/m, 'weight: 30'),
  );
  type('git commit -am "Send three of ten to the canary"');
  show(0.3, git('commit', '-am', 'Send three of ten to the canary'));
  await until(() => /configured$/m.test(said.slice(before)));
  show(1.0, said.slice(before));
  type('waygate trace http://localhost:8000/catalog');
  show(0.6, run(process.execPath, [program, 'trace', `${gateway}/catalog`]));
  type('waygate problems');
  show(0.6, run(process.execPath, [program, 'problems']));
  mkdirSync(join(root, 'docs/images'), { recursive: true });
  const file = join(root, 'docs/images/session.svg');
  writeFileSync(file, terminalSvg(steps, { title: 'a minute with waygate' }));
  console.log(file);

  function run(command, words) {
    const environment = {
      ...process.env,
      KUBECONFIG: join(home, 'state/kubeconfig'),
      COLUMNS: '92',
    };
    return execFileSync(command, words, { encoding: 'utf8', env: environment });
  }

  function type(text) {
    clock += 0.7;
    steps.push({ at: clock, text, typed: true });
    clock += typingSeconds(text);
  }

  /** What a program printed after so many seconds. */
  function show(seconds, text) {
    clock += seconds;
    for (const line of plain(text).trimEnd().split('\n')) {
      steps.push({ at: clock, text: line });
      clock += 0.03;
    }
    steps.push({ at: clock, text: '' });
  }

  /** The same in every recording: what differs from machine to machine is nobody's affair. */
  function plain(text) {
    const known = {
      'Kubernetes API': 6443,
      Gateway: 8000,
      Https: 8443,
      'Admin API': 8001,
      Dashboard: 8080,
    };
    let same = text
      .replaceAll(project, '~/shop')
      .replaceAll(home, '~')
      .replaceAll(/\?token=\S+/g, '?token=…');
    for (const [name, port] of Object.entries(known))
      same = same.replaceAll(`:${ports[name]}`, `:${port}`);
    return same.replaceAll('127.0.0.1:8000', 'localhost:8000');
  }
} finally {
  const gone = new Promise((resolve) => up.once('exit', resolve));
  up.kill('SIGTERM');
  await gone;
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Where things are, and what was made of the project; how to look at it otherwise is for who sits there. */
function summaryOf(text) {
  const [head = '', changes = ''] = text.split(/^What changes.*$/m);
  const places = head
    .split('\n')
    .filter((line) => /^Waygate|API {2,}|Gateway {2,}|Dashboard/.test(line));
  const made = changes.split('\n').filter((line) => /NewArtifact|Progressing| created$/.test(line));
  return [...places, '', ...made].join('\n');
}

function portsOf(text) {
  const port = (pattern) => pattern.exec(text)?.[1] ?? '0';
  return {
    'Kubernetes API': port(/Kubernetes API\s+https:\/\/[\d.]+:(\d+)/),
    Gateway: port(/Gateway\s+http:\/\/[\d.]+:(\d+)/),
    Https: port(/Gateway\s+\S+\s+https:\/\/[\d.]+:(\d+)/),
    'Admin API': port(/Admin API\s+http:\/\/[\d.]+:(\d+)/),
    Dashboard: port(/Dashboard\s+http:\/\/[\d.]+:(\d+)/),
  };
}

async function until(condition) {
  for (let tries = 0; !(await condition()); tries += 1) {
    if (tries > 600) throw new Error(`it did not come:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
