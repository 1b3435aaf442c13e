import { readJson } from '../data-file.ts';
import type { Driver } from '../driver.ts';
import { chartCases } from './helm-charts.ts';
import { expressionCases } from './helm-expr.ts';
import { lifecycleCases } from './helm-lifecycle.ts';

export const driver: Driver = {
  suite: 'helm',
  async *cases(files) {
    for (const name of files.names().filter((each) => each.endsWith('.json'))) {
      const data = readJson(files, name);
      if (name.startsWith('expr/')) yield* expressionCases(name, data);
      else if (name.startsWith('charts/')) yield* chartCases(name, data);
      else if (name.startsWith('lifecycle/')) yield* lifecycleCases(files, name, data);
    }
  },
};
