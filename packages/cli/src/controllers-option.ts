import { InvalidArgumentError, Option } from 'commander';

/** The controllers of the program, by the names that `--controllers` takes. */
const controllerNames = ['ingress', 'source', 'kustomize', 'helm', 'notification'] as const;
export type ControllerName = (typeof controllerNames)[number];

/** `--controllers ingress,source`; all of them by default. */
export function controllersOption(description: string): Option {
  return new Option('--controllers <names>', `${description}: ${controllerNames.join(',')}`)
    .argParser(parseControllers)
    .default(controllerNames, 'all');
}

function parseControllers(text: string): readonly ControllerName[] {
  const names = text.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !(controllerNames as readonly string[]).includes(name));
  if (unknown !== undefined || names.length === 0) {
    const all = controllerNames.join(', ');
    throw new InvalidArgumentError(`${unknown ?? 'nothing'} is none of ${all}.`);
  }
  return names as readonly ControllerName[];
}
