import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { stepTo } from './list-steps.ts';

interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowHeight: number;
  readonly keyOf: (row: Row) => string;
  readonly render: (row: Row) => ComponentChildren;
  /** The key of the row that is looked at. */
  readonly selected?: string | undefined;
  readonly onSelect?: (row: Row) => void;
}

/** A list of which only what is seen exists: 10,000 rows cost as much as 30. Arrows walk it, Enter opens. */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { rows, rowHeight, keyOf, selected } = props;
  const scroller = useRef<HTMLElement>(null);
  const [, setRound] = useState(0);
  const redraw = () => setRound((round) => round + 1);
  const active = useRef<string | undefined>(selected);
  if (selected !== undefined) active.current = selected;
  const virtualizer = useVirtualizer(scroller, rows.length, rowHeight, redraw);

  const move = (to: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, to));
    const row = rows[index];
    if (row === undefined) return;
    active.current = keyOf(row);
    virtualizer.scrollToIndex(index, { align: 'auto' });
    if (selected !== undefined) props.onSelect?.(row);
    redraw();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const at =
      active.current === undefined ? -1 : rows.findIndex((row) => keyOf(row) === active.current);
    const to = stepTo(event.key, { at, page, count: rows.length });
    if (to !== undefined) {
      event.preventDefault();
      move(to);
    } else if (event.key === 'Enter' && event.target === scroller.current) {
      const row = rows[at];
      if (row !== undefined) props.onSelect?.(row);
    }
  };

  return (
    <section
      ref={scroller}
      class="virtual-list"
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the arrows walk it
      tabIndex={0}
      data-walks
      onKeyDown={onKeyDown}
    >
      <ul class="virtual-space" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          const key = keyOf(row);
          return (
            <VirtualRow
              key={key}
              item={item}
              count={rows.length}
              isActive={key === active.current}
              isSelected={key === selected}
              onPress={() => {
                active.current = key;
                props.onSelect?.(row);
                redraw();
              }}
            >
              {props.render(row)}
            </VirtualRow>
          );
        })}
      </ul>
    </section>
  );
}

/** Follows how far its list is scrolled and how large it is; `onChange` when something else is seen. */
function useVirtualizer(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  onChange: () => void,
): Virtualizer<HTMLElement, HTMLElement> {
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    initialRect: { width: 0, height: 900 },
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange,
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useEffect(() => virtualizer.measure(), [rowHeight]);
  return virtualizer;
}

interface VirtualRowProps {
  readonly item: VirtualItem;
  readonly count: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

function VirtualRow({ item, count, isActive, isSelected, onPress, children }: VirtualRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself takes the keys
    <li
      aria-setsize={count}
      aria-posinset={item.index + 1}
      class={isActive ? 'virtual-row active' : 'virtual-row'}
      data-selected={isSelected ? '' : undefined}
      style={{ height: `${item.size}px`, transform: `translateY(${item.start}px)` }}
      onClick={(event) => {
        if (!(event.target as Element).closest('a, button')) onPress();
      }}
    >
      {children}
    </li>
  );
}
