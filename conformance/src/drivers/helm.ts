import { readJson } from '../data-file.ts';
import type { Driver } from '../driver.ts';
import { leftOut } from '../run-suite.ts';
import { chartCases } from './helm-charts.ts';
import { expressionCases } from './helm-expr.ts';

export const driver: Driver = {
  suite: 'helm',
  async *cases(files) {
    for (const name of files.names().filter((each) => each.endsWith('.json'))) {
      const data = readJson(files, name);
      if (name.startsWith('expr/')) yield* expressionCases(name, data);
      else if (name.startsWith('charts/')) yield* chartCases(name, data);
      else
        yield* leftOut(name, data, 'releases are not installed yet: each step builds on the last');
    }
  },
};
