import { useEffect, useRef, useState } from 'preact/hooks';
import type { FoldedFlow } from './folding.ts';
import type { LayoutAnswer } from './layout.ts';
import { questionOf } from './layout-question.ts';

/** Where everything goes, found in a worker. Asked only when the shape changed: health does not move boxes. */
export function useLayout(
  flow: FoldedFlow,
): { layout: LayoutAnswer; isCurrent: boolean } | undefined {
  const worker = useRef<Worker | undefined>(undefined);
  const asked = useRef({ number: 0, shape: '' });
  const [answer, setAnswer] = useState<{ number: number; layout: LayoutAnswer }>();
  useEffect(() => {
    const started = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    started.addEventListener('message', ({ data }) => {
      if (data.number === asked.current.number)
        setAnswer({ number: data.number, layout: data.answer });
    });
    worker.current = started;
    return () => started.terminate();
  }, []);
  useEffect(() => {
    const shape = shapeOf(flow);
    if (shape === asked.current.shape) return;
    asked.current = { number: asked.current.number + 1, shape };
    worker.current?.postMessage({ number: asked.current.number, question: questionOf(flow) });
  }, [flow]);
  return answer && { layout: answer.layout, isCurrent: answer.number === asked.current.number };
}

function shapeOf({ boxes, lines }: FoldedFlow): string {
  const names = boxes.map(({ id, unit, title }) => `${id}\t${unit}\t${title}`);
  return `${names.join('\n')}\n\n${lines.map(({ from, to }) => `${from}\t${to}`).join('\n')}`;
}
