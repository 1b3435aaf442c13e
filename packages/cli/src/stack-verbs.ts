/**
 * Verbs that work on a cluster or its gateway, and without being told which on the `waygate up` of the
 * directory. Taking over a cluster (`migrate`) and running on one (`controller`) are not among them.
 */
export const stackVerbs: ReadonlySet<string> = new Set([
  'get',
  'tree',
  'events',
  'reconcile',
  'suspend',
  'resume',
  'stats',
  'debug',
  'diff',
  'create',
  'delete',
  'export',
  'trace',
  'preview',
  'problems',
  'dashboard',
  'gateway',
  'check',
  'support-bundle',
]);
