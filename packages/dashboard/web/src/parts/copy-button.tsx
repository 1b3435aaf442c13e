import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const shownMs = 1_500;

/** Puts a text onto the clipboard, and says so. */
export function CopyButton({
  text,
  children,
}: {
  readonly text: () => string;
  readonly children: ComponentChildren;
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setState('copied');
    } catch {
      setState('refused');
    }
    setTimeout(() => setState('ready'), shownMs);
  };
  return (
    <button type="button" class="button" onClick={() => void copy()}>
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
      {state === 'ready' && children}
      {state === 'copied' && 'Copied'}
      {state === 'refused' && 'The browser does not allow it'}
    </button>
  );
}
