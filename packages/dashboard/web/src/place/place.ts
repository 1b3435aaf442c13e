import { signal } from '@preact/signals';

/** Where the page is: real paths, so that every view has a link that can be shared. */
interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

export const place = signal<Place>(readPlace());

function readPlace(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** Goes to an address of the dashboard. `replace` for what is the same view with other words in its filter. */
export function go(address: string, { replace = false } = {}): void {
  if (address === location.pathname + location.search) return;
  const isOtherPath = new URL(address, location.href).pathname !== location.pathname;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  place.value = readPlace();
  if (isOtherPath) scrollTo(0, 0);
}

/** Sets one word of the query; empty takes it out. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  go(text ? `${location.pathname}?${text}` : location.pathname, { replace: true });
}

/** Links are plain links; a click on one of ours changes the page without loading it. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    place.value = readPlace();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const anchor = (event.target as Element).closest?.('a[href]');
    if (!(anchor instanceof HTMLAnchorElement) || anchor.target || anchor.download) return;
    if (anchor.origin !== location.origin || anchor.hasAttribute('data-outside')) return;
    if (anchor.hash && anchor.pathname === location.pathname) return;
    event.preventDefault();
    go(anchor.pathname + anchor.search);
  });
}
