import { isObject } from '@waygate/text';
import { goText } from '../decode/go-text.ts';
import {
  childNode,
  type ListNode,
  type ScalarNode,
  type TypeNode,
} from '../typed-schema/type-node.ts';
import { fieldElement, pathText } from './field-set.ts';
import { itemElement, TypedProblem } from './typed-value.ts';

/** What an applied configuration has that its schema does not allow, in the API's words. */
export function typedProblems(value: unknown, node: TypeNode): string[] {
  const problems: string[] = [];
  check(value, node, [], problems);
  return problems;
}

/** Several problems are a list of their own. */
export function problemsText(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] as string) : `errors:\n  ${problems.join('\n  ')}`;
}

function check(value: unknown, node: TypeNode, path: readonly string[], problems: string[]): void {
  if (value === null || value === undefined || node.kind === 'any') return;
  const say = (what: string) => problems.push(`${pathText(path)}: ${what}`);
  switch (node.kind) {
    case 'scalar': {
      const expected = expectation(value, node);
      if (expected === undefined) return;
      const got = expected.startsWith('numeric') ? goType(value) : goSyntax(value);
      say(`expected ${expected}, got ${got}`);
      return;
    }
    case 'list':
      if (!Array.isArray(value)) say(`expected list, got &{${goText(value)}}`);
      else checkList(value, node, path, problems);
      return;
    default:
      if (!isObject(value)) {
        say(`expected map, got &{${goText(value)}}`);
        return;
      }
      for (const [key, item] of Object.entries(value)) {
        const itemPath = [...path, fieldElement(key)];
        if (
          node.kind === 'struct' &&
          !node.isOpen &&
          !node.fields.has(key) &&
          node.rest === undefined
        ) {
          // Kubernetes looks no further into a struct then.
          problems.push(`${pathText(itemPath)}: field not declared in schema`);
          return;
        } else check(item, childNode(node, key), itemPath, problems);
      }
  }
}

function checkList(
  items: readonly unknown[],
  node: ListNode,
  path: readonly string[],
  problems: string[],
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (node.listType === 'atomic') {
      check(item, node.items, [...path, `i:${index}`], problems);
      continue;
    }
    let element: string;
    try {
      element = itemElement(node, item, index);
    } catch (error) {
      if (!(error instanceof TypedProblem)) throw error;
      problems.push(`${pathText(path)}: ${error.message.replace(/^\[\d+\]/, `element ${index}`)}`);
      continue;
    }
    if (seen.has(element)) {
      problems.push(`${pathText(path)}: duplicate entries for key ${pathText([element])}`);
    }
    seen.add(element);
    check(item, node.items, [...path, element], problems);
  }
}

function expectation(value: unknown, node: ScalarNode): string | undefined {
  const isScalar = isNumber(value) || typeof value === 'string' || typeof value === 'boolean';
  switch (node.scalar) {
    case 'string':
    case 'bytes':
    case 'time':
    case 'micro-time':
      return typeof value === 'string' ? undefined : 'string';
    case 'integer':
    case 'number':
      return isNumber(value) ? undefined : 'numeric (int or float)';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'boolean';
    default:
      return isScalar ? undefined : 'scalar';
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A value as Go's `%#v` prints the wrapper that the merge library keeps it in. */
function goSyntax(value: unknown): string {
  return `&value.valueUnstructured{Value:${goLiteral(value)}}`;
}

function goLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`;
  if (!isObject(value)) return String(value);
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goLiteral(value[key])}`);
  return `map[string]interface {}{${pairs.join(', ')}}`;
}
