/** The help of a program in the form in which Go programs print it, which others search for flags. */
export function helpText(
  program: string,
  flags: readonly (readonly [name: string, takes: string, what: string])[],
  idle: readonly string[],
): string {
  const line = (name: string, takes: string, what: string) =>
    `      ${`--${name} ${takes}`.trimEnd().padEnd(46)} ${what}`.trimEnd();
  return [
    `Waygate's embedded Kubernetes API in place of ${program}, for tests. All is kept in memory.`,
    '',
    'Usage:',
    `  ${program} [flags]`,
    '',
    'Flags:',
    ...flags.map((flag) => line(...flag)),
    '',
    ...(idle.length === 0
      ? []
      : ['Taken, and without a meaning here:', ...idle.map((name) => line(name, '', '')), '']),
  ].join('\n');
}
