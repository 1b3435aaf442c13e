/** A metric that an expression asks for, and the labels by which it does. */
export interface UsedMetric {
  readonly metric: string;
  readonly labels: readonly string[];
}

const words = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const operators = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan']);

/** The metrics of a PromQL expression; labels that it groups by count for all of them. */
export function usedMetrics(expression: string): UsedMetric[] {
  const grouped: string[] = [];
  const used: { metric: string; labels: string[] }[] = [];
  const pattern = /"(?:[^"\\]|\\.)*"|([a-zA-Z_:][a-zA-Z0-9_:]*)(\s*\()?|\[[^\]]*\]|[{}(),]|[^\s]/g;
  let open: { metric: string; labels: string[] } | undefined;
  let isInBraces = false;
  let isInList = false;
  for (const [text, name, call] of expression.matchAll(pattern)) {
    if (text === '{') isInBraces = true;
    else if (text === '}') isInBraces = false;
    else if (text === ')') isInList = false;
    if (name === undefined) continue;
    if (isInBraces) open?.labels.push(name);
    else if (isInList) grouped.push(name);
    else if (words.has(name)) isInList = call !== undefined;
    else if (call === undefined && !operators.has(name.toLowerCase())) {
      // `sum by (x) (…)`: the name of an aggregation stands before its list, without a bracket.
      open = { metric: name, labels: [] };
      used.push(open);
    }
  }
  const aggregations = new Set([
    'sum',
    'max',
    'min',
    'avg',
    'count',
    'topk',
    'bottomk',
    'quantile',
  ]);
  return used
    .filter(({ metric }) => !aggregations.has(metric))
    .map(({ metric, labels }) => ({ metric, labels: [...labels, ...grouped] }));
}
