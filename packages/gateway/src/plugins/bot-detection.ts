import { oncePer } from '@waygate/text';
import { definePlugin } from '../plugin/plugin.ts';
import { patternBudget } from '../router/pattern-budget.ts';
import { compileRegularExpression } from '../router/regular-expression.ts';

interface Config {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
}

/** Programs that say in their user agent that they crawl, watch or fetch for others. */
const knownBots =
  /\b(?:pingdom\.com_bot|facebookexternalhit|google web snippet|newrelicpinger|scrapy|twitterbot|bingbot|googlebot|slurp|baiduspider|yandexbot|duckduckbot|ahrefsbot|semrushbot|mj12bot|dotbot|petalbot|ia_archiver|exabot|facebot|applebot|linkedinbot|embedly|rogerbot|sogou|siteimprove|blexbot|seznambot|coccocbot|archive\.org_bot|nutch|heritrix|python-urllib|libwww-perl|phantomjs|headlesschrome)\b/i;

const compiled = oncePer((patterns: readonly string[]) =>
  patterns.map((pattern) => compileRegularExpression(pattern, { dialect: 'pcre' })),
);

/** Keeps out programs that are not browsers, by their user agent. */
export const botDetection = definePlugin<Config>({
  name: 'bot-detection',
  priority: 2_500,
  access(context, config) {
    const agents = context.headers.getAll('user-agent');
    const [agent] = agents;
    if (agents.length > 1) {
      context.fail(400, 'Only one User-Agent header allowed');
      return;
    }
    patternBudget.renew();
    // Where a pattern cannot tell, the request stays out.
    if (agent === undefined || matchesAny(config.allow, agent, false)) return;
    if (matchesAny(config.deny, agent, true) || knownBots.test(agent)) {
      context.fail(403, 'Forbidden');
    }
  },
});

function matchesAny(
  patterns: readonly string[] | null,
  agent: string,
  whenUnknown: boolean,
): boolean {
  if (patterns === null) return false;
  return compiled(patterns).some((pattern) => pattern?.test(agent, whenUnknown) ?? whenUnknown);
}
