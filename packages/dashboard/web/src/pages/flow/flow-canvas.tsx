import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { FlowBoxView } from './flow-box.tsx';
import { stages } from './flow-graph.ts';
import { FlowLines } from './flow-lines.tsx';
import type { FlowBox, FoldedFlow } from './folding.ts';
import { boxHeight, columnOf } from './layout-question.ts';
import { useLayout } from './use-layout.ts';
import { useViewport } from './use-viewport.ts';
import { walkFrom } from './walk.ts';

export interface FlowCanvasProps {
  readonly flow: FoldedFlow;
  readonly followed: ReadonlySet<string> | undefined;
  readonly selected: string | undefined;
  readonly onFollow: (id: string) => void;
  readonly onLeave: () => void;
  readonly onToggle: (unit: string, isOpen: boolean) => void;
}

/** What is laid out but not near what is seen is not drawn. */
const margin = 400;
const edge = 28;

/** The columns and what runs between them. Boxes are HTML, so that their text is text; the lines are one SVG. */
export function FlowCanvas(props: FlowCanvasProps) {
  const { flow, followed } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const viewport = useViewport(scroller);
  const found = useLayout(flow);
  const [active, setActive] = useState<string | undefined>(props.selected);
  const wantsFocus = useRef(false);
  const layout = found?.layout;
  const gap = viewport.width < 700 ? 36 : 44;
  const width = Math.max(136, Math.min(230, (viewport.width - 2 * edge - 5 * gap) / 6));
  const byId = useMemo(() => new Map(flow.boxes.map((box) => [box.id, box])), [flow]);
  const leftOf = (box: FlowBox) => edge + columnOf(box.stage) * (width + gap);

  useLayoutEffect(() => {
    if (!wantsFocus.current || active === undefined) return;
    const element = scroller.current?.querySelector<HTMLElement>(
      `[data-box="${CSS.escape(active)}"]`,
    );
    if (!element) return;
    wantsFocus.current = false;
    element.focus({ preventScroll: true });
  });

  // What a link or the search points at is brought into view, once it has its place.
  const shown = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const { selected } = props;
    const box = selected === undefined ? undefined : byId.get(selected);
    if (!found?.isCurrent || shown.current === selected) return;
    shown.current = selected;
    const top = box && layout?.tops.get(box.id);
    if (box && top !== undefined && scroller.current)
      scrollTo(scroller.current, leftOf(box), width, top);
  });

  const activate = (id: string) => {
    const box = byId.get(id);
    const top = layout?.tops.get(id);
    const element = scroller.current;
    if (!box || top === undefined || !element) return;
    wantsFocus.current = true;
    setActive(id);
    scrollTo(element, leftOf(box), width, top);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (!layout) return;
    if (event.key === 'Escape' && props.selected !== undefined) {
      event.preventDefault();
      props.onLeave();
      return;
    }
    const next = walkFrom(event.key, active, flow, layout.tops);
    if (next === undefined) return;
    event.preventDefault();
    activate(next);
  };

  const seen = layout
    ? flow.boxes.filter((box) => {
        const top = layout.tops.get(box.id);
        return (
          top !== undefined &&
          top > viewport.top - margin &&
          top < viewport.top + viewport.height + margin
        );
      })
    : [];
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
      <div class="flow-heads" style={{ width: `${edge * 2 + 6 * width + 5 * gap}px` }}>
        {stages.map(({ stage, title }, column) => (
          <div
            key={stage}
            class="flow-head"
            style={{ left: `${edge + column * (width + gap)}px`, width: `${width}px` }}
          >
            {title}
          </div>
        ))}
      </div>
      {layout && (
        <div
          class={followed ? 'flow-space following' : 'flow-space'}
          style={{
            width: `${edge * 2 + 6 * width + 5 * gap}px`,
            height: `${layout.height + 24}px`,
          }}
        >
          <FlowLines
            lines={flow.lines}
            tops={layout.tops}
            leftOf={(id) => {
              const box = byId.get(id);
              return box && leftOf(box);
            }}
            boxWidth={width}
            boxHeight={boxHeight}
            from={viewport.top - margin}
            until={viewport.top + viewport.height + margin}
          />
          {seen.map((box) => (
            <FlowBoxView
              key={box.id}
              box={box}
              left={leftOf(box)}
              top={layout.tops.get(box.id) ?? 0}
              width={width}
              isFollowed={followed === undefined || isOnPath(box, followed)}
              isSelected={box.id === props.selected}
              isWalked={box.id === first}
              onPress={() => {
                setActive(box.id);
                if (box.group) props.onToggle(box.unit, !box.group.isOpen);
                else props.onFollow(box.id);
              }}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function isOnPath(box: FlowBox, followed: ReadonlySet<string>): boolean {
  return box.node !== undefined && followed.has(box.node.id);
}

/** Only as far as needed, and with some room around. */
function scrollTo(element: HTMLElement, left: number, width: number, top: number): void {
  const room = 60;
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
  if (top < scrollTop + room) element.scrollTop = top - room;
  else if (top + boxHeight + room > scrollTop + clientHeight)
    element.scrollTop = top + boxHeight + room - clientHeight;
  if (left < scrollLeft) element.scrollLeft = left - edge;
  else if (left + width > scrollLeft + clientWidth)
    element.scrollLeft = left + width + edge - clientWidth;
}
