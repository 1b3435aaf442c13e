import * as apply from '@waygate/apply';
import * as dashboard from '@waygate/dashboard';
import * as gateway from '@waygate/gateway';
import * as gitops from '@waygate/gitops';
import * as helm from '@waygate/helm';
import * as ingress from '@waygate/ingress';
import * as kong from '@waygate/kong';
import * as kube from '@waygate/kube';
import * as kustomize from '@waygate/kustomize';
import * as passthrough from '@waygate/passthrough';
import * as runtime from '@waygate/runtime';
import * as schema from '@waygate/schema';
import * as text from '@waygate/text';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { type Block, codeBlocks } from './code-blocks.ts';

// What an example says that an expression is (`parseDuration('1s'); // 1_000`), it is. Examples that need a
// cluster, or anything else of the outside, are only compiled (readme-code.test.ts).

/** Functions made of text whose `await` is that of a module. */
const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<void>;

const rooms: Readonly<Record<string, object>> = {
  apply,
  dashboard,
  gateway,
  gitops,
  helm,
  ingress,
  kong,
  kube,
  kustomize,
  passthrough,
  runtime,
  schema,
  text,
};
const examples = codeBlocks().flatMap((block) => {
  const checked = withChecks(block.code);
  return checked === undefined || needsOutside(block) ? [] : [[block.place, checked] as const];
});

test('there are some', () => {
  expect(examples.length).toBeGreaterThan(50);
});

test.each(examples)('%s', async (_, code) => {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  const said: [expression: string, value: unknown][] = [];
  const found: [expression: string, value: unknown][] = [];
  const check = (expression: string, value: unknown, expected: unknown) => {
    found.push([expression, value]);
    said.push([expression, expected]);
  };
  await new AsyncFunction('rooms', 'check', withoutImports(outputText))(rooms, check);
  expect(found.length).toBeGreaterThan(0);
  expect(found).toEqual(said);
});

function needsOutside({ code }: Block): boolean {
  return /declare const|from 'node:|from '\./.test(code);
}

/** The code with a check for each line that says a value; undefined when none does. */
function withChecks(code: string): string | undefined {
  let count = 0;
  const lines = code.split('\n').map((line) => {
    const [, expression, value] = /^(\S.*); \/\/ (.+)$/.exec(line) ?? [];
    if (expression === undefined || value === undefined) return line;
    if (!isExpression(expression) || !isValue(value)) return line;
    count += 1;
    return `check(${JSON.stringify(expression)}, (${expression}), (${value}));`;
  });
  return count === 0 ? undefined : lines.join('\n');
}

function isExpression(source: string): boolean {
  const { diagnostics = [] } = ts.transpileModule(`export default (${source});`, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.length === 0;
}

/** Whether a comment is a value, and neither prose nor one of which a part is left out. */
function isValue(comment: string): boolean {
  if (comment.includes('…')) return false;
  try {
    new Function(`'use strict'; return (${comment});`)();
    return true;
  } catch {
    return false;
  }
}

function withoutImports(code: string): string {
  return code
    .replaceAll(
      /^import \{([^}]*)\} from ['"]@waygate\/(\w+)['"];$/gm,
      (_, names: string, room: string) => `const {${names}} = rooms.${room};`,
    )
    .replaceAll(/^export \{\s*\};$/gm, '');
}
