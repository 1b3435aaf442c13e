/** The part of a command tree that a completion script needs. */
export interface CommandShape {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly name: string; readonly summary: string }[];
  readonly commands: readonly CommandShape[];
}

export const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function isShell(name: string): name is Shell {
  return (shells as readonly string[]).includes(name);
}

/** A script that completes verbs and options, and files for everything else. */
export function completionScript(shell: Shell, root: CommandShape): string {
  if (shell === 'fish') return fish(root);
  if (shell === 'zsh')
    return `#compdef waygate\nautoload -U +X bashcompinit && bashcompinit\n${bash(root)}`;
  return bash(root);
}

function bash(root: CommandShape): string {
  const cases = paths(root, []).map(
    ({ path, words }) => `    '${path.join(' ')}') words='${words.join(' ')}' ;;`,
  );
  const verbs = root.commands.flatMap((command) =>
    command.commands.length === 0 ? [] : [command.name],
  );
  return `_waygate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word position
  for ((position = 1; position < COMP_CWORD; position++)); do
    word="\${COMP_WORDS[position]}"
    [[ $word == -* ]] && continue
    if [[ -z $path ]]; then path="$word"; [[ ' ${verbs.join(' ')} ' == *" $word "* ]] || break
    else path="$path $word"; break; fi
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$current"))
  return 0
}
complete -o filenames -F _waygate waygate
`;
}

function fish(root: CommandShape): string {
  const lines = ['complete -c waygate -e'];
  for (const command of root.commands) {
    lines.push(
      `complete -c waygate -n __fish_use_subcommand -f -a ${command.name} -d ${quote(command.summary)}`,
      ...fishBelow(command, `__fish_seen_subcommand_from ${command.name}`),
    );
  }
  return `${lines.join('\n')}\n`;
}

function fishBelow(command: CommandShape, condition: string): string[] {
  const options = command.options.map(
    ({ name, summary }) =>
      `complete -c waygate -n '${condition}' -l ${name.slice(2)} -d ${quote(summary)}`,
  );
  const commands = command.commands.map(
    ({ name, summary }) =>
      `complete -c waygate -n '${condition}' -f -a ${name} -d ${quote(summary)}`,
  );
  return [...options, ...commands];
}

function paths(
  command: CommandShape,
  path: readonly string[],
): { path: readonly string[]; words: string[] }[] {
  const words = [
    ...command.commands.map(({ name }) => name),
    ...command.options.map(({ name }) => name),
  ];
  return [
    { path, words },
    ...command.commands.flatMap((child) => paths(child, [...path, child.name])),
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
