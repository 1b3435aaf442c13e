import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** A page's name, a few words about it, and its controls. */
export function PageHead({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} – Waygate`;
  }, [title]);
  return (
    <div class="page-head">
      <div class="page-name">
        <h1>{title}</h1>
        {aside !== undefined && (
          <span class="page-aside" aria-live="polite">
            {aside}
          </span>
        )}
      </div>
      {children && <div class="page-controls">{children}</div>}
    </div>
  );
}
