import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandShape, completionScript } from './completion-script.ts';

const leaf = (name: string, options: CommandShape['options'] = []): CommandShape => ({
  name,
  summary: `what ${name} does, it's said`,
  options,
  commands: [],
});
const output = { name: '--output', short: '-o', summary: 'how', values: ['json', 'yaml'] };
const root: CommandShape = {
  name: 'waygate',
  summary: '',
  options: [{ name: '--version', summary: 'the version' }],
  commands: [
    leaf('version', [output]),
    leaf('get', [output, { name: '--namespace', short: '-n', summary: 'where' }]),
    leaf('diff'),
    // As klog has it: a letter without a word.
    leaf('controller', [
      { name: '-v', short: '-v', summary: 'how much', values: ['debug', 'info'] },
    ]),
    {
      ...leaf('gateway'),
      commands: [leaf('dump', [{ name: '--output-file', summary: 'file' }]), leaf('diff')],
    },
  ],
};

/** What is typed, and what is offered: in place of the program one that tells what it was asked. */
const lines: readonly (readonly [line: string, offered: string])[] = [
  ['versi', 'version'],
  ['gateway dum', 'dump'],
  ['gateway dump --output-fi', '--output-file'],
  ['get -o ya', 'yaml'],
  ['get -n ask', 'asked-namespaces'],
  ['get ask', 'asked-objects'],
  // A verb below another is not the verb of that name.
  ['gateway diff ask', ''],
  ['gateway versi', ''],
  ['controller -v de', 'debug'],
];

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-completion-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function script(shell: 'bash' | 'zsh' | 'fish'): string {
  const file = join(directory, shell);
  writeFileSync(file, completionScript(shell, root));
  return file;
}

function run(shell: string, code: string, ...words: string[]): readonly string[] {
  const result = spawnSync(shell, [...noConfig[shell]!, '-c', code, ...words], {
    encoding: 'utf8',
    cwd: directory,
    env: { ...process.env, HOME: directory },
  });
  expect(result.stderr).toBe('');
  return result.stdout.split('---\n').slice(0, -1);
}

const noConfig: Readonly<Record<string, readonly string[]>> = {
  bash: ['--norc'],
  zsh: ['-f'],
  fish: ['--no-config'],
};
const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

// Of files, too, there is something to offer where nothing fits: none begins like these words.
describe.skipIf(!has('fish'))('in a real fish (apt-get install fish)', () => {
  it('completes verbs, options, values and names', () => {
    const stub = 'function waygate; echo asked-$argv[2]; end';
    const asks = lines.map(([line]) => `complete -C 'waygate ${line}' | cut -f1; echo ---`);
    const answers = run('fish', `${stub}; source ${script('fish')}; ${asks.join('; ')}`);
    expect(answers.map((answer) => answer.trim())).toEqual(lines.map(([, offered]) => offered));
  });
});

describe.skipIf(!has('zsh'))('in a real zsh (apt-get install zsh)', () => {
  it('completes verbs, options, values and names', () => {
    const setUp = `autoload -Uz compinit; compinit -D -u; waygate() { echo asked-$2 }; source ${script('zsh')}`;
    const asks = lines.map(([line]) => {
      const words = ['waygate', ...line.split(' ')];
      const list = words.map((word) => `'${word}'`).join(' ');
      const place = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}`;
      return `${place}; compgen -F _waygate -- '${words.at(-1)}'; echo ---`;
    });
    const answers = run('zsh', `${setUp}; ${asks.join('; ')}`);
    // What does not begin like the word is left out by the shell itself, later.
    const fitting = answers.map((answer, index) => {
      const start = lines[index]![0].split(' ').at(-1)!;
      return answer
        .split('\n')
        .filter((word) => word !== '' && word.startsWith(start))
        .join(' ');
    });
    expect(fitting).toEqual(lines.map(([, offered]) => offered));
  });
});

it('completes verbs, options, values and names in bash', () => {
  const asks = lines.map(([line]) => {
    const words = ['waygate', ...line.split(' ')];
    const list = words.map((word) => `'${word}'`).join(' ');
    const place = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}`;
    return `${place}; _waygate; echo "\${COMPREPLY[*]}"; echo ---`;
  });
  const stub = 'waygate() { echo "asked-$2"; }';
  const answers = run('bash', `${stub}; source ${script('bash')}; ${asks.join('; ')}`);
  expect(answers.map((answer) => answer.trim())).toEqual(lines.map(([, offered]) => offered));
});
