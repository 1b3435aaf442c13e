import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { edge } from './columns.ts';
import type { FlowBox } from './folding.ts';
import { boxHeight } from './layout-question.ts';

/** The graph as somebody walks through it. */
interface WalkedGraph {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly boxes: ReadonlyMap<string, FlowBox>;
  readonly tops: ReadonlyMap<string, number> | undefined;
  /** Whether every box has the place that it will keep. */
  readonly isPlaced: boolean;
  readonly boxWidth: number;
  readonly leftOf: (box: FlowBox) => number;
  /** What a link or the search points at. */
  readonly selected: string | undefined;
}

/** The box that the keys are at; `activate` goes to one, in focus and into view. */
export function useWalking(graph: WalkedGraph): {
  readonly active: string | undefined;
  readonly setActive: (id: string) => void;
  readonly activate: (id: string) => void;
} {
  const [active, setActive] = useState<string | undefined>(graph.selected);
  const wantsFocus = useRef(false);

  useLayoutEffect(() => {
    if (!wantsFocus.current || active === undefined) return;
    const element = graph.scroller.current?.querySelector<HTMLElement>(
      `[data-box="${CSS.escape(active)}"]`,
    );
    if (!element) return;
    wantsFocus.current = false;
    element.focus({ preventScroll: true });
  });

  // What a link or the search points at is brought into view, once it has its place.
  const shown = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const { selected } = graph;
    if (!graph.isPlaced || shown.current === selected) return;
    shown.current = selected;
    if (selected !== undefined) bringIntoView(graph, selected);
  });

  const activate = (id: string) => {
    if (!bringIntoView(graph, id)) return;
    wantsFocus.current = true;
    setActive(id);
  };
  return { active, setActive, activate };
}

/** False where the box has no place yet. */
function bringIntoView(graph: WalkedGraph, id: string): boolean {
  const box = graph.boxes.get(id);
  const top = graph.tops?.get(id);
  const element = graph.scroller.current;
  if (!box || top === undefined || !element) return false;
  scrollTo(element, graph.leftOf(box), graph.boxWidth, top);
  return true;
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
