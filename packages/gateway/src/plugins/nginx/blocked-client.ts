import { oncePer } from '@waygate/text';
import { isInList } from '../../plugin/address-list.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { patternBudget } from '../../router/pattern-budget.ts';
import {
  compileRegularExpression,
  type RegularExpression,
  regularExpressionProblem,
} from '../../router/regular-expression.ts';

/** Clients that are refused wherever they ask. */
export interface BlockConfig {
  readonly cidrs: readonly string[];
  readonly user_agents: readonly string[];
  readonly referers: readonly string[];
}

interface Compiled {
  readonly agents: readonly Matcher[];
  readonly referers: readonly Matcher[];
}

type Matcher = (value: string) => boolean;

const compiled = oncePer(
  ({ user_agents, referers }: BlockConfig): Compiled => ({
    agents: user_agents.map(matcher),
    referers: referers.map(matcher),
  }),
);

/** Whether a request is of a client that is blocked: by its address, its browser or where it comes from. */
export function isBlocked(context: RequestContext, config: BlockConfig): boolean {
  const known = compiled(config);
  patternBudget.renew();
  const agent = context.headers.get('user-agent') ?? '';
  const referer = context.headers.get('referer') ?? '';
  return (
    isInList(config.cidrs, context.client.ip) ||
    known.agents.some((matches) => matches(agent)) ||
    known.referers.some((matches) => matches(referer))
  );
}

/** As a key of nginx's `map`: `~pattern`, `~*pattern` without regard to case, or the text itself. */
function matcher(entry: string): Matcher {
  if (!entry.startsWith('~')) {
    const wanted = entry.toLowerCase();
    return (value) => value.toLowerCase() === wanted;
  }
  const expression: RegularExpression | undefined = compileRegularExpression(patternOf(entry), {
    dialect: 'pcre',
  });
  return (value) => expression?.test(value, true) !== false;
}

/** Why an entry cannot be matched; undefined if it can. */
export function blockProblem(entry: string): string | undefined {
  return entry.startsWith('~')
    ? regularExpressionProblem(patternOf(entry), { dialect: 'pcre' })
    : undefined;
}

function patternOf(entry: string): string {
  return entry.startsWith('~*') ? `(?i)${entry.slice(2)}` : entry.slice(1);
}
