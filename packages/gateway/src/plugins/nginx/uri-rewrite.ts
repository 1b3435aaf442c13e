import { oncePer } from '@waygate/text';
import type { RequestContext } from '../../plugin/request-context.ts';
import { decodedPath, encodedPath } from '../../router/decoded-path.ts';
import { patternBudget } from '../../router/pattern-budget.ts';
import {
  compileRegularExpression,
  regularExpressionProblem,
} from '../../router/regular-expression.ts';
import { variableText } from './variable-text.ts';

/** `rewrite-target`: what a path that matches is replaced by, as a whole. */
export interface RewriteConfig {
  readonly pattern: string;
  readonly target: string;
}

/** What became of a path. */
type Rewritten =
  | { readonly kind: 'same' }
  | { readonly kind: 'path'; readonly path: string; readonly groups: readonly string[] }
  | { readonly kind: 'redirect'; readonly location: string };

const patternOf = oncePer(({ pattern }: RewriteConfig) =>
  compileRegularExpression(ignoringCase(pattern), { dialect: 'pcre' }),
);

/** Replaces the path of a request. The pattern is looked for anywhere in it, without regard to case. */
export function rewriteUri(context: RequestContext, config: RewriteConfig): Rewritten {
  patternBudget.renew();
  const match = patternOf(config)?.exec(decodedPath(context.target));
  if (match === undefined) return { kind: 'same' };
  const groups = match.groups.map((group) => group ?? '');
  const target = variableText(config.target);
  if (/^https?:\/\//i.test(config.target)) {
    const location = target.render(context, groups.map(encodedPath));
    const query = context.query ?? '';
    return { kind: 'redirect', location: query === '' ? location : `${location}?${query}` };
  }
  return { kind: 'path', path: encodedPath(target.render(context, groups)), groups };
}

/** Why a pattern cannot be run; undefined if it can. */
export function rewriteProblem(pattern: string): string | undefined {
  const problem = regularExpressionProblem(ignoringCase(pattern), { dialect: 'pcre' });
  return problem && `the gateway cannot run this regular expression: ${problem}`;
}

function ignoringCase(pattern: string): string {
  return `(?i)${pattern}`;
}
