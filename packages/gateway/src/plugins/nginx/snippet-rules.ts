import { plainHost } from '../../exchange/client-facts.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { decodedPath, encodedPath } from '../../router/decoded-path.ts';
import { patternBudget } from '../../router/pattern-budget.ts';
import {
  compileRegularExpression,
  type RegularExpression,
  regularExpressionProblem,
} from '../../router/regular-expression.ts';
import { redirectTo } from './error-page.ts';
import { factsOf, refuseEarly } from './request-facts.ts';
import { variableProblem, variableText } from './variable-text.ts';

/** A condition, and what is done where it holds: an answer of one's own, or another path. */
export interface SnippetRule {
  /** A text with variables that is compared; null: always. */
  readonly variable: string | null;
  readonly operator: string | null;
  readonly value: string | null;
  readonly status: number | null;
  /** The text of the answer, or where it redirects to. */
  readonly body: string | null;
  readonly pattern: string | null;
  readonly target: string | null;
  readonly flag: string | null;
  /** Of a server, not of a location: an answer gets nothing that a location adds. */
  readonly is_early: boolean;
}

const compiled = new Map<string, RegularExpression | undefined>();
/** Patterns are of the configuration, which is bounded; those of old configurations are let go. */
const maximumPatterns = 10_000;

/** Takes the rules in their order until one answers, or ends the rewriting. */
export function applyRules(context: RequestContext, rules: readonly SnippetRule[]): void {
  for (const rule of rules) {
    if (!holds(context, rule)) continue;
    if (rule.is_early && isAnswer(rule)) refuseEarly(context);
    if (rule.status !== null) {
      answer(context, rule.status, rule.body);
      return;
    }
    if (rule.pattern !== null && rewrite(context, rule)) return;
  }
}

function isAnswer({ status, flag }: SnippetRule): boolean {
  return status !== null || flag === 'redirect' || flag === 'permanent';
}

/** Why a rule cannot be run; undefined if it can. */
export function ruleProblem(rule: SnippetRule): string | undefined {
  const { variable, value, body, pattern, target, operator } = rule;
  // Lines of a body are its own business; what redirects stands in a header.
  const isRedirect = rule.status !== null && rule.status >= 300 && rule.status < 400;
  const text = isRedirect ? body : body?.replace(/[\r\n\t]/g, ' ');
  for (const one of [variable, text, target]) {
    const problem = variableProblem(one ?? '');
    if (problem !== undefined) return problem;
  }
  const patterns = [pattern, operator?.includes('~') ? value : null];
  for (const one of patterns) {
    const problem = one && regularExpressionProblem(one, { dialect: 'pcre' });
    if (problem) return `the gateway cannot run this regular expression: ${problem}`;
  }
  return undefined;
}

function holds(context: RequestContext, { variable, operator, value }: SnippetRule): boolean {
  if (variable === null) return true;
  const left = variableText(variable).render(context);
  switch (operator) {
    case '=':
      return left === (value ?? '');
    case '!=':
      return left !== (value ?? '');
    case 'set':
      return left !== '' && left !== '0';
    default: {
      const isIgnoringCase = operator?.endsWith('*') === true;
      const isFound = find(isIgnoringCase ? `(?i)${value}` : (value ?? ''), left) !== undefined;
      return operator?.startsWith('!') === true ? !isFound : isFound;
    }
  }
}

function answer(context: RequestContext, status: number, body: string | null): void {
  const rendered = body === null ? '' : variableText(body).render(context);
  if ([301, 302, 303, 307, 308].includes(status) && rendered !== '') {
    redirectTo(context, status, absolute(context, rendered));
  } else if (rendered !== '') {
    context.exit(status, rendered, { 'Content-Type': 'text/html' });
  } else if (status < 300) {
    context.exit(status);
  } else {
    context.fail(status, 'a snippet says so');
  }
}

/** Whether the path matched, so that no further rule counts. */
function rewrite(context: RequestContext, { pattern, target, flag }: SnippetRule): boolean {
  const match = find(pattern ?? '', decodedPath(context.target));
  if (match === undefined) return false;
  const groups = match.groups.map((group) => group ?? '');
  const isAway = /^https?:\/\//i.test(target ?? '');
  if (isAway || flag === 'redirect' || flag === 'permanent') {
    const location = variableText(target ?? '').render(context, groups.map(encodedPath));
    const query = context.query ? `${location.includes('?') ? '&' : '?'}${context.query}` : '';
    const status = flag === 'permanent' ? 301 : 302;
    redirectTo(context, status, absolute(context, location) + query);
    return true;
  }
  if (context.upstream !== undefined) {
    context.upstream.path = encodedPath(variableText(target ?? '').render(context, groups));
  }
  return true;
}

function absolute(context: RequestContext, url: string): string {
  const { scheme, httpHost } = factsOf(context);
  return url.startsWith('/') ? `${scheme}://${plainHost(httpHost)}${url}` : url;
}

function find(pattern: string, text: string) {
  if (!compiled.has(pattern)) {
    if (compiled.size >= maximumPatterns) compiled.clear();
    compiled.set(pattern, compileRegularExpression(pattern, { dialect: 'pcre' }));
  }
  patternBudget.renew();
  return compiled.get(pattern)?.exec(text);
}
