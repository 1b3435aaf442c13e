import type { RouteEntity } from './kong-state.ts';

/**
 * One rule of an object that cannot be as it is asked for, while its others can. It is known by what routes have in
 * them that serve it: a host and paths, or, with the expressions router, the texts of both.
 */
export interface BrokenRule {
  /** Empty where the rule is for every host. */
  readonly host: string;
  readonly paths: readonly string[];
  /** With the expressions router: that of a route for this rule alone. */
  readonly priority?: number;
}

/** Whether a route, as it was taken before, serves what the rule asks for. */
export function servesRule(
  { hosts = [], paths = [], expression }: Pick<RouteEntity, 'hosts' | 'paths' | 'expression'>,
  rule: BrokenRule,
): boolean {
  const has = (list: readonly string[], text: string) =>
    expression === undefined ? list.includes(text) : expression.includes(text);
  return (rule.host === '' || has(hosts, rule.host)) && rule.paths.some((one) => has(paths, one));
}
