import fetched from 'heroicons/24/outline/arrow-down-tray.svg?raw';
import reconcile from 'heroicons/24/outline/arrow-path.svg?raw';
import signOut from 'heroicons/24/outline/arrow-right-start-on-rectangle.svg?raw';
import drift from 'heroicons/24/outline/arrow-uturn-left.svg?raw';
import migration from 'heroicons/24/outline/arrows-right-left.svg?raw';
import preview from 'heroicons/24/outline/beaker.svg?raw';
import check from 'heroicons/24/outline/check.svg?raw';
import back from 'heroicons/24/outline/chevron-left.svg?raw';
import fold from 'heroicons/24/outline/chevron-right.svg?raw';
import copy from 'heroicons/24/outline/clipboard-document.svg?raw';
import changes from 'heroicons/24/outline/clock.svg?raw';
import object from 'heroicons/24/outline/cube.svg?raw';
import error from 'heroicons/24/outline/exclamation-circle.svg?raw';
import problems from 'heroicons/24/outline/exclamation-triangle.svg?raw';
import routes from 'heroicons/24/outline/list-bullet.svg?raw';
import search from 'heroicons/24/outline/magnifying-glass.svg?raw';
import suspend from 'heroicons/24/outline/pause-circle.svg?raw';
import resume from 'heroicons/24/outline/play-circle.svg?raw';
import help from 'heroicons/24/outline/question-mark-circle.svg?raw';
import sync from 'heroicons/24/outline/server-stack.svg?raw';
import flow from 'heroicons/24/outline/share.svg?raw';
import lost from 'heroicons/24/outline/signal-slash.svg?raw';
import apply from 'heroicons/24/outline/squares-plus.svg?raw';
import user from 'heroicons/24/outline/user-circle.svg?raw';
import trace from 'heroicons/24/outline/viewfinder-circle.svg?raw';
import fix from 'heroicons/24/outline/wrench.svg?raw';
import close from 'heroicons/24/outline/x-mark.svg?raw';
import type { IconName } from './icon-name.ts';

const icons: Readonly<Record<IconName, string>> = {
  apply,
  back,
  changes,
  check,
  close,
  copy,
  drift,
  error,
  fetch: fetched,
  fix,
  flow,
  fold,
  help,
  lost,
  migration,
  object,
  preview,
  problems,
  reconcile,
  resume,
  routes,
  search,
  signOut,
  suspend,
  sync,
  trace,
  user,
};

/** Decoration only: what it means stands beside it as text, or is its button's label. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <span
      class={`icon icon-${size}`}
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: icons[name] }}
    />
  );
}
