import type { FlowLine } from './folding.ts';

/** Broken lines and followed ones lie above the others. */
export function FlowLines(props: {
  readonly lines: readonly FlowLine[];
  readonly tops: ReadonlyMap<string, number>;
  readonly leftOf: (id: string) => number | undefined;
  readonly boxWidth: number;
  readonly boxHeight: number;
  readonly from: number;
  readonly until: number;
}) {
  const shapes = props.lines.flatMap((line) => {
    const shape = shapeOf(line, props);
    return shape && shape.bottom >= props.from && shape.top <= props.until
      ? [{ line, ...shape }]
      : [];
  });
  shapes.sort((one, other) => rank(one.line) - rank(other.line));
  return (
    <svg class="flow-lines" aria-hidden="true">
      {shapes.map(({ line, path, end }) => (
        <g key={`${line.from}\n${line.to}`} class={classOf(line)}>
          <path d={path} stroke-width={thickness(line)} />
          {line.broken.length > 0 && (
            <>
              <circle cx={end.x} cy={end.y} r="7" />
              <path class="flow-cross" d={`M${end.x - 2.5} ${end.y - 2.5}l5 5m0 -5l-5 5`} />
              <title>{line.broken.join('\n')}</title>
            </>
          )}
        </g>
      ))}
    </svg>
  );
}

function shapeOf(line: FlowLine, props: Parameters<typeof FlowLines>[0]) {
  const left = props.leftOf(line.from);
  const top = props.tops.get(line.from);
  if (left === undefined || top === undefined) return undefined;
  const x1 = left + props.boxWidth;
  const y1 = top + props.boxHeight / 2;
  if (line.to === undefined) {
    const end = { x: x1 + 24, y: y1 };
    return { path: `M${x1} ${y1}H${end.x}`, end, top, bottom: top + props.boxHeight };
  }
  const x2 = props.leftOf(line.to);
  const top2 = props.tops.get(line.to);
  if (x2 === undefined || top2 === undefined) return undefined;
  const y2 = top2 + props.boxHeight / 2;
  const bend = Math.max(18, (x2 - x1) / 2);
  return {
    path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
    end: { x: (x1 + x2) / 2, y: (y1 + y2) / 2 },
    top: Math.min(y1, y2),
    bottom: Math.max(y1, y2),
  };
}

function classOf(line: FlowLine): string {
  const classes = ['flow-line'];
  if (line.broken.length > 0) classes.push('flow-line-broken');
  if (line.isFollowed) classes.push('flow-line-followed');
  return classes.join(' ');
}

function rank(line: FlowLine): number {
  return (line.broken.length > 0 ? 2 : 0) + (line.isFollowed ? 1 : 0);
}

/** A thousand edges are a thicker line, not a thousand times as thick. */
function thickness(line: FlowLine): number {
  return Math.min(3.2, 1.3 + 0.6 * Math.log10(line.count));
}
