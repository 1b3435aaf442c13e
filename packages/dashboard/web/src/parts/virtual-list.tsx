import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualListProps<Row> {
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
  const [, redraw] = useState(0);
  const active = useRef<string | undefined>(selected);
  if (selected !== undefined) active.current = selected;
  const options = {
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    initialRect: { width: 0, height: 900 },
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw((count) => count + 1),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useEffect(() => virtualizer.measure(), [rowHeight]);

  const indexOf = (key: string | undefined) =>
    key === undefined ? -1 : rows.findIndex((row) => keyOf(row) === key);
  const move = (to: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, to));
    const row = rows[index];
    if (row === undefined) return;
    active.current = keyOf(row);
    virtualizer.scrollToIndex(index, { align: 'auto' });
    if (selected !== undefined) props.onSelect?.(row);
    redraw((count) => count + 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const at = indexOf(active.current);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? rows.length - 1 : at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = steps[event.key];
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
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself takes the keys
            <li
              key={key}
              aria-setsize={rows.length}
              aria-posinset={item.index + 1}
              class={key === active.current ? 'virtual-row active' : 'virtual-row'}
              data-selected={key === selected ? '' : undefined}
              style={{ height: `${item.size}px`, transform: `translateY(${item.start}px)` }}
              onClick={(event) => {
                if ((event.target as Element).closest('a, button')) return;
                active.current = key;
                props.onSelect?.(row);
                redraw((count) => count + 1);
              }}
            >
              {props.render(row)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
