import { stages } from './flow-graph.ts';
import type { FlowBox, FoldedFlow } from './folding.ts';
import type { LayoutQuestion } from './layout.ts';

export const boxHeight = 46;

/** What the worker is asked. */
export function questionOf({ boxes, lines }: FoldedFlow): LayoutQuestion {
  const leading = new Set(lines.map(({ from }) => from));
  return {
    boxes: boxes.map(({ id, stage, unit, title }) => ({
      id,
      unit,
      title,
      // What leads to traffic is looked for; a Secret or a ConfigMap is below it.
      rank: stage === 'object' && !leading.has(id) ? 1 : 0,
      column: columnOf(stage),
    })),
    lines: lines.flatMap(({ from, to }) => (to === undefined ? [] : [{ from, to }])),
    boxHeight,
    gap: 8,
    unitGap: 10,
  };
}

export function columnOf(stage: FlowBox['stage']): number {
  return stages.findIndex((one) => one.stage === stage);
}
