/** The part of a command tree that a completion script needs. */
export interface CommandShape {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionShape[];
  readonly commands: readonly CommandShape[];
}

/** An option, and what may follow it. */
interface OptionShape {
  readonly name: string;
  readonly short?: string | undefined;
  readonly summary: string;
  readonly values?: readonly string[] | undefined;
}

export const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function isShell(name: string): name is Shell {
  return (shells as readonly string[]).includes(name);
}

/** Verbs that are followed by a kind and a name of an object. */
const objectVerbs = [
  'get',
  'tree',
  'reconcile',
  'suspend',
  'resume',
  'export',
  'delete',
  'debug',
  'diff',
];

/** Options that are followed by a name of the cluster or the kubeconfig. */
const asked: Readonly<Record<string, readonly string[]>> = {
  namespaces: ['-n', '--namespace', '--flux-namespace'],
  contexts: ['--context'],
};

/**
 * A script that completes verbs, options and their values, asks the program for kinds, names, namespaces and
 * contexts, and takes files for everything else.
 */
export function completionScript(shell: Shell, root: CommandShape): string {
  if (shell === 'fish') return fish(root);
  if (shell === 'zsh')
    return `#compdef waygate\nautoload -U +X bashcompinit && bashcompinit\n${bash(root)}`;
  return bash(root);
}

function bash(root: CommandShape): string {
  const all = paths(root, []);
  const cases = all.map(
    ({ path, words }) => `    '${path.join(' ')}') words='${words.join(' ')}' ;;`,
  );
  const values = all.flatMap(({ path, options }) =>
    options
      .filter((option) => option.values !== undefined)
      .map((option) => {
        const spelled = [option.name, option.short].filter((each) => each !== undefined);
        const keys = spelled.map((each) => `'${[...path, each].join(' ')}'`);
        return `    ${keys.join('|')}) words='${option.values!.join(' ')}' ;;`;
      }),
  );
  const questions = Object.entries(asked).map(
    ([what, options]) =>
      `    ${options.join('|')}) words="$(waygate completion ${what} 2>/dev/null)" ;;`,
  );
  const verbs = root.commands.flatMap((command) =>
    command.commands.length === 0 ? [] : [command.name],
  );
  return `_waygate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path='' words='' verb='' word position
  for ((position = 1; position < COMP_CWORD; position++)); do
    word="\${COMP_WORDS[position]}"
    [[ $word == -* ]] && continue
    if [[ -z $path ]]; then path="$word"; verb="$word"; [[ ' ${verbs.join(' ')} ' == *" $word "* ]] || break
    else path="$path $word"; break; fi
  done
  case "$path" in
${cases.join('\n')}
  esac
  if [[ ' ${objectVerbs.join(' ')} ' == *" $verb "* && $current != -* && $previous != -* ]]; then
    words="$(waygate completion objects "\${COMP_WORDS[@]:2:$((COMP_CWORD - 2))}" 2>/dev/null)"
  fi
  case "$path $previous" in
${values.join('\n')}
  esac
  case "$previous" in
${questions.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$current"))
  return 0
}
complete -o filenames -F _waygate waygate
`;
}

/** What the script asks of a line: whether its verb begins with these words, and whether it is just these. */
const fishFunctions = `function __waygate_verb
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; or echo $word
  end
end
function __waygate_at
  set -l verb (__waygate_verb)
  set -l length (count $argv)
  test (count $verb) -ge $length; and test "$verb[1..$length]" = "$argv"
end
function __waygate_just
  set -l verb (__waygate_verb)
  test "$verb" = "$argv"
end
function __waygate_of
  set -l verb (__waygate_verb)
  set -q verb[1]; and contains -- $verb[1] $argv
end`;

function fish(root: CommandShape): string {
  const objects = `__waygate_of ${objectVerbs.join(' ')}`;
  return [
    'complete -c waygate -e',
    fishFunctions,
    ...fishBelow(root, []),
    `complete -c waygate -n '${objects}' -f -a '(waygate completion objects (commandline -opc)[3..] 2>/dev/null)'`,
    '',
  ].join('\n');
}

/** The lines for a command and all below it: the options of one that has commands are its own alone. */
function fishBelow(command: CommandShape, path: readonly string[]): string[] {
  const exactly = ['__waygate_just', ...path].join(' ');
  const condition = command.commands.length > 0 ? exactly : `__waygate_at ${path.join(' ')}`;
  const options = command.options.map(({ name, short, summary, values }) => {
    const what = Object.entries(asked).find(([, names]) => names.includes(name))?.[0];
    const long = name.startsWith('--') ? ` -l ${name.slice(2)}` : '';
    const letter = short === undefined ? '' : ` -s ${short.slice(1)}`;
    const after =
      what !== undefined
        ? ` -x -a '(waygate completion ${what} 2>/dev/null)'`
        : values === undefined
          ? ''
          : ` -x -a '${values.join(' ')}'`;
    return `complete -c waygate -n '${condition}'${long}${letter}${after} -d ${quote(summary)}`;
  });
  const commands = command.commands.flatMap((child) => [
    `complete -c waygate -n '${exactly}' -f -a ${child.name} -d ${quote(child.summary)}`,
    ...fishBelow(child, [...path, child.name]),
  ]);
  return [...options, ...commands];
}

interface PathWords {
  readonly path: readonly string[];
  readonly words: string[];
  readonly options: readonly OptionShape[];
}

function paths(command: CommandShape, path: readonly string[]): PathWords[] {
  const words = [
    ...command.commands.map(({ name }) => name),
    ...command.options.map(({ name }) => name),
  ];
  return [
    { path, words, options: command.options },
    ...command.commands.flatMap((child) => paths(child, [...path, child.name])),
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
