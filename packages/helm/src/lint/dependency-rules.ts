import type { Chart } from '../chart/chart.ts';
import type { LintMessages } from './lint-messages.ts';

/** What is declared is in `charts/`, and what is there is declared. */
export function checkDependencies(chart: Chart, directory: string, messages: LintMessages): void {
  const declared = chart.metadata.dependencies ?? [];
  const present = chart.dependencies.map(({ metadata }) => metadata.name);
  const undeclared = present.filter((name) => !declared.some((each) => each.name === name));
  messages.check(
    'ERROR',
    directory,
    listed('chart metadata is missing these dependencies', undeclared),
  );
  const keys = declared.map(({ alias, name }) => alias || name);
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
  messages.check('ERROR', directory, listed('multiple dependencies with name or alias', twice));
  const missing = declared.map(({ name }) => name).filter((name) => !present.includes(name));
  messages.check(
    'WARNING',
    directory,
    listed('chart directory is missing these dependencies', missing),
  );
}

function listed(what: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${what}: ${names.join(',')}`;
}
