import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** The part of a scrolling element that is seen. */
interface Viewport {
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Followed once a frame while it scrolls or is resized. */
export function useViewport(element: RefObject<HTMLElement | null>): Viewport {
  const [viewport, setViewport] = useState<Viewport>({ top: 0, width: 1100, height: 800 });
  useLayoutEffect(() => {
    const scroller = element.current;
    if (!scroller) return;
    let frame = 0;
    const read = () => {
      frame = 0;
      const { scrollTop, clientWidth, clientHeight } = scroller;
      setViewport({ top: scrollTop, width: clientWidth, height: clientHeight });
    };
    const ask = () => {
      if (frame === 0) frame = requestAnimationFrame(read);
    };
    read();
    const observer = new ResizeObserver(ask);
    observer.observe(scroller);
    scroller.addEventListener('scroll', ask, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      scroller.removeEventListener('scroll', ask);
    };
  }, []);
  return viewport;
}
