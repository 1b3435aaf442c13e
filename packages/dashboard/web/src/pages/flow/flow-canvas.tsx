import { useMemo, useRef } from 'preact/hooks';
import { boxesIn, type Columns, columnsIn, drawnPart, leftOfBox, leftOfColumn } from './columns.ts';
import { FlowBoxView } from './flow-box.tsx';
import { stages } from './flow-graph.ts';
import { FlowLines } from './flow-lines.tsx';
import type { FlowBox, FoldedFlow } from './folding.ts';
import { boxHeight } from './layout-question.ts';
import { useLayout } from './use-layout.ts';
import { useViewport } from './use-viewport.ts';
import { useWalking } from './use-walking.ts';
import { walkFrom } from './walk.ts';

interface FlowCanvasProps {
  readonly flow: FoldedFlow;
  readonly followed: ReadonlySet<string> | undefined;
  readonly selected: string | undefined;
  readonly onFollow: (id: string) => void;
  readonly onLeave: () => void;
  readonly onToggle: (unit: string, isOpen: boolean) => void;
}

/** The columns and what runs between them. Boxes are HTML, so that their text is text; the lines are one SVG. */
export function FlowCanvas(props: FlowCanvasProps) {
  const { flow, selected } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const viewport = useViewport(scroller);
  const found = useLayout(flow);
  const layout = found?.layout;
  const columns = columnsIn(viewport.width);
  const boxes = useMemo(() => new Map(flow.boxes.map((box) => [box.id, box])), [flow]);
  const { active, setActive, activate } = useWalking({
    scroller,
    boxes,
    tops: layout?.tops,
    isPlaced: found?.isCurrent === true,
    boxWidth: columns.width,
    leftOf: (box) => leftOfBox(columns, box),
    selected,
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (!layout) return;
    if (event.key === 'Escape' && selected !== undefined) {
      event.preventDefault();
      props.onLeave();
      return;
    }
    const next = walkFrom(event.key, active, flow, layout.tops);
    if (next === undefined) return;
    event.preventDefault();
    activate(next);
  };

  const part = drawnPart(viewport);
  const seen = layout ? boxesIn(part, flow.boxes, layout.tops) : [];
  const first = active !== undefined && seen.some(({ id }) => id === active) ? active : seen[0]?.id;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its boxes are buttons, between which the arrows walk
    <div
      ref={scroller}
      class="flow"
      data-walks
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        const box = (event.target as HTMLElement).dataset.box;
        if (box !== undefined) setActive(box);
        else if (first !== undefined) activate(first);
      }}
    >
      <FlowHeads columns={columns} />
      {layout && (
        <FlowSpace
          {...{ ...props, layout, columns, boxes, part, seen }}
          walked={first}
          onPress={setActive}
        />
      )}
    </div>
  );
}

function FlowHeads({ columns }: { readonly columns: Columns }) {
  return (
    <div class="flow-heads" style={{ width: `${columns.total}px` }}>
      {stages.map(({ stage, title }, column) => (
        <div
          key={stage}
          class="flow-head"
          style={{ left: `${leftOfColumn(columns, column)}px`, width: `${columns.width}px` }}
        >
          {title}
        </div>
      ))}
    </div>
  );
}

interface FlowSpaceProps extends FlowCanvasProps {
  readonly layout: { readonly tops: ReadonlyMap<string, number>; readonly height: number };
  readonly columns: Columns;
  readonly boxes: ReadonlyMap<string, FlowBox>;
  readonly part: { readonly from: number; readonly until: number };
  readonly seen: readonly FlowBox[];
  /** The one that is reached by the tab key. */
  readonly walked: string | undefined;
  readonly onPress: (id: string) => void;
}

/** All of the graph's room, with what is drawn of it. */
function FlowSpace({
  flow,
  followed,
  layout,
  columns,
  boxes,
  part,
  seen,
  ...props
}: FlowSpaceProps) {
  return (
    <div
      class={followed ? 'flow-space following' : 'flow-space'}
      style={{ width: `${columns.total}px`, height: `${layout.height + 24}px` }}
    >
      <FlowLines
        lines={flow.lines}
        tops={layout.tops}
        leftOf={(id) => {
          const box = boxes.get(id);
          return box && leftOfBox(columns, box);
        }}
        boxWidth={columns.width}
        boxHeight={boxHeight}
        from={part.from}
        until={part.until}
      />
      {seen.map((box) => (
        <FlowBoxView
          key={box.id}
          box={box}
          left={leftOfBox(columns, box)}
          top={layout.tops.get(box.id) ?? 0}
          width={columns.width}
          isFollowed={followed === undefined || isOnPath(box, followed)}
          isSelected={box.id === props.selected}
          isWalked={box.id === props.walked}
          onPress={() => {
            props.onPress(box.id);
            if (box.group) props.onToggle(box.unit, !box.group.isOpen);
            else props.onFollow(box.id);
          }}
        />
      ))}
    </div>
  );
}

function isOnPath(box: FlowBox, followed: ReadonlySet<string>): boolean {
  return box.node !== undefined && followed.has(box.node.id);
}
