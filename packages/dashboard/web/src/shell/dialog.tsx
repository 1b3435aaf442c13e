import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { overlay } from './keys.ts';

/** The browser's own modal dialog: it keeps the focus, gives it back, and closes by Escape. */
export function Dialog({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = () => {
    overlay.value = undefined;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, by the browser
    <dialog
      ref={dialog}
      class="dialog"
      aria-label={label}
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      {children}
    </dialog>
  );
}
