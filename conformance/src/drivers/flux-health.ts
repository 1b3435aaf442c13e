import { completedJobHealth, HealthExpressions, objectHealth } from '@waygate/apply';
import { sortDependencies } from '@waygate/gitops';
import type { DynamicObject } from '@waygate/schema';
import { type Check, compare } from './flux-case.ts';

export const healthChecks: Readonly<Record<string, Check>> = {
  kstatus: (one) =>
    compare(one, () => {
      const result = objectHealth(one.object as DynamicObject);
      if (result.status === 'Unknown') throw new Error(result.message);
      return result;
    }),
  'kstatus-job': (one) => compare(one, () => completedJobHealth(one.object as DynamicObject)),
  'cel-health': (one) =>
    compare(one, () => {
      const expressions = new HealthExpressions(one.exprs as never);
      return { status: expressions.health(one.object as DynamicObject).status };
    }),
  'dependson-sort': (one) => compare(one, () => sortDependencies(one.objects as never)),
};
