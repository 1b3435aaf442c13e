import { useEffect, useRef, useState } from 'preact/hooks';

/** YAML to read. The editor comes when first wanted; until then the text is there as text. */
export function CodeView({ label, text }: { readonly label: string; readonly text: string }) {
  return <Code label={label} before={undefined} after={text} />;
}

/** Two versions of one YAML text as one, with what came and what went. */
export function DiffView(props: {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}) {
  return <Code {...props} />;
}

function Code({
  label,
  before,
  after,
}: {
  readonly label: string;
  readonly before: string | undefined;
  readonly after: string;
}) {
  const host = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let view: { destroy(): void } | undefined;
    let isGone = false;
    void import('./editor.ts').then(({ openDiff, openText }) => {
      if (isGone || !host.current) return;
      view =
        before === undefined
          ? openText(host.current, label, after)
          : openDiff(host.current, label, before, after);
      setOpen(true);
    });
    return () => {
      isGone = true;
      view?.destroy();
    };
  }, [label, before, after]);
  return (
    <div class="code">
      <div ref={host} data-code={isOpen ? 'open' : undefined} />
      {!isOpen && <pre>{after}</pre>}
    </div>
  );
}
