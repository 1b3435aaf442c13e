import { type Fields, objectAt, textAt } from '../builtins/fields.ts';

/** One rule of a standard: what is wrong in a word, and where. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** A pod as the rules see it. */
export interface JudgedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Readonly<Fields>;
  /** All containers, those that come before and beside the others, too. */
  readonly containers: readonly Readonly<Fields>[];
}

/** Judges a pod by one rule. */
export type Rule = (pod: JudgedPod) => Violation | undefined;

export const quoted = (names: readonly string[]) =>
  names.map((name) => JSON.stringify(name)).join(', ');

export function named(word: string, names: readonly string[]): string {
  return `${word}${names.length === 1 ? '' : 's'} ${quoted(names)}`;
}

export function containersThat(pod: JudgedPod, isWrong: (container: Fields) => boolean): string[] {
  return pod.containers
    .filter((container) => isWrong(container as Fields))
    .map((container) => textAt(container, 'name'));
}

export const contextOf = (container: Readonly<Fields>) => objectAt(container, 'securityContext');

/** The rule most have: containers, by name, and what they must not do. */
export function containerRule(
  reason: string,
  isWrong: (container: Fields) => boolean,
  demand: string,
): Rule {
  return (pod) => {
    const names = containersThat(pod, isWrong);
    return names.length === 0
      ? undefined
      : { reason, detail: `${named('container', names)} ${demand}` };
  };
}

/** "pod and containers …": whoever sets what must not be set. */
export function settersOf(pod: JudgedPod, isSet: (context: Readonly<Fields>) => boolean): string {
  const names = containersThat(pod, (container) => isSet(contextOf(container)));
  return [
    ...(isSet(contextOf(pod.spec)) ? ['pod'] : []),
    ...(names.length === 0 ? [] : [named('container', names)]),
  ].join(' and ');
}

export const seccompOf = (context: Readonly<Fields>) =>
  textAt(objectAt(context, 'seccompProfile'), 'type');
export const isUnconfined = (context: Readonly<Fields>) =>
  !['', 'RuntimeDefault', 'Localhost'].includes(seccompOf(context));

const addedBy = (container: Readonly<Fields>) =>
  (objectAt(contextOf(container), 'capabilities').add ?? []) as readonly string[];

export function forbiddenAdditions(pod: JudgedPod, allowed: ReadonlySet<string>): string {
  const isWrong = (container: Readonly<Fields>) =>
    addedBy(container).some((each) => !allowed.has(each));
  const names = containersThat(pod, isWrong);
  if (names.length === 0) return '';
  const added = pod.containers.flatMap(addedBy).filter((each) => !allowed.has(each));
  return `${named('container', names)} must not include ${quoted([...new Set(added)].sort())} in securityContext.capabilities.add`;
}

/** Containers that see the whole of /proc. */
export function unmaskedProc(pod: JudgedPod): Violation | undefined {
  const mountOf = (container: Readonly<Fields>) => textAt(contextOf(container), 'procMount');
  const isWrong = (container: Readonly<Fields>) => !['', 'Default'].includes(mountOf(container));
  const values = [...new Set(pod.containers.filter(isWrong).map(mountOf))].sort();
  const demand = `must not set securityContext.procMount to ${quoted(values)}`;
  return containerRule('procMount', isWrong, demand)(pod);
}

/** In a user namespace root is nobody outside: some rules are not needed there. */
export const hasOwnUsers = ({ spec }: JudgedPod): boolean => spec.hostUsers === false;
