import { isObject } from '@waygate/text';

/**
 * All values that a printer column's path leads to: names, `[*]`, `[n]` and `[?(@.a=="b")]`. The path is
 * read once, in time linear in its length; one that cannot be read leads nowhere.
 */
export function jsonPath(path: string): (root: unknown) => unknown[] {
  const steps = parsePath(path);
  if (steps === undefined) return () => [];
  return (root) =>
    steps.reduce<unknown[]>(
      (values, step) => values.flatMap((value) => follow(value, step)),
      [root],
    );
}

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | {
      readonly kind: 'filter';
      readonly path: readonly string[];
      readonly value: string;
      readonly isEqual: boolean;
    };

/** One step. No text can be read in two ways, so that a mismatch is found without going back. */
const stepPattern =
  /\.((?:[A-Za-z0-9_\-/]|\\(?:\.|(?!\.)))*)(?=[.[]|$)|\[(\*|-?\d+)\]|\['([^']*)'\]|\[\?\(\s*@((?:\.[A-Za-z0-9_-]+)+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\s*\)\]/y;

function parsePath(path: string): Step[] | undefined {
  const text = path.startsWith('.') || path.startsWith('[') ? path : `.${path}`;
  const steps: Step[] = [];
  stepPattern.lastIndex = 0;
  while (stepPattern.lastIndex < text.length) {
    const before = stepPattern.lastIndex;
    const match = stepPattern.exec(text);
    if (match === null || stepPattern.lastIndex === before) return undefined;
    if (match[1] !== undefined) {
      if (match[1] !== '') steps.push({ kind: 'field', name: match[1].replaceAll('\\.', '.') });
    } else if (match[2] !== undefined) {
      steps.push(match[2] === '*' ? { kind: 'all' } : { kind: 'index', index: Number(match[2]) });
    } else if (match[3] !== undefined) steps.push({ kind: 'field', name: match[3] });
    else {
      steps.push({
        kind: 'filter',
        path: (match[4] as string).split('.').slice(1),
        isEqual: match[5] === '==',
        value: match[6] ?? match[7] ?? match[8] ?? '',
      });
    }
  }
  return steps;
}

function follow(value: unknown, step: Step): unknown[] {
  switch (step.kind) {
    case 'field':
      if (isObject(value) && Object.hasOwn(value, step.name)) return [value[step.name]];
      return [];
    case 'index': {
      const item = Array.isArray(value) ? value.at(step.index) : undefined;
      return item === undefined ? [] : [item];
    }
    case 'all':
      if (Array.isArray(value)) return value;
      return isObject(value) ? Object.values(value) : [];
    case 'filter':
      if (!Array.isArray(value)) return [];
      return value.filter((item) => {
        let found: unknown = item;
        for (const name of step.path) found = isObject(found) ? found[name] : undefined;
        return found !== undefined && (String(found) === step.value) === step.isEqual;
      });
  }
}
